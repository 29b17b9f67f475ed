"""A small, strict reader of the metadata and tensor table of GGUF 3 with its
adapter: a test of gguf_testee.py.

SPDX-License-Identifier: Apache-2.0
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import gguf_testee as protocol

FORMATS = dict(zip(protocol.TYPES, "B b H h I i f B s s Q q d".split()))


class Toy:
    def __init__(self, content):
        self.content, self.at = content, 0

    def number(self, kind):
        size = struct.calcsize("<" + FORMATS[kind])
        (value,) = struct.unpack("<" + FORMATS[kind], self.take(size))
        return value

    def take(self, size):
        if size > len(self.content) - self.at:
            raise ValueError("the file ends early")
        self.at += size
        return self.content[self.at - size : self.at]

    def text(self):
        return self.take(self.number("u64"))

    def scalar(self, kind):
        if kind in ("f32", "f64"):  # The bits, so that NaNs are kept.
            return self.take(4 if kind == "f32" else 8)[::-1].hex()
        return protocol.scalar(kind, self.text() if kind == "str" else self.number(kind))

    def kind(self):
        number = self.number("u32")
        if number >= len(protocol.TYPES):
            raise ValueError("an unknown type of value")
        return protocol.TYPES[number]

    def words(self, kind):
        if kind != "arr":
            return [self.scalar(kind)]
        element, count = self.kind(), self.number("u64")
        if count > len(self.content) - self.at:
            raise ValueError("the array is longer than the file")
        return [element, count, *(word for _ in range(count) for word in self.words(element))]

    def show(self):
        if self.take(4) != b"GGUF" or self.number("u32") != 3:
            raise ValueError("not GGUF 3")
        tensors, keys = self.number("u64"), self.number("u64")
        for _ in range(keys):
            key, kind = self.text(), self.kind()
            protocol.kv(key, kind, *self.words(kind))
        for _ in range(tensors):
            name = self.text()
            dims = [self.number("u64") for _ in range(self.number("u32"))]
            protocol.tensor(name, self.number("u32"), self.number("u64"), dims)


def read(path):
    try:
        with open(path, "rb") as file:
            Toy(file.read()).show()
    except OSError as error:
        return protocol.skip(error)
    except ValueError as error:
        return protocol.reject("syntax", error)
    protocol.accept()


protocol.run("toy-python", "1", "kv,tensors", read)
