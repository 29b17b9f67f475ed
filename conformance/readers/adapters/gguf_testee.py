"""Helper for adapters in Python: writes the lines of the protocol
(docs/reader-protocol.md).

    import gguf_testee as protocol

    def read(path):
        try:
            file = my_reader(path)
        except MyReaderError as error:
            return protocol.reject("syntax", error)
        protocol.kv(b"general.alignment", "u32", protocol.scalar("u32", 32))
        protocol.tensor(b"output.weight", 0, 0, [32, 2])
        protocol.accept()

    protocol.run("my-reader", "1.0", "kv,tensors", read)

An exception that leaves the function ends the adapter, as it would end any
program.  If the reader rejects files by exceptions, the adapter must catch those, and no others.

SPDX-License-Identifier: Apache-2.0
"""

import os
import struct
import sys

MAX_LINE = 8 << 20

# The value types, by their number in GGUF.
TYPES = "u8 i8 u16 i16 u32 i32 f32 bool str arr u64 i64 f64".split()


def line(*words):
    text = " ".join(map(str, words))
    if len(text) <= MAX_LINE:
        sys.stdout.write(text + "\n")


def hexed(data):
    return bytes(data).hex() or "-"


def scalar(kind, value):
    """Returns the word for a value that is not an array; strings are bytes."""
    if kind == "str":
        return hexed(value)
    if kind in ("f32", "f64"):
        return struct.pack(">f" if kind == "f32" else ">d", value).hex()
    return str(int(value))


def kv(key, *words):
    """Writes a key, the name of its type, and the words of its value."""
    line("@kv", hexed(key), *words)


def tensor(name, kind, offset, dims):
    """Writes a tensor info; `offset` is relative to the data section, `dims` are in file order."""
    line("@t", hexed(name), int(kind), int(offset), len(dims), *map(int, dims))


def data(name, content):
    """Writes a tensor's bytes as stored in the file, or a NumPy array."""
    content = memoryview(content)
    if content.nbytes < MAX_LINE:  # Otherwise skip the hex.
        line("@d", hexed(name), hexed(content))


def weights(name, floats):
    """`floats` is a NumPy array of f32, or anything with tobytes()."""
    content = floats.tobytes()
    words = (content[i : i + 4][::-1].hex() for i in range(0, len(content), 4))
    line("@q", hexed(name), *words)


# Verdicts: call one for each file, at the end.


def accept():
    line("@accept")


def reject(kind, text):
    """`kind` is one word, such as "syntax", "limit", "unsupported"."""
    line("@reject", kind, one_line(text))


def skip(text):
    line("@skip", one_line(text))


def one_line(text):
    text = " ".join(str(text).split())[:1000]
    return text.encode("ascii", "backslashreplace").decode()


def run(name, version, capabilities, read):
    """Sends the greeting and calls read(path) for each path."""
    line("@gguf-testee 1", name, version, capabilities)
    sys.stdout.flush()
    for path in sys.stdin.buffer:
        read(os.fsdecode(path.rstrip(b"\n")))
        sys.stdout.flush()
