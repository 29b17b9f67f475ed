"""Compares the predictions about companions with llama.cpp.

  adapters.py GGUFCHECK TINY_MODELS LLAMA_CPP [--loras N] [--vectors N]
              [--matrices N] [--drafts N] [--seed N] [--keep FOLDER]

Makes LoRA adapters, control vectors, importance matrices and draft models with
one edit each, and runs them beside their models; llama-quantize, which only
Debian has, reads importance matrices.  Prints where what llama.cpp does differs
from the prediction.

Exits with 1 if more than one companion in 200 of a kind differs, or if one that
kills llama.cpp passes the profile upload.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import concurrent.futures
import os
import random
import struct
import subprocess
import sys
import tempfile

import consistent
import gguf_file as gguf
import loader
from gguf_file import ARR, BOOL, F32, F64, I32, STR, TENSOR_TYPES, U16, U32, U64
from mutate_models import Mutator
from test_loader import compare_variants, show

MOST = 1 / 200
BASES = ["bert", "codeshell", "command-r", "deepseek2", "falcon", "gemma", "gemma3n", "gpt2", "gpt-oss", "kimi-linear",
         "llama", "mamba", "olmoe", "phi3", "qwen2", "qwen3moe", "rwkv7", "starcoder2", "t5", "wavtokenizer-dec"]  # fmt: skip
OTHERS = [b"llama", b"qwen2", b"gemma", b"unknown", b"", b"LLAMA", b"controlvector"]
QUANTIZED = ["Q4_0", "Q8_0", "MXFP4", "Q4_K"]
TYPES = ["F32", "F16", "BF16", "I8", "I16", "I32", "I64", "F64", *QUANTIZED]
LAYERS = ["0", "2", "3", "9", "512", "513", "100000", "268435456", "536870912", "2147483647", "2147483648", "-1", "01", "+1",
          " 1", "1x", "1.5", "1.weight", "x", "", "0x1", "99999999999999999999"]  # fmt: skip
EXTRA = [("split.count", U16, 2), ("split.no", U16, 0), ("general.alignment", U32, 64), ("general.alignment", U32, 48),
         ("general.file_type", STR, b"x"), ("llama.block_count", U32, 1 << 30), ("x.y", U64, 1)]  # fmt: skip
NAN, INFINITY = float("nan"), float("inf")


def _file(keys, tensors):
    return gguf.GgufFile([gguf.Key(*key) for key in keys], tensors)


class Editor(Mutator):
    """Makes one edit to a companion; the same numbers make the same edit."""

    def edit(self, operators):
        while not self.what:
            self.change([*operators, *self.COMMON])
        return self.what[0]

    def set_architecture(self):
        value = self.numbers.choice([*OTHERS, None, 1])
        if value is None:
            self.model.remove("general.architecture")
        else:
            self.model.set("general.architecture", U32 if value == 1 else STR, value)
        return f"architecture {value}"

    def set_type(self):
        key = self.numbers.choice([key for key in self.model.keys if key.name in ("general.type", "adapter.type")] or [None])
        if key:
            key.value = self.numbers.choice([b"model", b"adapter", b"Adapter", b"imatrix", b"lora", b"dora", b"mmproj", b""])
            return "set " + key.text()

    def add_extra(self):
        self.model.set(*self.numbers.choice(EXTRA))
        return "add " + self.model.keys[-1].text()

    def no_tensors(self):
        self.model.tensors = []
        return "no tensors"

    def retype(self):
        tensor = self._tensor()
        if tensor:
            kinds = [kind for kind in TYPES if tensor.dims[0] % gguf.TENSOR_SIZES[TENSOR_TYPES[kind]][0] == 0]
            kind = self.numbers.choice(kinds)
            tensor.kind = TENSOR_TYPES[kind]
            return f"{tensor.name} of {kind}"

    def resize(self):
        tensor = self._tensor()
        if tensor:
            before, at = list(tensor.dims), self.numbers.randrange(len(tensor.dims))
            tensor.dims[at] = self.numbers.choice([0, 1, tensor.dims[at] * 2, tensor.dims[at] + 1])
            return f"{tensor.name} {before} to {tensor.dims}"

    # Of LoRA adapters.

    def _pair(self):
        return self.model.tensors[:2]

    def set_rank(self):
        rank = self.numbers.choice([0, 1, 3, 8, 32, 64])
        a, b = self._pair()
        a.dims[0 if a.name.endswith("token_embd.weight.lora_a") else 1] = b.dims[0] = rank
        return f"{a.name} and B of rank {rank}"

    def retype_pair(self):
        kind = self.numbers.choice(TYPES[:8])
        for tensor in self._pair():
            tensor.kind = TENSOR_TYPES[kind]
        return f"{self.model.tensors[0].name} and B of {kind}"

    def set_experts(self):
        tensors = self.numbers.choice([self._pair(), self._pair()[:1], self._pair()[1:]])
        experts = self.numbers.choice([[1], [2], [4], [1, 2]])
        for tensor in tensors:
            tensor.dims[2:] = experts
        return f"{tensors[0].name} {tensors[0].dims}" + (" and B" if len(tensors) > 1 else "")

    def transpose(self):
        for tensor in self._pair():
            tensor.dims[:2] = tensor.dims[1::-1]
        return self.model.tensors[0].name + " and B transposed"

    def other_end(self):
        tensor = self._tensor()
        before, end = tensor.name, self.numbers.choice(["", ".LORA_A", ".lora_c", ".lora_a.x", "_norm.weight"])
        tensor.name = before[:-7] + end
        return f"{before} named {tensor.name}"

    def add_norm(self):
        self.model.tensors.append(gguf.Tensor(self.numbers.choice(["output_norm.weight", "blk.0.attn_norm.weight"]), [7]))
        return "add " + self.model.tensors[-1].name

    def set_tokens(self):
        kind, values = self.numbers.choice([(U32, [1, 2]), (U32, []), (U32, [2**32 - 1]), (I32, [1]), (STR, [b"1"]), (U64, [1])])
        self.model.set("adapter.alora.invocation_tokens", ARR, values, kind)
        return "add " + self.model.keys[-1].text()

    def set_alpha(self):
        kind, value = self.numbers.choice([(F32, NAN), (F32, 0.0), (F32, INFINITY), (F64, 8.0), (U32, 8), (STR, b"8"), (BOOL, True)])
        self.model.set("adapter.lora.alpha", kind, value)
        return "set " + self.model.key("adapter.lora.alpha").text()

    # Of control vectors.

    def set_layer(self):
        tensor = self._tensor()
        tensor.name = "direction." + self.numbers.choice(LAYERS)
        return tensor.name

    def set_name(self):
        tensor = self._tensor()
        before, tensor.name = tensor.name, self.numbers.choice(["direction", "Direction.1", "x.direction.1", "other", "directions.1"])
        return f"{before} named {tensor.name}"

    def add_direction(self):
        dims = self.numbers.choice([[self.model.tensors[0].dims[0]], [16], [0], [1]])
        self.model.tensors.append(gguf.Tensor("direction." + self.numbers.choice(["2", "01", "3"]), dims))
        return f"add {self.model.tensors[-1].name} {dims}"

    def set_length(self):
        length = self.numbers.choice([0, 1, 16, 64])
        for tensor in self.model.tensors:
            tensor.dims = self.numbers.choice([[length], [length, 1], [1, length]])
        return f"length {length}"

    # Of importance matrices.

    def set_values(self):
        tensor = self._tensor()
        values = [self.numbers.choice([0.0, 1.0, -1.0, NAN, INFINITY, -INFINITY, 1e30, 1e-30])] * (tensor.size() // 4)
        tensor.data = struct.pack(f"<{len(values)}f", *values)
        return f"{tensor.name} of {values[0]}"

    def set_rows(self):
        sums, counts = self.model.tensors[:2]
        rows = self.numbers.choice([0, 1, 2, 3])
        for tensor in self.numbers.choice([[sums], [counts], [sums, counts]]):
            tensor.dims = [tensor.dims[0], rows]
        return f"{sums.name} {sums.dims}, counts {counts.dims}"

    def other_entry(self):
        name = self.numbers.choice(["token_embd.weight", "output_norm.weight", "blk.9.attn_q.weight", "x", "blk.0.attn_norm.weight"])
        length = self.numbers.choice([8, 32, 320])
        parts = self.numbers.choice([[0, 1], [0, 1], [0], [1], [2]])
        dims = [[length, 1], [1, 1], [length, 1]]
        self.model.tensors += [gguf.Tensor(name + PARTS[part], dims[part]) for part in parts]
        return f"add {name} {length}: {parts}"

    COMMON = [(set_architecture, 2), (set_type, 2), (add_extra, 1), (no_tensors, 0.3), (retype, 3),
              (resize, 2), (Mutator.remove_key, 2), (Mutator.retype_key, 2), (Mutator.set_key, 1), (Mutator.remove_tensor, 2),
              (Mutator.rename_tensor, 2), (Mutator.reshape_tensor, 2)]  # fmt: skip
    LORA = [(set_rank, 3), (retype_pair, 3), (set_experts, 3), (transpose, 1), (other_end, 1), (add_norm, 1), (set_tokens, 1),
            (set_alpha, 1)]  # fmt: skip
    VECTOR = [(set_layer, 8), (set_name, 2), (add_direction, 3), (set_length, 2)]
    MATRIX = [(set_values, 5), (set_rows, 4), (other_entry, 4)]


PARTS = [".in_sum2", ".counts", ".in_sum"]


class Companions:
    """Files with one edit each, in a folder for each base."""

    def __init__(self, kind, folder, seed):
        self.kind, self.folder, self.seed = kind, os.path.join(folder, kind), seed
        self.written, self.bases, self.jobs = {}, {}, []

    def numbers(self, index):
        return random.Random(f"{self.kind}/{self.seed}/{index}")

    def path(self, index, base, kind=""):
        name = os.path.basename(base)[: -len(".gguf")]
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        self.bases[folder] = base
        path = os.path.join(folder, f"{index:05}.gguf")
        self.jobs.append((path, kind or self.kind, base))
        return path

    def add(self, index, base, file, operators):
        editor = Editor(file, self.numbers(index))
        what = editor.edit(operators)
        path = self.path(index, base)
        with open(path, "wb") as out:
            out.write(editor.model.build())
        self.written[path] = what


def _bases(options, folder):
    """Writes models with and without an output matrix; returns those that llama.cpp runs."""
    os.makedirs(folder, exist_ok=True)
    files = {}
    consistent.write_variants(options.tiny_models, [(name, os.path.join(folder, name + ".gguf"), {}) for name in BASES])
    for name in BASES:
        model = gguf.read(os.path.join(folder, name + ".gguf"))
        output, embeddings = model.tensor("output.weight"), model.tensor("token_embd.weight")
        for tied in ["tied", "untied"]:
            variant = model.copy()
            variant.tensors = [tensor for tensor in variant.tensors if tensor.name != "output.weight"]
            if tied == "untied":
                variant.tensors.append(output or gguf.Tensor("output.weight", embeddings.dims))
            path = os.path.join(folder, f"{name}-{tied}.gguf")
            with open(path, "wb") as out:
                out.write(variant.build())
            files[path] = variant
    verdicts = loader.load_all(options.llama_cpp, list(files))
    return [(path, files[path]) for path in sorted(files) if verdicts[path].did == "takes"]


def _matrices_of(tensor, rank):
    """Returns the dimensions of A and B for a tensor."""
    length, rows, *experts = [*tensor.dims, 1, 1][: max(2, len(tensor.dims))]
    if tensor.name.endswith("token_embd.weight"):
        return [rank, rows], [rank, length]
    return [length, rank, *experts], [rank, rows, *experts]


def loras(options, folder):
    """Writes LoRA adapters for one or two tensors of each base."""
    found, bases = Companions("lora", folder, options.seed), _bases(options, os.path.join(folder, "bases"))
    for index in range(options.loras):
        path, base = bases[index % len(bases)]
        numbers = found.numbers(index)
        keys = [("general.architecture", STR, base.architecture.encode()), ("general.type", STR, b"adapter"),
                ("adapter.type", STR, b"lora"), ("adapter.lora.alpha", F32, 8.0)]  # fmt: skip
        matrices = [tensor for tensor in base.tensors if len(tensor.dims) > 1]
        embeddings = [tensor for tensor in matrices if tensor.name == "token_embd.weight"]
        chosen = embeddings[:1] if numbers.random() < 0.2 and embeddings else numbers.sample(matrices, numbers.choice([1, 1, 2]))
        tensors, rank = [], numbers.choice([1, 2, 4, 32])
        for tensor in chosen:
            for end, dims in zip((".lora_a", ".lora_b"), _matrices_of(tensor, rank)):
                tensors.append(gguf.Tensor(tensor.name + end, dims))
        found.add(index, path, _file(keys, tensors), Editor.LORA)
    return found


def vectors(options, folder):
    """Writes control vectors for a llama of two blocks of width 8."""
    found, bases = Companions("control-vector", folder, options.seed), os.path.join(folder, "bases")
    for index in range(options.vectors):
        keys = [("general.architecture", STR, b"controlvector"), ("controlvector.model_hint", STR, b"llama"),
                ("controlvector.layer_count", I32, 1)]  # fmt: skip
        tensors = [gguf.Tensor("direction.1", [8])]
        found.add(index, os.path.join(bases, "llama-untied.gguf"), _file(keys, tensors), Editor.VECTOR)
    return found


def matrices(options, folder):
    """Writes importance matrices for a llama and for a model of experts, both of width 32."""
    found, bases = Companions("importance-matrix", folder, options.seed), []
    changes = {"{arch}.embedding_length": "u32 32", "{arch}.rope.dimension_count": "u32 16"}
    for name in ["llama", "qwen3moe"]:
        bases.append(os.path.join(folder, "bases", name + "-wide.gguf"))
        consistent.write_variants(options.tiny_models, [(name, bases[-1], changes)])
    files = [gguf.read(path) for path in bases]
    for index in range(options.matrices):
        keys = [("general.type", STR, b"imatrix"), ("imatrix.datasets", ARR, [b"x"], STR), ("imatrix.chunk_count", U32, 4),
                ("imatrix.chunk_size", U32, 32)]  # fmt: skip
        covered = [tensor for tensor in files[index % 2].tensors if tensor.name.startswith("blk.") and len(tensor.dims) > 1]
        tensors = []
        for tensor in found.numbers(index).sample(covered, 3):
            experts = (tensor.dims[2:] or [1])[0]
            for end, dims in zip(PARTS, [[tensor.dims[0], experts], [1, experts]]):
                data = struct.pack("<f", 4.0) * (dims[0] * dims[1])
                tensors.append(gguf.Tensor(tensor.name + end, dims, data=data))
        found.add(index, bases[index % 2], _file(keys, tensors), Editor.MATRIX)
    return found


EAGLE3 = {"{arch}.target_hidden_size": "u32 8", "{arch}.target_layers": "i32 [0 1 2]"}
DFLASH = {"{arch}.target_layers": "i32 [0 1 2]"}
HEAD = {"{arch}.block_count": "u32 3", "{arch}.nextn_predict_layers": "u32 1"}
EDITS = {
    "{arch}.block_count": ["u32 1", "u32 2", "u32 3", "u32 0"],
    "{arch}.attention.head_count": ["u32 1", "u32 4", "u32 0"],
    "{arch}.attention.key_length": ["u32 4", "u32 8"],
    "{arch}.attention.value_length": ["u32 4", "u32 8"],
    "{arch}.feed_forward_length": ["u32 16", "u32 0"],
    "{arch}.vocab_size": ["u32 10", "u32 12"],
}
LAYERS_READ = {"{arch}.target_layers": ["i32 [0 1]", "i32 [0 0 1 1]", "i32 [2 1 0]", "u32 3"]}
BLOCKS = {"{arch}.block_size": ["u32 0", "u32 4", "u32 1"], "{arch}.embedding_length": ["u32 8", "u32 16", "u32 4"]}
HEAD_EDITS = {"{arch}.embedding_length": ["u32 8"], "{arch}.feed_forward_length": ["u32 16", "u32 0"]}
# Kind, architecture, the keys with which it fits its target, the target, and edits: none of
# which has an effect after a context was made, which is not tried.
DRAFTS = [
    ("draft", "eagle3", EAGLE3, "llama", {**EDITS, **LAYERS_READ}),
    ("draft", "dflash", DFLASH, "llama", {**EDITS, **LAYERS_READ, **BLOCKS}),
    ("mtp", "qwen35", HEAD, "qwen35", HEAD_EDITS),
    ("draft", "dflash", DFLASH, "llama", {**LAYERS_READ, **BLOCKS}),
    ("mtp", "glm4moe", HEAD, "glm4moe", HEAD_EDITS),
]
DRAFT_TENSORS = {
    "eagle3": [("output.weight", [8, 10]), ("d2t", [10])],
    "dflash": [("markov_w1.weight", [4, 10]), ("markov_w2.weight", [4, 10])],
}


def drafts(options, folder):
    """Writes draft models with another value, or other tensors."""
    found, bases, variants, parts = Companions("draft", folder, options.seed), os.path.join(folder, "bases"), [], {}
    for index in range(options.drafts):
        numbers = found.numbers(index)
        kind, name, keys, target, edits = DRAFTS[index % len(DRAFTS)]
        base = os.path.join(bases, target + "-target.gguf")
        key = numbers.choice(list(edits))
        change = {key: numbers.choice(edits[key])}
        tensors = [(*tensor, numbers.choice(["I64", "I32", "F32"]) if tensor[0] == "d2t" else "F32")
                   for tensor in DRAFT_TENSORS.get(name, []) if index % 2]  # fmt: skip
        path = found.path(index, base, kind)
        variants.append((name, path, {**keys, **change}))
        parts[path] = tensors
        found.written[path] = f"{name}: {change} {tensors}"
    targets = {name: (name, os.path.join(bases, name + "-target.gguf"), {}) for _, _, _, name, _ in DRAFTS}
    consistent.write_variants(options.tiny_models, [*targets.values(), *variants])
    for path, tensors in parts.items():
        draft = gguf.read(path)
        draft.tensors += [gguf.Tensor(tensor, dims, TENSOR_TYPES[kind]) for tensor, dims, kind in tensors]
        with open(path, "wb") as out:
            out.write(draft.build())
    return found


def quantize(llama_cpp, job):
    """Returns what llama-quantize does with an importance matrix."""
    path, _, base = job
    out = path + ".out"
    program = os.path.join(llama_cpp, "usr/bin/llama-quantize")
    command = [*loader.linker(llama_cpp), program, "--imatrix", path, base, out, "Q8_0", "1"]
    backends = os.path.join(os.path.dirname(loader.library(llama_cpp)), "ggml/backends0")
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1", "GGML_BACKEND_PATH": os.path.join(backends, "libggml-cpu-x64.so")}
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, env=environment)
    if os.path.exists(out):
        os.remove(out)
    lines = [line for line in (run.stdout + run.stderr).splitlines() if "failed to enumerate" not in line]
    if run.returncode < 0:
        return loader.Verdict("dies", "load", [*lines, f"signal {-run.returncode}"])
    return loader.Verdict("refuses" if run.returncode else "takes", "load", lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ggufcheck")
    parser.add_argument("tiny_models")
    parser.add_argument("llama_cpp")
    parser.add_argument("--loras", type=int, default=500)
    parser.add_argument("--vectors", type=int, default=200)
    parser.add_argument("--matrices", type=int, default=200)
    parser.add_argument("--drafts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ggufcheck-adapters-") as temporary:
        sys.exit(compare(options, options.keep or temporary))


def compare(options, folder):
    """Returns the exit code."""
    def load(jobs):
        return loader.load_all(options.llama_cpp, jobs, progress=show)

    def quantize_all(jobs):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = pool.map(lambda job: quantize(options.llama_cpp, job), jobs)
            return {job[0]: verdict for job, verdict in zip(jobs, verdicts)}

    kinds = [(loras, load), (drafts, load)]
    if loader.is_debian(options.llama_cpp):  # The only one with a loader of control vectors, and with llama-quantize.
        kinds += [(vectors, load), (matrices, quantize_all)]
    failed, version = False, loader.version(options.llama_cpp)
    for make, run in kinds:
        found = make(options, folder)
        folders = {each: ["--weights", "--base", base] for each, base in found.bases.items()}
        failed |= compare_variants(make.__name__, options.ggufcheck, lambda paths, run=run, found=found: run(found.jobs),
                                   found.written, folders, version, MOST)  # fmt: skip
    return 1 if failed else 0


if __name__ == "__main__":
    main()
