"""The checks, by the program: for systems that cannot load the library.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import IO, Callable, Iterator, List, Optional, Tuple, Union

# Flags of the program that the library does not have either.
_REFUSED = (
    "all-files allow-private-redirects baseline baseline-reason baseline-safety "
    "cacert color digest exit-zero files-from files-from0 format header help "
    "include no-config quiet report sha256 shard verbose write-baseline"
).split()


def _places() -> Iterator[str]:
    """Returns where the program of this package may be."""
    try:
        for file in importlib.metadata.files("ggufcheck") or []:
            if file.name == "ggufcheck" and file.parent.name == "bin":
                yield str(file.locate())
    except importlib.metadata.PackageNotFoundError:
        pass
    yield os.path.join(sysconfig.get_path("scripts"), "ggufcheck")
    # pip install --target.
    packages = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    yield os.path.join(packages, "bin", "ggufcheck")
    yield os.path.join(sys.prefix, "bin", "ggufcheck")


def _find_program() -> str:
    for path in _places():
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("ggufcheck")
    if found is None:
        raise FileNotFoundError(
            "the program ggufcheck is missing, and its library cannot be loaded"
        )
    return found


class Program:
    """Raises FileNotFoundError where the program is missing."""

    def __init__(self, path: Optional[str] = None) -> None:
        self._path = path or _find_program()

    def version(self) -> str:
        run = subprocess.run([self._path, "--version"], capture_output=True, check=True)
        return run.stdout.decode().split()[1]

    def check_file(self, path: str, options: List[Tuple[str, str]]) -> str:
        return self._run(options, path)

    def check_bytes(
        self,
        data: Union[bytes, bytearray, memoryview],
        name: Optional[str],
        options: List[Tuple[str, str]],
    ) -> str:
        with tempfile.TemporaryDirectory(prefix="ggufcheck.") as folder:
            path = os.path.join(folder, name or "nameless")
            with open(path, "wb") as file:
                file.write(data)
            if name is not None:
                return self._run(options, name, folder)
            with open(path, "rb") as file:
                return self._run(options, "-", stdin=file)

    def check_header(
        self,
        read: Callable[[int], bytes],
        size: int,
        name: Optional[str],
        options: List[Tuple[str, str]],
    ) -> str:
        options = options + [("size", str(size))]
        with tempfile.TemporaryDirectory(prefix="ggufcheck.") as folder:
            if name is not None:
                os.symlink("/dev/stdin", os.path.join(folder, name))
            with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
                with subprocess.Popen(
                    self._command(options, name or "-"),
                    stdin=subprocess.PIPE,
                    stdout=out,
                    stderr=errors,
                    cwd=folder if name is not None else None,
                ) as run:
                    try:
                        sent = _copy(read, run.stdin)
                    except BaseException:
                        run.kill()
                        raise
                out.seek(0)
                errors.seek(0)
                text = _report(run.returncode, out.read(), errors.read())
        if sent is not None and sent < size and "the stream ended after " in text:
            raise EOFError(f"the file has fewer than {size} bytes")
        return text

    def _command(self, options: List[Tuple[str, str]], path: str) -> List[str]:
        command = [self._path, "check", "--format", "json"]
        names = [name for name, _ in options]
        if "config" not in names:
            command.append("--no-config")
        if "jobs" not in names:
            command.append("--jobs=1")
        for name, value in options:
            if name in _REFUSED:
                raise ValueError(f'option "{name}" is of the program only')
            command.append(f"--{name}={value}")
        return [*command, "--", path]

    def _run(
        self,
        options: List[Tuple[str, str]],
        path: str,
        folder: Optional[str] = None,
        stdin: Union[int, IO[bytes]] = subprocess.DEVNULL,
    ) -> str:
        """Returns the report of the program as JSON."""
        run = subprocess.run(
            self._command(options, path), stdin=stdin, capture_output=True, cwd=folder
        )
        return _report(run.returncode, run.stdout, run.stderr)


def _copy(read: Callable[[int], bytes], to: Optional[IO[bytes]]) -> Optional[int]:
    """Copies to a pipe until its reader ends, which gives None, or until the end
    of the file, which gives its size."""
    assert to is not None
    sent = 0
    try:
        while True:
            data = read(1 << 16)
            if len(data) == 0:
                to.close()
                return sent
            to.write(data)
            to.flush()
            sent += len(data)
    except BrokenPipeError:
        with contextlib.suppress(BrokenPipeError):
            to.close()
        return None


def _report(code: int, out: bytes, errors: bytes) -> str:
    if code in (0, 1, 3) and out:
        return out.decode()
    raise ValueError(errors.decode(errors="replace").strip() or f"exit code {code}")
