"""Checks GGUF model files: do they follow the specification, and are they safe
to load?

    import ggufcheck

    report = ggufcheck.check("model.gguf", weights=True)
    if not report.ok:
        for finding in report.findings:
            print(finding.offset, finding.rule, finding.subject, finding.message)

A wrong file is a report; exceptions are for wrong arguments and for files that
cannot be read.  Calls release the interpreter's lock, and may run in several
threads at once.

SPDX-License-Identifier: Apache-2.0
"""

import errno
import json
import os
import stat
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _library, _program

__all__ = ["Cause", "Finding", "Report", "check", "check_header", "version"]

Flag = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[str]]


class Finding(NamedTuple):
    """A violation of a rule."""

    rule: str  # "tensor-offset-aligned"; docs/rules.md describes it.
    severity: str  # "error", "warning" or "note".
    offset: int  # In bytes from the start of the file.
    end: int  # The offset after the last byte; equal to `offset` for no bytes.
    subject: str  # The part of the file: "tensor[blk.0.attn_q.weight].offset".
    message: str  # What was found.
    path: str  # The file: as given, or another shard of its model.
    cause: str  # The id of the cause that explains it, or empty.
    fix: str  # How it can be fixed: "safe", "derived", "source", "rename" or "none".


class Cause(NamedTuple):
    """What explains several findings of a file."""

    id: str  # Unique in the file.
    kind: str  # "truncated"; docs/reports.md lists them.
    message: str  # What happened to the file, in a sentence.
    repair: str  # What to do.
    findings: int  # How many it explains.
    path: str  # The file: as given, or another shard of its model.


class Report:
    """What a check found in a file, or in the shards of a model."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._contents: Dict[str, Any] = json.loads(text)

    @property
    def result(self) -> str:
        """ "pass", "fail", or "incomplete" if a limit kept the check from
        completing: then there is no verdict."""
        results = self._contents["results"]
        if results["incomplete"] > 0 or not self._contents["complete"]:
            return "incomplete"
        return "fail" if results["fail"] > 0 else "pass"

    @property
    def ok(self) -> bool:
        """Whether the result is "pass"."""
        return self.result == "pass"

    @property
    def findings(self) -> Tuple[Finding, ...]:
        """The findings in the order of the file, at most 100 for each rule
        (`limit_findings`)."""
        return tuple(
            Finding(
                finding["rule"],
                finding["severity"],
                finding["offset"],
                finding["offset"] + finding["length"],
                finding["subject"],
                finding["message"],
                file["path"],
                finding.get("cause", ""),
                finding["fix"],
            )
            for file in self._contents["files"]
            for finding in file["findings"]
        )

    @property
    def causes(self) -> Tuple[Cause, ...]:
        """What explains findings; the causes that explain most first."""
        return tuple(
            Cause(**cause, path=file["path"])
            for file in self._contents["files"]
            for cause in file.get("causes", ())
        )

    def to_json(self) -> str:
        """Returns the report as `ggufcheck check --format json` writes it."""
        return self._text

    def __repr__(self) -> str:
        return f"<ggufcheck.Report {self.result}, {len(self.findings)} findings>"


def check(
    source: Union[str, "os.PathLike[str]", bytes, bytearray, memoryview],
    *,
    name: Optional[str] = None,
    profile: Optional[str] = None,
    weights: bool = False,
    **flags: Flag,
) -> Report:
    """Checks a file on disk, by its path, or the bytes of a file.

    name: the file name that some rules judge, for bytes; no folder.
    profile: "safety", "spec", "llama.cpp", "upload" (the default), "pedantic",
        or one of the configuration.
    weights: also read the data of all tensors.
    flags: other flags of `ggufcheck check`, with underscores: `fail_on="warning"`,
        `select=["tensor-*"]`, `config="ggufcheck.toml"`, `limit_seconds=10`
        (seconds), `limit_metadata_bytes="1G"` (bytes), `jobs=4` (threads; one is
        the default), `header_only=True`.  With `header_only=True, size=N`, the
        bytes may be only the beginning of a file of N bytes.

    If a path is that of a shard, the other shards in its folder are checked with
    it.

    Raises OSError if the file cannot be read, and ValueError for a wrong name or
    value of a flag.
    """
    options = _options(profile, weights, flags)
    if isinstance(source, (str, os.PathLike)):
        if name is not None:
            raise ValueError("a path has its name")
        path = os.fspath(source)
        _try_to_open(path)
        return Report(_backend().check_file(path, options))
    _check_name(name)
    return Report(_backend().check_bytes(source, name, options))


def check_header(
    read: Callable[[int], bytes],
    size: int,
    *,
    name: Optional[str] = None,
    profile: Optional[str] = None,
    **flags: Flag,
) -> Report:
    """Checks header, keys and tensor table of a file that is still arriving.

    read: a function such as `socket.makefile("rb").read1`: returns at most as
        many of the next bytes as its argument says, and b"" only at the end.
        Little more is read than the end of the tensor table.
    size: of the whole file, in bytes.

    The other arguments are those of check().  Raises what `read` raises,
    EOFError if it returns b"" too early, and ValueError as check().
    """
    _check_name(name)
    if not 0 <= size < 1 << 64:
        raise ValueError(f"not the size of a file: {size}")
    options = _options(profile, False, {**flags, "header_only": True})
    return Report(_backend().check_header(read, size, name, options))


def version() -> str:
    """Returns the version, such as "0.2.0"."""
    return _backend().version()


_chosen: Union[None, _library.Library, _program.Program] = None


def _backend() -> Union[_library.Library, _program.Program]:
    """Returns the shared library, or the program where it cannot be loaded."""
    global _chosen
    if _chosen is None:
        try:
            _chosen = _library.Library()
        except OSError:
            _chosen = _program.Program()
    return _chosen


def _text(value: Union[bool, int, float, str, "os.PathLike[str]"]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _options(
    profile: Optional[str], weights: bool, flags: Dict[str, Flag]
) -> List[Tuple[str, str]]:
    """Returns the names of options and their values."""
    options = []
    given: Dict[str, Flag] = {"profile": profile, "weights": weights or None, **flags}
    for name, value in given.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is not None:
                options.append((name.replace("_", "-"), _text(one)))
    return options


def _check_name(name: Optional[str]) -> None:
    if name is not None and (name in ("", "-", ".", "..") or "/" in name or "\0" in name):
        raise ValueError(f"not a file name: {name!r}")


def _try_to_open(path: str) -> None:
    """Raises OSError if a path cannot be opened, or is a directory."""
    if path == "-":
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if stat.S_ISREG(mode):  # A pipe can be opened only once.
        os.close(os.open(path, os.O_RDONLY | os.O_CLOEXEC))
