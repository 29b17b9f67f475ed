"""Compares the program's predictions with what the loader does.

  compare_predictions.py [--mutants N] [--seed N] GGUFCHECK MODULES MODELS

MODELS is a folder of smallest models, NAME.gguf. Writes variants of them
(mutate_models.py), and a file for each tensor that the loader looks up in a
model and that the model lacks, one tensor each. Prints the files whose
prediction is wrong, and exits with 1 if they are more than one in 2,000 of the
variants, or more than 3 of the others.

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

import gguf_file as gguf
import test_loader

MOST_OPTIONAL = 3
DID = {"loads": "takes", "rejects": "refuses", "aborts": "dies"}


class Verdict:
    """What the loader did, as test_loader.py says it."""

    def __init__(self, answer):
        self.did, self._why = DID[answer.did], answer.why()

    def why(self):
        return self._why


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


def compare(what, ggufcheck, loader, written, folder):
    """Prints the wrong predictions; returns their number."""
    predicted = test_loader.predictions(ggufcheck, folder)
    comparison = test_loader.Comparison()
    for path in sorted(written):
        verdict = Verdict(loader.load(path))
        comparison.add(os.path.basename(path), written[path], predicted[path], verdict)
    comparison.print()
    count = comparison.counts
    kinds = ", ".join(f"{count[word]} {word}" for word in ("as predicted", "not predicted", "known to differ", "wrong"))
    print(f"{len(written)} {what}: {kinds}", flush=True)
    return count["wrong"] + count["known to differ"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mutants", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("ggufcheck")
    parser.add_argument("modules")
    parser.add_argument("models")
    options = parser.parse_args()

    loader = WasmLoader(options.modules)
    paths = [path for path in sorted(glob.glob(options.models + "/*.gguf")) if loader.load(path).loads]
    print(f"llama.cpp {loader.build} loads {len(paths)} smallest models")
    with tempfile.TemporaryDirectory(prefix="ggufcheck-mutants-") as folder:
        names = [os.path.basename(path)[: -len(".gguf")] for path in paths]
        models = [gguf.read(path) for path in paths]
        written = test_loader.write_mutants(models, names, folder, options.mutants, options.seed)
        wrong = compare("variants", options.ggufcheck, loader, written, folder)
    with tempfile.TemporaryDirectory(prefix="ggufcheck-optional-") as folder:
        tracer = WasmLoader(options.modules, "--trace")
        written = write_optional(tracer, paths, folder)
        tracer.close()
        wrong_optional = compare("models with one optional tensor", options.ggufcheck, loader, written, folder)
    loader.close()
    return 1 if wrong > options.mutants * test_loader.MOST or wrong_optional > MOST_OPTIONAL else 0


if __name__ == "__main__":
    sys.exit(main())
