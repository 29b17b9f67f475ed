"""Reads and writes GGUF files, for changing small models.

Reads only valid little-endian files of version 3.  Writes whatever the lists
say, valid or not.

SPDX-License-Identifier: Apache-2.0
"""

import copy
import math
import os
import re
import struct

U8, I8, U16, I16, U32, I32, F32, BOOL, STR, ARR, U64, I64, F64 = range(13)
TYPE_NAMES = "u8 i8 u16 i16 u32 i32 f32 bool str arr u64 i64 f64".split()
FORMATS = dict(zip((U8, I8, U16, I16, U32, I32, F32, BOOL, U64, I64, F64), "BbHhIif?Qqd"))
INTEGERS = (U8, I8, U16, I16, U32, I32, U64, I64)

ALIGNMENT = 32


def _tensor_types():
    """Returns elements and bytes of the blocks of each type, by id, and ids by name."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "../../../parser/tensor_types.tsv")
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if not line.startswith("#")]
    header, rows = rows[0], rows[1:]
    rows = [dict(zip(header, row)) for row in rows]
    rows = [row for row in rows if row["gguf"].isdigit()]
    sizes = {int(row["gguf"]): (int(row["elements"]), int(row["bytes"])) for row in rows}
    return sizes, {row["name"]: int(row["gguf"]) for row in rows if not row["removed"].strip("-")}


TENSOR_SIZES, TENSOR_TYPES = _tensor_types()


class Key:
    """A key with its value: a number, bytes, or a list of these."""

    def __init__(self, name, kind, value, elements=None):
        self.name, self.kind, self.value, self.elements = name, kind, value, elements

    def type_name(self):
        name = TYPE_NAMES[self.kind]
        return f"{name}[{TYPE_NAMES[self.elements]}]" if self.kind == ARR else name

    def text(self):
        """Returns name, type and value in a few words."""
        value = self.value
        if self.kind == ARR and len(value) > 8:
            value = f"({len(value)} elements)"
        return f"{self.name} {self.type_name()} {value!r:.60}"


class Tensor:
    """A tensor; its data are zeros, or those that are given."""

    def __init__(self, name, dims, kind=0, data=b""):
        self.name, self.dims, self.kind, self.data = name, list(dims), kind, data

    def size(self):
        elements, size = TENSOR_SIZES.get(self.kind, (1, 4))
        return math.prod(self.dims) // elements * size


class GgufFile:
    """The keys and tensors of a file."""

    def __init__(self, keys=None, tensors=None):
        self.keys, self.tensors = keys or [], tensors or []

    def copy(self):
        return copy.deepcopy(self)

    def key(self, name):
        return next((key for key in self.keys if key.name == name), None)

    def tensor(self, name):
        return next((tensor for tensor in self.tensors if tensor.name == name), None)

    def set(self, name, kind, value, elements=None):
        """Replaces or adds a key."""
        new = Key(name, kind, value, elements)
        for at, key in enumerate(self.keys):
            if key.name == name:
                self.keys[at] = new
                return
        self.keys.append(new)

    def remove(self, name):
        self.keys = [key for key in self.keys if key.name != name]

    @property
    def architecture(self):
        key = self.key("general.architecture")
        return key.value.decode() if key and key.kind == STR else ""

    def build(self):
        out = [struct.pack("<4sIQQ", b"GGUF", 3, len(self.tensors), len(self.keys))]
        for key in self.keys:
            out += [_string(key.name), struct.pack("<I", key.kind), _value(key)]
        alignment = ALIGNMENT
        stated = self.key("general.alignment")
        if stated and stated.kind == U32 and 0 < stated.value <= 1 << 16:
            alignment = stated.value
        offset, data = 0, []
        for tensor in self.tensors:
            dims = struct.pack(f"<I{len(tensor.dims)}Q", len(tensor.dims), *tensor.dims)
            out += [_string(tensor.name), dims, struct.pack("<IQ", tensor.kind, offset)]
            size = -(-tensor.size() // alignment) * alignment
            offset += size
            data.append(tensor.data[:size].ljust(size, b"\0"))
        header = b"".join(out)
        return b"".join([header, bytes(-len(header) % alignment), *data])


def _string(text):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    return struct.pack("<Q", len(data)) + data


def _scalar(kind, value):
    if kind == STR:
        return _string(value)
    if kind in INTEGERS:
        value &= (1 << 8 * struct.calcsize(FORMATS[kind])) - 1
        return struct.pack("<" + FORMATS[kind].upper(), value)
    if kind == F32 and math.isfinite(value) and abs(value) > 3.4e38:
        value = math.copysign(math.inf, value)
    return struct.pack("<" + FORMATS[kind], value)


def _value(key):
    if key.kind != ARR:
        return _scalar(key.kind, key.value)
    head = struct.pack("<IQ", key.elements, len(key.value))
    return head + b"".join(_scalar(key.elements, value) for value in key.value)


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values[0] if len(values) == 1 else values

    def string(self):
        size = self.take("Q")
        self.at += size
        return self.data[self.at - size : self.at]

    def scalar(self, kind):
        return self.string() if kind == STR else self.take(FORMATS[kind])

    def key(self):
        name = self.string().decode("utf-8", "surrogateescape")
        kind = self.take("I")
        if kind != ARR:
            return Key(name, kind, self.scalar(kind))
        elements, count = self.take("IQ")
        return Key(name, ARR, [self.scalar(elements) for _ in range(count)], elements)

    def tensor(self):
        name = self.string().decode("utf-8", "surrogateescape")
        rank = self.take("I")
        dims = [self.take("Q") for _ in range(rank)]
        return Tensor(name, dims, self.take("IQ")[0])


def read(path):
    """Returns the contents of a file, but for the tensors' data."""
    with open(path, "rb") as file:
        reader = _Reader(file.read())
    magic, version, tensors, keys = reader.take("4sIQQ")
    if (magic, version) != (b"GGUF", 3):
        raise ValueError(f"{path}: not a GGUF file of version 3")
    file = GgufFile([reader.key() for _ in range(keys)])
    file.tensors = [reader.tensor() for _ in range(tensors)]
    return file


def block_of(name):
    """Returns the number of the block in a tensor's name, or None."""
    number = re.search(r"(?:^|\.)blk\.(\d+)\.", name)
    return int(number[1]) if number else None
