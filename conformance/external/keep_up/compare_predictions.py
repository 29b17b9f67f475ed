"""Compares the program's predictions with what the loader does.

  compare_predictions.py [--mutants N] [--consistent N] [--seed N] GGUFCHECK TINY_MODELS MODULES MODELS

MODELS is a folder of smallest models, NAME.gguf, as TINY_MODELS writes them.
Writes variants of them (mutate_models.py, consistent.py), and a file for each
tensor that the loader looks up in a model and that the model lacks, one tensor
each. Loads and runs them, prints the files whose prediction is wrong, and exits
as test_loader.py: with 1 if they are too many, or if a crash or hang passes safety.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import glob
import os
import sys
import tempfile

from learn import NOT_REQUIRED
from model import folded
from wasm_loader import WasmLoader

import consistent
import gguf_file as gguf
import loader
import test_loader

DID = {"loads": "takes", "rejects": "refuses", "aborts": "dies"}


def verdict(answer):
    """What llama.cpp did, as loader.py says it."""
    return loader.Verdict(DID[answer.did], answer.stage, answer.messages)


def write_optional(tracer, paths, folder):
    """Writes a file for each tensor that is looked up, optional and absent; returns what each is."""
    written = {}
    for path in paths:
        name = os.path.basename(path)[: -len(".gguf")]
        answer = tracer.load(path)
        model, seen = gguf.read(path), set()
        for tensor, dims, flags in answer.tensors:
            if folded(tensor) in seen or model.tensor(tensor) or not flags & NOT_REQUIRED or min(dims, default=1) <= 0:
                continue
            seen.add(folded(tensor))
            file = gguf.GgufFile(model.keys, [*model.tensors, gguf.Tensor(tensor, dims)])
            out = os.path.join(folder, f"{name}@{tensor}.gguf")
            with open(out, "wb") as stream:
                stream.write(file.build())
            written[out] = f"add {tensor} {dims}"
    return written


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--consistent", type=int, default=10000)
    parser.add_argument("ggufcheck")
    parser.add_argument("tiny_models")
    parser.add_argument("modules")
    parser.add_argument("models")
    options = parser.parse_args()

    runner = WasmLoader(options.modules, "--run")

    def run(paths):
        return {path: verdict(runner.load(path)) for path in paths}

    def compared(what, written, folder):
        return test_loader.compare_variants(what, options.ggufcheck, run, written, {folder: []})

    all_paths = sorted(glob.glob(options.models + "/*.gguf"))
    paths = [path for path, one in run(all_paths).items() if one.did == "takes"]
    print(f"llama.cpp {runner.build} runs {len(paths)} of {len(all_paths)} smallest models")
    failed = False
    names = [os.path.basename(path)[: -len(".gguf")] for path in paths]
    models = [gguf.read(path) for path in paths]
    with tempfile.TemporaryDirectory(prefix="ggufcheck-mutants-") as folder:
        written = test_loader.write_mutants(models, names, folder, options.mutants, options.seed)
        failed |= compared("mutants", written, folder)
    with tempfile.TemporaryDirectory(prefix="ggufcheck-fitting-") as folder:
        written = consistent.write(options.tiny_models, models, names, folder, options.consistent, options.seed)
        failed |= compared("variants that fit", written, folder)
    with tempfile.TemporaryDirectory(prefix="ggufcheck-optional-") as folder:
        tracer = WasmLoader(options.modules, "--trace")
        written = write_optional(tracer, paths, folder)
        tracer.close()
        failed |= compared("models with one optional tensor", written, folder)
    runner.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
