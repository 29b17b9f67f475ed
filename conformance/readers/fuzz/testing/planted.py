"""A small reader of GGUF 2 and 3 with its adapter.  Each argument plants a bug that
real readers had; "all" plants all of them; without any, the reader is correct.

SPDX-License-Identifier: Apache-2.0
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../adapters"))
import gguf_testee as protocol

BUGS = set(sys.argv[1:])
SIZES = (1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8)


class Reject(Exception):
    """The reader rejects the file."""


def planted(name):
    return name in BUGS or "all" in BUGS


def require(holds, what):
    if not holds:
        raise Reject(what)


class File:
    def __init__(self, data):
        self.data, self.at, self.alignment = data, 0, 32

    def left(self):
        return len(self.data) - self.at

    def number(self, size):
        require(size <= self.left(), f"the file ends at {self.at}")
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def text(self):
        length = self.number(8)
        require(length <= self.left(), f"a text of {length} bytes")
        self.at += length
        return self.data[self.at - length : self.at]


def trusting_text(file):  # Class 10.
    length = file.number(8)
    require(length <= file.left() or planted("length"), f"a text of {length} bytes")
    end = file.at + length
    file.data[end - 1 if length else 0]
    file.at = end


def element_size(kind):  # Class 18.
    return SIZES[kind]


def every(count):  # Class 19: the product wraps, and the elements are read one by one.
    for _ in range(count):
        pass


def recursive(file, depth):  # Class 21.
    array(file, depth + 1)


def array(file, depth):
    require(depth < 3 or planted("nesting") and depth < 8, "nested arrays")
    if depth == 7:
        raise RecursionError("maximum recursion depth exceeded")
    kind, count = file.number(4), file.number(8)
    require(planted("element") or kind < 13, f"type {kind}")
    if kind == 8 or kind == 9:
        require(count <= file.left(), f"{count} elements")
        for _ in range(count):
            trusting_text(file) if kind == 8 else recursive(file, depth)
        return
    size = count * element_size(kind)
    if planted("array") and size >= 2**64:
        every(count)
    require(size <= file.left(), f"{count} elements")
    file.at += size


def reserve(count):  # Class 5: the table is smaller than its entries.
    bytearray(count * 48 % 2**64)[2**20] = 1


def padded(at, alignment):  # Class 27.
    return (at + alignment - 1) // alignment * alignment


def dimensions(file, rank):  # Class 32.
    shape = [1] * 4
    for i in range(rank):
        shape[i] = file.number(8)
    return shape[:rank]


def remaining_rows(room, elements):  # Class 36: the product is 0 modulo 2^64.
    return room // elements


def same_name(a, b):  # Class 49.
    return a.casefold() == b.casefold()


def key(file):
    name, kind = file.text(), file.number(4)
    require(len(name) > 0, "an empty key")
    require(kind < 13, f"type {kind}")
    if kind == 8:
        trusting_text(file)
    elif kind == 9:
        array(file, 0)
    else:
        value = file.number(SIZES[kind])
        if name == b"general.alignment":
            require(kind == 4, "an alignment of another type")
            require(value & (value - 1) == 0 and (value or planted("alignment")), "an alignment")
            file.alignment = value


def tensor(file, names):
    start = file.at
    try:
        name = file.text()
    except Reject:
        if not names or not planted("second"):
            raise
        same_name(str(names[0]), None)
    rank = file.number(4)
    require(rank <= 4 or planted("rank"), f"{rank} dimensions at {start}")
    shape = dimensions(file, rank)
    names.append(name)
    return shape, file.number(4), file.number(8)


def offset_block(file, begin, offset):  # Class 53.
    struct.unpack_from("<B", file.data, begin + offset)


def place(file, tensors):
    begin = padded(file.at, file.alignment)
    room = max(len(file.data) - begin, 0)
    for shape, kind, offset in tensors:
        require(offset % file.alignment == 0, f"offset {offset}")
        elements = 1
        for size in shape:
            elements *= size
        if planted("product") and elements >= 2**64 and elements % 2**64 == 0:
            remaining_rows(room, elements % 2**64)
        require(elements <= room * 8, f"{elements} elements")
        if kind != 0 or elements == 0:
            continue
        end = offset + elements * 4
        if planted("offset") and end >= 2**64:
            offset_block(file, begin, offset)
        require(end <= room, f"data that end at {end}")


def load(data):
    file = File(data)
    require(data[:4] == b"GGUF", "no magic")
    file.at = 4
    version = file.number(4)
    require(version in (2, 3), f"version {version}")
    tensors, keys = file.number(8), file.number(8)
    if planted("count") and keys * 48 >= 2**64 and keys * 48 % 2**64 < 2**20:
        reserve(keys)
    require(keys <= file.left() // 13, f"{keys} keys")
    for _ in range(keys):
        key(file)
    require(tensors <= file.left() // 24, f"{tensors} tensors")
    names = []
    infos = [tensor(file, names) for _ in range(tensors)]
    if infos:
        place(file, infos)
    else:
        require(file.alignment > 0, "an alignment of 0")


def read(path):
    try:
        with open(path, "rb") as file:
            load(file.read())
    except Reject as error:
        return protocol.reject("syntax", error)
    protocol.accept()


protocol.run("planted-python", "1", "-", read)
