"""The checks, by the shared library.

SPDX-License-Identifier: Apache-2.0
"""

import ctypes
import os
from ctypes import c_char_p, c_int, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any, Callable, List, Optional, Tuple, Union

_Read = ctypes.CFUNCTYPE(c_int64, c_void_p, c_uint64, c_void_p, c_size_t)

# name: (result, arguments), as in ggufcheck.h.
_FUNCTIONS = {
    "version": (c_char_p, []),
    "last_error": (c_char_p, []),
    "options_new": (c_void_p, []),
    "options_set": (c_int, [c_void_p, c_char_p, c_char_p]),
    "options_free": (None, [c_void_p]),
    "check_file": (c_void_p, [c_char_p, c_void_p]),
    "check_buffer": (c_void_p, [c_void_p, c_size_t, c_char_p, c_void_p]),
    "check_callback": (c_void_p, [_Read, c_void_p, c_uint64, c_char_p, c_void_p]),
    "report_json": (c_char_p, [c_void_p]),
    "report_free": (None, [c_void_p]),
}


def _encoded(text: Optional[str]) -> Optional[bytes]:
    return None if text is None else os.fsencode(text)


class Library:
    """Raises OSError where the library cannot be loaded."""

    def __init__(self) -> None:
        folder = os.path.dirname(os.path.abspath(__file__))
        library = ctypes.CDLL(os.path.join(folder, "libggufcheck.so.0"))
        self._call = {}
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"ggufcheck_{name}")
            function.restype = result
            function.argtypes = arguments
            self._call[name] = function

    def version(self) -> str:
        return str(self._call["version"]().decode())

    def check_file(self, path: str, options: List[Tuple[str, str]]) -> str:
        return self._run(
            options, lambda made: self._call["check_file"](_encoded(path), made)
        )

    def check_bytes(
        self,
        data: Union[bytes, bytearray, memoryview],
        name: Optional[str],
        options: List[Tuple[str, str]],
    ) -> str:
        view = memoryview(data).cast("B")
        buffer: Any
        if view.readonly:  # ctypes takes the address of bytes only.
            copy = data if isinstance(data, bytes) else view.tobytes()
            buffer = c_char_p(copy)
        else:
            buffer = (ctypes.c_char * len(view)).from_buffer(view)
        address = ctypes.cast(buffer, c_void_p)
        return self._run(
            options,
            lambda made: self._call["check_buffer"](
                address, len(view), _encoded(name), made
            ),
        )

    def check_header(
        self,
        read: Callable[[int], bytes],
        size: int,
        name: Optional[str],
        options: List[Tuple[str, str]],
    ) -> str:
        failures: List[BaseException] = []

        def read_next(_user: Any, _offset: int, to: int, count: int) -> int:
            try:
                data = read(count)
                if len(data) == 0:
                    raise EOFError(f"the file has fewer than {size} bytes")
                ctypes.memmove(to, bytes(data), len(data))
                return len(data)
            except BaseException as failure:  # It cannot pass through C.
                failures.append(failure)
                return -1

        function = _Read(read_next)
        try:
            return self._run(
                options,
                lambda made: self._call["check_callback"](
                    function, None, size, _encoded(name), made
                ),
            )
        except ValueError:
            if failures:
                raise failures[0] from None
            raise

    def _run(
        self, options: List[Tuple[str, str]], check: Callable[[Any], Any]
    ) -> str:
        """Returns the report of a check, which gets the options, as JSON."""
        made = self._call["options_new"]()
        report = None
        try:
            for name, value in options:
                if self._call["options_set"](made, name.encode(), _encoded(value)):
                    raise self._error()
            report = check(made)
            text = self._call["report_json"](report) if report else None
            if text is None:
                raise self._error()
            return str(text.decode())
        finally:
            self._call["report_free"](report)
            self._call["options_free"](made)

    def _error(self) -> Exception:
        what = self._call["last_error"]().decode(errors="replace")
        return MemoryError(what) if what == "out of memory" else ValueError(what)
