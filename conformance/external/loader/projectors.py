"""Compares predictions about projectors with llama.cpp's libmtmd.

  projectors.py GGUFCHECK TINY_MODELS LLAMA_CPP [--count N] [--seed N] [--type NAME] [--keep FOLDER]

The corpus has the smallest projector of each type, adapters/valid-projector-NAME.  Runs them, and variants of them
with one change each, beside models of their width.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile

import gguf_file as gguf
import loader
import test_loader
from mutate_models import Mutator

PREFIX = "valid-projector-"
CASES = os.path.join(test_loader.HERE, "../../../corpus/cases")
OPERATORS = [
    (Mutator.remove_key, 2),
    (Mutator.retype_key, 3),
    (Mutator.set_key, 4),
    (Mutator.resize_array, 1),
    (Mutator.remove_tensor, 4),
    (Mutator.reshape_tensor, 4),
    (Mutator.retype_tensor, 3),
]
# Of the models beside projectors.
TOKENS = [b"<unk>", b"<s>", b"</s>", *(f"<0x{byte:02X}>".encode() for byte in range(256))]


def write_base(tiny_models, path, width):
    """Writes a model of this width with a tokenizer."""
    values = ["llama.embedding_length", f"u32 {width}", "llama.rope.dimension_count", f"u32 {width // 2}",
              "llama.vocab_size", f"u32 {len(TOKENS)}"]  # fmt: skip
    line = "\t".join(["llama", path, *values]) + "\n"
    subprocess.run([tiny_models, "--variants"], input=line, text=True, check=True)
    file = gguf.read(path)
    file.set("tokenizer.ggml.model", gguf.STR, b"llama")
    file.set("tokenizer.ggml.tokens", gguf.ARR, TOKENS, gguf.STR)
    file.set("tokenizer.ggml.scores", gguf.ARR, [0.0] * len(TOKENS), gguf.F32)
    file.set("tokenizer.ggml.token_type", gguf.ARR, [2, 3, 3] + [6] * 256, gguf.I32)
    with open(path, "wb") as out:
        out.write(file.build())


def width_of(file):
    """Returns the length of the vectors that the smallest projector makes, which it states."""
    return next(key.value for key in file.keys if key.name.endswith(".projection_dim"))


def variant(models, index, seed):
    numbers = random.Random(f"{seed}/{index}")
    mutator = Mutator(models[index % len(models)], numbers)
    operators, weights = zip(*OPERATORS)
    while not mutator.what:
        if what := numbers.choices(operators, weights)[0](mutator):
            mutator.what.append(what)
    return mutator


def compare(options, folder):
    """Returns whether predictions are wrong too often."""
    export, bases, variants = (os.path.join(folder, name) for name in ("corpus", "bases", "variants"))
    for each in (bases, variants):
        os.makedirs(each, exist_ok=True)
    subprocess.run([options.ggufcheck, "corpus", "export", "--cases", CASES, export], check=True, stdout=subprocess.DEVNULL)
    paths = sorted(glob.glob(f"{export}/**/{PREFIX}*{options.type}.gguf", recursive=True))
    models = {path: gguf.read(path) for path in paths}
    widths = {path: width_of(model) for path, model in models.items()}
    base = {width: os.path.join(bases, f"{width}.gguf") for width in set(widths.values())}
    for width, path in base.items():
        write_base(options.tiny_models, path, width)

    version = loader.version(options.llama_cpp)
    real = loader.load_all(options.llama_cpp, [(path, "projector", base[widths[path]]) for path in paths])
    failed, smallest = False, []
    for path in paths:
        name = os.path.basename(path)[len(PREFIX) : -len(".gguf")]
        prediction = test_loader.predictions(options.ggufcheck, path, version, ["--base", base[widths[path]]])[path]
        if not test_loader.agree(prediction, real[path]):
            failed = True
            print(f"smallest projector {name}: {prediction}, but llama.cpp {real[path].did} at {real[path].stage}: {real[path].why()}")
        elif real[path].did == "takes":
            smallest.append(path)
    print(f"llama.cpp {version}: {len(smallest)} of {len(paths)} smallest projectors run")

    written, beside = {}, {}
    for width in sorted(set(widths[path] for path in smallest)):
        chosen = [path for path in smallest if widths[path] == width]
        part = os.path.join(variants, str(width))
        os.makedirs(part, exist_ok=True)
        for index in range(options.count * len(chosen) // len(smallest)):
            mutator = variant([models[path] for path in chosen], index, options.seed)
            name = os.path.basename(chosen[index % len(chosen)])[len(PREFIX) :]
            path = os.path.join(part, f"{index:05}-{name}")
            with open(path, "wb") as file:
                file.write(mutator.model.build())
            written[path], beside[path] = "; ".join(mutator.what), width

        def run(files, width=width):
            return loader.load_all(options.llama_cpp, [(path, "projector", base[width]) for path in files], progress=test_loader.show)

        here = {path: what for path, what in written.items() if beside[path] == width}
        failed |= test_loader.compare_variants(f"projectors beside a model of width {width}", options.ggufcheck, run, here,
                                               {part: ["--base", base[width]]}, version)  # fmt: skip
    return failed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ggufcheck")
    parser.add_argument("tiny_models")
    parser.add_argument("llama_cpp")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--type", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ggufcheck-projectors-") as temporary:
        sys.exit(1 if compare(options, options.keep or temporary) else 0)


if __name__ == "__main__":
    main()
