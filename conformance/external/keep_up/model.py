"""Models of which keys and tensors are known by name, to be varied.

SPDX-License-Identifier: Apache-2.0
"""

import re

import wasm_loader  # For the path of gguf_file.  # noqa: F401

import gguf_file as gguf

TYPES = {name: number for number, name in enumerate(gguf.TYPE_NAMES)}


class Model:
    """Keys are {name: (type, value)}, where the value of an array is a tuple; tensors are {name: dims}.

    `types` are those of tensors that are not F32, by name.
    """

    def __init__(self, keys=(), tensors=(), types=()):
        self.keys, self.tensors, self.types = dict(keys), dict(tensors), dict(types)

    def copy(self):
        return Model(self.keys, self.tensors, self.types)

    def with_key(self, name, kind, value):
        model = self.copy()
        model.keys[name] = (kind, value)
        return model

    def with_tensors(self, tensors):
        return Model(self.keys, {**self.tensors, **tensors}, self.types)

    def without(self, name):
        model = self.copy()
        model.keys.pop(name, None)
        model.tensors.pop(name, None)
        return model

    def value(self, name, otherwise=None):
        return self.keys[name][1] if name in self.keys else otherwise

    def build(self):
        """Returns the contents of the file."""
        keys = []
        for name, (kind, value) in self.keys.items():
            if isinstance(value, tuple):
                elements = [convert(one, kind) for one in value]
                keys.append(gguf.Key(name, gguf.ARR, elements, TYPES[kind]))
            else:
                keys.append(gguf.Key(name, TYPES[kind], convert(value, kind)))
        kinds = {name: gguf.TENSOR_TYPES[kind] for name, kind in self.types.items()}
        tensors = [gguf.Tensor(name, dims, kinds.get(name, 0)) for name, dims in self.tensors.items()]
        return gguf.GgufFile(keys, tensors).build()


def of_file(file):
    """Returns a GgufFile as a Model."""
    keys = {}
    for key in file.keys:
        if key.kind == gguf.ARR:
            keys[key.name] = (gguf.TYPE_NAMES[key.elements], tuple(key.value))
        else:
            text = isinstance(key.value, bytes)
            keys[key.name] = (gguf.TYPE_NAMES[key.kind], key.value.decode("latin-1") if text else key.value)
    names = {number: name for name, number in gguf.TENSOR_TYPES.items()}
    types = {tensor.name: names[tensor.kind] for tensor in file.tensors if tensor.kind}
    return Model(keys, {tensor.name: tuple(tensor.dims) for tensor in file.tensors}, types)


def convert(value, kind):
    """Returns a value as one of this type, as Key has it."""
    if kind == "str":
        return str(value).encode()
    if isinstance(value, str):
        value = 1
    return float(value) if kind in ("f32", "f64") else int(value)


def folded(name):
    """Returns the name of a tensor with %d for the block's number."""
    return re.sub(r"(?<=\.)\d+(?=\.)", "%d", name)


def block(name):
    """Returns the number of the block in a tensor's name, or None."""
    found = re.search(r"\.(\d+)\.", name)
    return int(found[1]) if found else None


def trimmed(dims):
    """Returns dimensions without the last ones that are 1."""
    dims = tuple(dims)
    while len(dims) > 1 and dims[-1] == 1:
        dims = dims[:-1]
    return dims
