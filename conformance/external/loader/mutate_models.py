"""Changes small models at random, in what a loader looks at.

SPDX-License-Identifier: Apache-2.0
"""

import math
import os
import random
import re

import gguf_file as gguf
from gguf_file import ARR, BOOL, F32, F64, I32, INTEGERS, STR, U32, U64

HERE = os.path.dirname(os.path.abspath(__file__))
SCALARS = [kind for kind in range(13) if kind not in (STR, ARR)]
EDGES = [0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 255, 256, 511, 512, 513, 1024, 1025, 4096, 4097,
         65535, 2**31 - 1, 2**31, 2**32 - 1, -1]  # fmt: skip
REAL_EDGES = [0.0, -1.0, 1e-5, 0.5, 1.0, 7.0, 1e30, math.inf, math.nan]
TEXTS = [b"", b"none", b"linear", b"yarn", b"longrope", b"unknown", b"gpt2", b"llama", b"\xff\0"]
TYPES = ["F16", "BF16", "Q4_0", "Q8_0", "Q4_K", "IQ2_XXS", "MXFP4", "NVFP4", "I32", "F64"]
SUFFIXES = [".weight", ".bias", ".scale", ".input_scale"]
BYTES = [f"<0x{byte:02X}>".encode() for byte in range(256)]


def table(name):
    """Returns the rows of a table of conformance/tables as dictionaries."""
    with open(os.path.join(HERE, "../../tables", name + ".tsv"), encoding="utf-8") as text:
        lines = [line.rstrip("\n").split("\t") for line in text if line[0] not in "#\n"]
    header = [re.match(r"\w+", column)[0] for column in lines[0]]
    return [dict(zip(header, line + [""] * len(header))) for line in lines[1:]]


def _known_keys():
    """Returns names and types of the keys that llama.cpp reads in models."""
    rows = [row for row in table("standard_keys") if row["reading"] in ("model", "vocabulary")]
    return [(row["key"], row["loader"]) for row in rows]


KNOWN_KEYS = _known_keys()


class Mutator:
    """Makes variants of a model; the same numbers make the same variants."""

    def __init__(self, model, numbers):
        self.model, self.numbers = model.copy(), numbers
        self.what = []
        self.shards = 1

    def change(self, operators=None):
        """Applies an operator; returns False if it found nothing to change."""
        operators, weights = zip(*(operators or OPERATORS))
        operator = self.numbers.choices(operators, weights)[0]
        what = operator(self)
        if what:
            self.what.append(what)
        return bool(what)

    def _key(self, wanted=lambda key: True):
        keys = [key for key in self.model.keys if key.name != "general.architecture" and wanted(key)]
        return self.numbers.choice(keys) if keys else None

    def _tensor(self):
        return self.numbers.choice(self.model.tensors) if self.model.tensors else None

    # Keys.

    def remove_key(self):
        key = self._key()
        if key:
            self.model.remove(key.name)
            return f"no {key.name}"

    def retype_key(self):
        key = self._key()
        if not key:
            return None
        before = key.type_name()
        if key.kind == ARR:
            if self.numbers.random() < 0.5:
                key.kind = key.elements = self.numbers.choice(SCALARS + [STR])
                key.value = _convert(key.value[0] if key.value else 0, key.kind)
            else:
                key.elements = self.numbers.choice(SCALARS + [STR])
                key.value = [_convert(value, key.elements) for value in key.value]
        elif self.numbers.random() < 0.3:
            count = self.numbers.choice([1, self._blocks(), self._blocks() + 1, 4])
            key.elements = key.kind if self.numbers.random() < 0.7 else self.numbers.choice(SCALARS)
            key.kind, key.value = ARR, [_convert(key.value, key.elements)] * count
        else:
            key.kind = self.numbers.choice(SCALARS + [STR])
            key.value = _convert(key.value, key.kind)
        return f"{key.name} {before} to {key.type_name()}"

    def set_key(self):
        key = self._key()
        if not key:
            return None
        if key.kind == ARR:
            if not key.value:
                return None
            at = self.numbers.randrange(len(key.value))
            key.value[at] = self._value(key.elements, key.value[at])
        else:
            key.value = self._value(key.kind, key.value)
        return "set " + key.text()

    def add_key(self):
        name, types = self.numbers.choice(KNOWN_KEYS)
        if name.startswith("tokenizer.") or "{n}" in name or "{any}" in name:
            return None
        name = name.replace("{arch}", self.model.architecture)
        kind = re.split(r"[,|\[\]]", types.replace("arr[", ""))[0]
        kind = gguf.TYPE_NAMES.index(kind) if kind in gguf.TYPE_NAMES else U32
        if self.numbers.random() < 0.2:
            kind = self.numbers.choice(SCALARS + [STR])
        if "arr" in types and self.numbers.random() < 0.5 and kind != ARR:
            count = self.numbers.choice([self._blocks()] * 3 + [self._blocks() - 1, 4])
            values = [self._value(kind, 0) for _ in range(max(count, 0))]
            self.model.set(name, ARR, values, kind)
        else:
            self.model.set(name, kind, self._value(kind, self.numbers.choice([1, 2, 4])))
        return "add " + self.model.key(name).text()

    def resize_array(self):
        key = self._key(lambda key: key.kind == ARR)
        if not key:
            return None
        length = len(key.value)
        new = self.numbers.choice([0, 1, length - 1, length + 1, length * 2, 513])
        key.value = [key.value[i % length] for i in range(max(0, new))] if length else [0]
        if key.elements == STR and not length:
            key.value = [b"x"]
        return f"{key.name}: {length} to {len(key.value)} elements"

    def _value(self, kind, value):
        if kind == STR:
            return self.numbers.choice(TEXTS)
        if kind == BOOL:
            return not value
        if kind in (F32, F64):
            return self.numbers.choice(REAL_EDGES)
        near = [value - 1, value + 1, value * 2, value // 2] if isinstance(value, int) else [1]
        return self.numbers.choice(near if self.numbers.random() < 0.5 else EDGES)

    def _blocks(self):
        key = self.model.key(self.model.architecture + ".block_count")
        return key.value if key and key.kind in INTEGERS and 0 < key.value < 600 else 2

    # Tensors.

    def remove_tensor(self):
        tensor = self._tensor()
        if tensor:
            self.model.tensors.remove(tensor)
            return "no " + tensor.name

    def rename_tensor(self):
        tensor = self._tensor()
        if not tensor:
            return None
        before = tensor.name
        tensor.name = self._other_name(before)
        return f"{before} named {tensor.name}"

    def copy_tensor(self):
        tensor = self._tensor()
        if not tensor:
            return None
        dims = tensor.dims if self.numbers.random() < 0.4 else tensor.dims[1:2] or [1]
        name = self._other_name(tensor.name)
        if self.model.tensor(name):
            return None
        self.model.tensors.append(gguf.Tensor(name, dims))
        return f"add {name} {dims}"

    def _other_name(self, name):
        way = self.numbers.randrange(4)
        if way == 0 and gguf.block_of(name) is not None:
            block = self.numbers.choice([0, 1, self._blocks(), 511])
            return re.sub(r"blk\.\d+\.", f"blk.{block}.", name)
        if way == 1:
            return name.rsplit(".", 1)[0] + self.numbers.choice(SUFFIXES)
        if way == 2:
            other = self._tensor().name.rsplit(".", 1)[0]
            return other + self.numbers.choice(SUFFIXES)
        at = self.numbers.randrange(len(name))
        return name[:at] + self.numbers.choice("x._0") + name[at + 1 :]

    def reshape_tensor(self):
        tensor = self._tensor()
        if not tensor:
            return None
        before = list(tensor.dims)
        way = self.numbers.randrange(5)
        at = self.numbers.randrange(len(before))
        if way == 0:
            tensor.dims[at] += self.numbers.choice([-1, 1])
        elif way == 1:
            tensor.dims.reverse()
        elif way == 2 and len(before) < 4:
            tensor.dims.append(self.numbers.choice([1, 1, 2]))
        elif way == 3:
            tensor.dims = [math.prod(before)]
        else:
            tensor.dims[at] *= 2
        return None if tensor.dims == before else f"{tensor.name} {before} to {tensor.dims}"

    def retype_tensor(self):
        tensor = self._tensor()
        if not tensor:
            return None
        kind = self.numbers.choice(TYPES)
        if tensor.dims[0] % gguf.TENSOR_SIZES[gguf.TENSOR_TYPES[kind]][0]:
            kind = self.numbers.choice(["F16", "BF16", "I32", "F64"])
        tensor.kind = gguf.TENSOR_TYPES[kind]
        return f"{tensor.name} of {kind}"

    # The tokenizer.

    def vary_tokenizer(self):
        """Gives the model a small vocabulary of its size."""
        size = self.model.key(self.model.architecture + ".vocab_size")
        size = size.value if size and size.kind == U32 and 0 < size.value < 600 else 10
        name = self.numbers.choice(["llama", "gpt2", "bert", "t5", "rwkv", "plamo2", "gemma4"])
        tokens = self._tokens(name, size)
        self.model.set("tokenizer.ggml.model", STR, name.encode())
        self.model.set("tokenizer.ggml.tokens", ARR, tokens, STR)
        if name in ("llama", "t5", "plamo2") or self.numbers.random() < 0.3:
            self.model.set("tokenizer.ggml.scores", ARR, [0.5] * size, F32)
            self.model.set("tokenizer.ggml.token_type", ARR, [1] * size, I32)
        if name in ("gpt2", "gemma4"):
            self.model.set("tokenizer.ggml.merges", ARR, [b"a b", b"b c"], STR)
        if name == "gpt2":
            pre = self.numbers.choice([b"default", b"llama-bpe", b"qwen2", b"unknown"])
            self.model.set("tokenizer.ggml.pre", STR, pre)
        what = f"tokenizer {name}"
        for _ in range(self.numbers.choice([0, 1, 1, 2])):
            what += self._fault(size)
        return what

    def _tokens(self, name, size):
        tokens = [b"<unk>", b"<s>", b"</s>"] + [b"t%d" % i for i in range(600)]
        if name == "plamo2":
            tokens = BYTES + tokens
        if name == "llama" and self.numbers.random() < 0.5:
            tokens[3] = b"<0x0A>"
        return tokens[:size]

    def _fault(self, size):
        tokens = self.model.key("tokenizer.ggml.tokens").value
        at = self.numbers.randrange(len(tokens))
        kinds = self.model.key("tokenizer.ggml.token_type")
        way = self.numbers.randrange(8)
        if way == 0:
            tokens[at] = self.numbers.choice(tokens)
            return ", a token twice"
        if way == 1:
            tokens[at] = b""
            return ", an empty token"
        if way == 2 and len(tokens) > 1:
            tokens.pop()
            return ", a token less"
        if way == 3 and kinds:
            kinds.value[at % len(kinds.value)] = self.numbers.choice([0, 2, 3, 4, 5, 6, 7, -1])
            return ", a token of another type"
        if way == 4:
            role = self.numbers.choice(["bos", "eos", "unknown", "eot", "padding", "mask", "seperator"])
            value = self.numbers.choice([0, size - 1, size, 2**32 - 1])
            self.model.set(f"tokenizer.ggml.{role}_token_id", U32, value)
            return f", {role} {value}"
        if way == 5:
            key = self._key(lambda key: key.name.startswith("tokenizer.ggml."))
            if key.name == "tokenizer.ggml.tokens":
                del key.value[1:]
                return ", one token"
            self.model.remove(key.name)
            return f", no {key.name}"
        if way == 6 and self.model.key("tokenizer.ggml.merges"):
            merges = self.model.key("tokenizer.ggml.merges").value
            merges[0] = self.numbers.choice([b"ab", b"", b"a  b", b" a", b"a b c"])
            return f", a merge {merges[0]!r}"
        self.model.set("tokenizer.ggml.add_bos_token", BOOL, True)
        return ", add_bos_token"

    # Shards.

    def split(self):
        self.shards = self.numbers.choice([2, 3])
        return f"{self.shards} shards"

    def files(self, name):
        """Returns the names and contents of the files of the variant."""
        if self.shards == 1:
            return [(name + ".gguf", self.model.build())]
        names = [f"{name}-{i + 1:05}-of-{self.shards:05}.gguf" for i in range(self.shards)]
        shards = self._split()
        fault = self.numbers.randrange(8)
        if fault == 0:
            shards[-1].set("split.no", gguf.U16, self.numbers.choice([0, 5]))
        elif fault == 1:
            shards[0].set("split.count", gguf.U16, self.numbers.choice([1, self.shards + 1]))
        elif fault == 2:
            shards[0].set("split.tensors.count", I32, len(self.model.tensors) + 1)
        elif fault == 3:
            shard = self.numbers.choice(shards)
            shard.remove(self.numbers.choice(["split.no", "split.count", "split.tensors.count"]))
        elif fault == 4:
            names, shards = names[:-1], shards[:-1]
        elif fault == 5 and shards[1].tensors:
            shards[1].tensors.pop()
        self.what.append(f"fault {fault} of the shards")
        return [(name, shard.build()) for name, shard in zip(names, shards)]

    def _split(self):
        tensors = self.model.tensors
        step = -(-len(tensors) // self.shards) or 1
        shards = []
        for i in range(self.shards):
            keys = self.model.copy().keys if i == 0 else []
            shard = gguf.GgufFile(keys, tensors[i * step : (i + 1) * step])
            shard.set("split.no", gguf.U16, i)
            shard.set("split.count", gguf.U16, self.shards)
            shard.set("split.tensors.count", I32, len(tensors))
            shards.append(shard)
        return shards


def _convert(value, kind):
    """Returns a value of another type, as close as possible."""
    if kind == STR:
        return value if isinstance(value, bytes) else str(value).encode()
    if isinstance(value, bytes):
        value = 1
    if kind in (F32, F64):
        return float(value)
    if kind == BOOL:
        return bool(value)
    return int(value) if math.isfinite(value) else 0


OPERATORS = [
    (Mutator.remove_key, 3),
    (Mutator.retype_key, 3),
    (Mutator.set_key, 5),
    (Mutator.add_key, 5),
    (Mutator.resize_array, 2),
    (Mutator.remove_tensor, 2),
    (Mutator.rename_tensor, 2),
    (Mutator.copy_tensor, 3),
    (Mutator.reshape_tensor, 3),
    (Mutator.retype_tensor, 2),
    (Mutator.vary_tokenizer, 3),
    (Mutator.split, 1),
]


def variant(models, index, seed):
    """Returns variant number `index` of the models."""
    numbers = random.Random(f"{seed}/{index}")
    mutator = Mutator(models[index % len(models)], numbers)
    wanted = numbers.choice([1, 1, 1, 2])
    while len(mutator.what) < wanted:
        mutator.change()
    return mutator
