"""Legacy files in parts, and their single edits.

`ggufcheck dump` names the parts; only their bytes are read here.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import json
import os
import random
import re
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
MAX = 0x7FFFFFFF
VERSIONS = (1, 2, 3, 100, 101)
Edit = collections.namedtuple("Edit", "name bytes")


class Tensor:
    """The fields of a tensor as they are written."""

    def __init__(self, n_dims, name_length, type_id, dims, name, data):
        self.n_dims, self.name_length, self.type_id = n_dims, name_length, type_id
        self.dims, self.name, self.data = dims, name, data

    def copy(self):
        return Tensor(self.n_dims, self.name_length, self.type_id, list(self.dims), self.name, self.data)


class LegacyFile:
    """A file: a header, whose hyperparameters begin at `hparams_at`, and tensors."""

    def __init__(self, ggufcheck, path):
        with open(path, "rb") as file:
            data = file.read()
        run = subprocess.run([ggufcheck, "dump", "--no-config", path], capture_output=True, text=True, check=True)
        dump = json.loads(run.stdout)
        self.family, self.alignment = dump["family"], int(dump["alignment"])
        self.format = dump["format"] + "." + dump["version"] if "version" in dump else dump["family"]
        self.hparams = [hparam["name"] for hparam in dump["hparams"]]
        self.types = block_sizes(dump["format"], dump.get("version"))
        self.hparams_at = 8 if "version" in dump else 4
        if self.family == "silero-vad":
            self.hparams_at += 4 + struct.unpack_from("<I", data, 4)[0]
        self.tensors = []
        end = len(data)
        for entry in reversed(dump["tensors"]):  # Each begins after the one before.
            name, offset = entry["name"].encode(), int(entry["offset"])
            info = 12 + 4 * len(entry["dims"]) + len(name)
            at = next(at for at in range(offset - info, -1, -1) if data[at + info - len(name):at + info] == name)
            fields = struct.unpack_from(f"<{info // 4 - len(name) // 4}I", data, at)[:3 + len(entry["dims"])]
            self.tensors.insert(0, Tensor(*fields[:3], list(fields[3:]), name, data[offset:end]))
            end = at
        self.header = data[:end]

    def write(self, header=None, tensors=None):
        out = bytearray(self.header if header is None else header)
        for tensor in self.tensors if tensors is None else tensors:
            numbers = [tensor.n_dims, tensor.name_length, tensor.type_id, *tensor.dims]
            out += struct.pack(f"<{len(numbers)}I", *(number & 0xFFFFFFFF for number in numbers)) + tensor.name
            out += bytes(-len(out) % self.alignment) + tensor.data
        return bytes(out)


def block_sizes(file_format, version):
    """Returns elements and bytes of a block for each type id of a format."""
    column = {"rwkv.cpp": f"rwkv{version}", "ggjt": {"1": "qnt0", "2": "qnt1", "3": "qnt2"}.get(version),
              "whisper-ggml": "qnt2"}.get(file_format, "qnt0")
    with open(os.path.join(HERE, "../../../parser/tensor_types.tsv"), encoding="utf-8") as file:
        lines = [line.split("\t") for line in file if not line.startswith("#")]
    rows = [dict(zip(lines[0], line)) for line in lines[1:]]
    return {int(row[column]): (int(row["elements"]), int(row["bytes"])) for row in rows if row[column] != "-"}


def refill(tensor, types):
    """Gives a tensor as many bytes as its type and dimensions need, of its own bytes if they last."""
    elements, size = types.get(tensor.type_id, (1, 4))
    count = 1
    for dim in tensor.dims:
        count *= dim
    need = count // elements * size
    if 0 <= need < 1 << 24:
        repeat = need // max(1, len(tensor.data)) + 1
        tensor.data = (tensor.data * repeat)[:need].ljust(need, b"\0")


def header_edits(file):
    """Yields edits of hyperparameters, and of what follows them."""
    words_end = min(len(file.header), file.hparams_at + 4 * len(file.hparams) + 64)
    for at in [0, 4, *range(file.hparams_at, words_end - 3, 4)]:
        index = (at - file.hparams_at) // 4
        name = file.hparams[index] if 0 <= index < len(file.hparams) else f"byte {at}"
        old = struct.unpack_from("<I", file.header, at)[0]
        for new in (0, 1, 2, old - 1, old + 1, old // 2, 2 * old, 100, 1000, MAX, 0xFFFFFFFF):
            if at == 4 and file.hparams_at == 8 and new in VERSIONS:
                continue  # The file is one for another reader.
            header = bytearray(file.header)
            struct.pack_into("<I", header, at, new & 0xFFFFFFFF)
            yield f"{name}={new & 0xFFFFFFFF}", file.write(header=header)
    chosen = random.Random(len(file.header))
    for _ in range(40 if len(file.header) > words_end else 0):
        at = chosen.randrange(words_end, len(file.header))
        yield f"header cut out at {at}", file.write(header=file.header[:at] + file.header[at + 1:])
        yield f"header filled at {at}", file.write(header=file.header[:at] + b"a" + file.header[at:])


def tensor_edits(file):
    """Yields edits of one tensor of each kind: of the first and the last block."""
    kinds = collections.defaultdict(list)
    for i, tensor in enumerate(file.tensors):
        kinds[re.sub(rb"\d+", b"#", tensor.name)].append(i)
    for i in sorted({i for members in kinds.values() for i in (members[0], members[-1])}):
        name = file.tensors[i].name.decode()

        def edited(label, change, fill=False):
            tensors = [tensor.copy() for tensor in file.tensors]
            change(tensors[i])
            if fill:
                refill(tensors[i], file.types)
            return f"{name}: {label}", file.write(tensors=tensors)

        def setter(field, value):
            return lambda tensor: setattr(tensor, field, value)

        old = file.tensors[i]
        rest = file.tensors[:i] + file.tensors[i + 1:]
        yield f"{name}: removed", file.write(tensors=rest)
        yield f"{name}: twice", file.write(tensors=file.tensors[:i] + [old] + file.tensors[i:])
        yield f"{name}: last", file.write(tensors=rest + [old])
        for label, new_name in (("renamed", old.name[:-1] + b"~"), ("more in name", old.name + b".x"),
                                ("null in name", old.name + b"\0"), ("no name", b"")):
            new = old.copy()
            new.name, new.name_length = new_name, len(new_name)
            yield f"{name}: {label}", file.write(tensors=file.tensors[:i] + [new] + file.tensors[i + 1:])
            yield f"{name}: added, {label}", file.write(tensors=file.tensors[:i] + [new] + file.tensors[i:])
        for value in (0, 1, 2, 3, 4, 5, MAX, -1):
            yield edited(f"n_dims={value}", setter("n_dims", value))
            yield edited(f"type={value}", setter("type_id", value))
        for value in (0, old.name_length - 1, old.name_length + 1, MAX, -1):
            yield edited(f"name_length={value}", setter("name_length", value))
        for value, (elements, _) in file.types.items():
            if old.dims and old.dims[0] % elements == 0:
                yield edited(f"type={value}, filled", setter("type_id", value), fill=True)
        yield edited("dims reversed", setter("dims", old.dims[::-1]))
        yield edited("a dimension more", lambda tensor: (tensor.dims.append(1), setattr(tensor, "n_dims", tensor.n_dims + 1)))
        for j, dim in enumerate(old.dims):
            for value in (0, 1, dim - 1, dim + 1, dim // 2, 2 * dim, MAX, -1):
                def resize(tensor, j=j, value=value):
                    tensor.dims[j] = value
                yield edited(f"dimension {j}={value}", resize)
                if value >= 0:
                    yield edited(f"dimension {j}={value}, filled", resize, fill=True)


def cuts(file):
    """Yields prefixes of a file, and the file with bytes after it."""
    data = file.write()
    chosen = random.Random(len(data))
    for size in sorted(chosen.sample(range(len(data)), min(25, len(data)))):
        yield f"cut at {size}", data[:size]
    for count in (1, 4, 12):
        yield f"{count} bytes more", data + bytes(count)


def single_edits(file):
    """Returns all edits of a file, without duplicates."""
    seen = {file.write()}
    result = []
    for name, data in [*header_edits(file), *tensor_edits(file), *cuts(file)]:
        if data not in seen:
            seen.add(data)
            result.append(Edit(name, data))
    return result
