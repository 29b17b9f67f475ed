"""A small, strict reader of GGUF 1 to 3 of either byte order with its adapter: a
test of gguf_testee.py.  mutants_test.py breaks it in many ways.

SPDX-License-Identifier: Apache-2.0
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import gguf_testee as protocol

FORMATS = dict(zip(protocol.TYPES, "B b H h I i f B s s Q q d".split()))
MAX_DEPTH = 64

# The tensor types: number, weights and bytes of a block.
BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110),
    22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8),
    29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66), 39: (32, 17), 40: (64, 36), 41: (128, 18),
    42: (64, 18),
}  # fmt: skip


class Reject(Exception):
    """The reader rejects the file."""


class Toy:
    """Reads one file.

    mutants_test.py breaks each line, except those about what a reader may or may
    not do, which say so.
    """

    def __init__(self, content):
        self.content, self.at, self.steps = content, 0, 0
        self.order, self.version = "<", 3  # A reader may know other ones.
        self.keys, self.tensors, self.data_begin = {}, [], 0

    def take(self, size):
        self.step()
        if size > len(self.content) - self.at:
            raise Reject("the file ends early")
        self.at += size
        return self.content[self.at - size : self.at]

    def step(self):
        """Counts work, so that a mutant that never ends is noticed."""
        self.steps += 1

    def number(self, kind):
        code = self.order + FORMATS[kind]
        return struct.unpack(code, self.take(struct.calcsize(code)))[0]

    def length(self):
        if self.version > 1:  # A reader may know version 1.
            return self.number("u64")
        return self.number("u32")  # A reader may know version 1.

    def text(self):
        size = self.length()
        return self.take(size)

    def kind(self):
        number = self.number("u32")
        if number >= (13 if self.version > 1 else 10):  # A reader may know version 1.
            raise Reject("an unknown type of value")
        return protocol.TYPES[number]

    def words(self, kind, count):
        """Returns the words of numbers."""
        size = struct.calcsize("<" + FORMATS[kind])
        stored = self.take(count * size)
        words = []
        for at in range(0, len(stored), size):
            bits = stored[at : at + size]
            if self.order == "<":  # A reader may know the other order.
                bits = bits[::-1]
            if kind[0] == "f":
                words.append(bits.hex())
            else:
                words.append(str(int.from_bytes(bits, "big", signed=kind[0] == "i")))
        return words

    def value(self, kind, depth=0):
        """Returns the words of a value without its type."""
        if kind == "str":
            return [protocol.hexed(self.text())]
        if kind != "arr":
            return self.words(kind, 1)
        if depth == MAX_DEPTH:  # A reader may know other depths.
            raise Reject("arrays are nested too deep")
        kind, count = self.kind(), self.length()
        words = [kind, count]
        if kind not in ("str", "arr"):
            return words + self.words(kind, count)
        for _ in range(count):
            words += self.value(kind, depth + 1)  # A reader may know other depths.
        return words

    def read_key(self):
        key, kind = self.text(), self.kind()
        if not key:
            raise Reject("an empty key")
        self.keys[key] = [kind] + self.value(kind)

    def alignment(self):
        kind, word = self.keys.get(b"general.alignment", ["u32", "32"])[:2]
        if kind != "u32":
            raise Reject("an alignment of a wrong type")
        alignment = int(word)
        if alignment == 0:
            raise Reject("an alignment of 0")
        if alignment & (alignment - 1) != 0:
            raise Reject("an alignment that is not a power of two")
        return alignment

    def read_tensor(self):
        name, rank = self.text(), self.number("u32")
        if rank > 4:
            raise Reject("too many dimensions")
        dims = [self.length() for _ in range(rank)]
        kind, offset = self.number("u32"), self.number("u64")
        if kind not in BLOCKS:
            raise Reject("an unknown type of tensor")
        self.tensors.append((name, kind, offset, dims))

    def size(self, kind, dims):
        """Returns the bytes of a tensor."""
        block, size = BLOCKS[kind]
        row = dims[0] if dims else 1  # A reader may refuse a tensor without dimensions.
        if row % block != 0:
            raise Reject("a row that is not whole blocks")
        weights = row
        for dim in dims[1:]:
            weights = weights * dim
        return weights // block * size

    def data(self, offset, size):
        begin = self.data_begin + offset
        end = begin + size
        if end > len(self.content):
            raise Reject("data that are not all in the file")
        return self.content[begin:end]

    def place(self):
        """Returns the data of all tensors."""
        alignment = self.alignment()
        self.data_begin = (self.at + alignment - 1) // alignment * alignment
        data, used = [], []
        for _, kind, offset, dims in self.tensors:
            if offset % alignment != 0:
                raise Reject("a misaligned tensor")
            size = self.size(kind, dims)
            data.append(self.data(offset, size))
            used.append((offset, offset + size))
        last = 0
        for begin, end in sorted(used):
            if begin < last:
                raise Reject("overlapping tensors")
            last = end
        return data

    def read_version(self):
        if self.take(4) != b"GGUF":
            raise Reject("not GGUF")
        self.version = self.number("u32")
        if self.version & 0xFFFF == 0:  # A reader may know the other order.
            self.order = ">"
            swapped = self.version.to_bytes(4, "big")  # A reader may know the other order.
            self.version = int.from_bytes(swapped, "little")
        if self.version < 1:  # A reader may know version 1.
            raise Reject("version 0")
        if self.version > 3:
            raise Reject("an unknown version")

    def read(self):
        """Returns keys with the words of their values, tensors, and their data."""
        self.read_version()
        tensors, keys = self.length(), self.length()
        for _ in range(keys):
            self.read_key()
        for _ in range(tensors):
            self.read_tensor()
        return self.keys, self.tensors, self.place()


def read(path):
    try:
        with open(path, "rb") as file:
            keys, tensors, data = Toy(file.read()).read()
    except OSError as error:
        return protocol.skip(error)
    except Reject as error:
        return protocol.reject("syntax", error)
    for key, words in keys.items():
        protocol.kv(key, *words)
    for (name, kind, offset, dims), content in zip(tensors, data):
        protocol.tensor(name, kind, offset, dims)
        protocol.data(name, content)
    protocol.accept()


if __name__ == "__main__":
    protocol.run("toy-python", "1", "kv,tensors,data", read)
