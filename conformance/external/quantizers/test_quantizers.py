"""Compares what ggml's quantizers write with what `ggufcheck compare` accepts.

  test_quantizers.py GGUFCHECK MODULES [--seed N] [--type NAME]

MODULES is the folder in which npm installed node-llama-cpp.  Quantizes several
kinds of weights to each type, from bases of several types, without and with
importance matrices, and prints by type how much of the bounds is used.  Then
damages the weights and prints what is not found.

Exits with 1 if ggufcheck rejects what ggml wrote, or accepts damaged weights.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../loader"))
import gguf_file as gguf  # noqa: E402
from ggml import Ggml  # noqa: E402
from weights import has_magnitudes, is_covered, matrices, shows_scale  # noqa: E402

BASES = ("F32", "F16", "BF16", "Q8_0")
# Types without quantizers, and types that only computations use.
NOT_WRITTEN = {"F32", "I8", "I16", "I32", "I64", "F64", "Q8_1", "Q8_K"}
# Sigma of the logarithm of the importances of the columns; of how many columns
# these are multiplied, and by how much.
IMPORTANCES = (None, (1, 0, 1), (2, 0, 1), (1, 3, 1e3), (1, 1, 1e4))


class Tester:
    """The program, the quantizers and a folder for files."""

    def __init__(self, program, modules, folder):
        self.program, self.ggml = program, Ggml(modules)
        self.paths = [os.path.join(folder, name) for name in ("base.gguf", "file.gguf")]

    def write(self, path, tensors):
        """Writes a file.  `tensors` has type, shape and bytes by name."""
        file = gguf.GgufFile()
        file.set("general.architecture", gguf.STR, "llama")
        data = b""
        for name, (kind, shape, content) in tensors.items():
            file.tensors.append(gguf.Tensor(name, reversed(shape), kind))
            data += content + bytes(-len(content) % gguf.ALIGNMENT)
        with open(path, "wb") as out:
            out.write(file.build()[:-len(data)] + data)

    def compare(self, base, tensors):
        """Returns the comparisons of tensors with their base, by name."""
        self.write(self.paths[0], base)
        self.write(self.paths[1], tensors)
        command = [self.program, "compare", "--format", "json", *self.paths]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode > 1:
            sys.exit(f"ggufcheck: exit code {run.returncode}: {run.stderr}")
        compared = json.loads(run.stdout)["files"][0]["compared"]
        return {tensor["name"]: tensor for tensor in compared}

    def quantized(self, weights, kind, importances=None):
        """Returns tensors of a type."""
        return {name: (kind, matrix.shape, self.ggml.quantize(
            kind, matrix, importances and importances(matrix))) for name, matrix in weights.items()}

    def values(self, tensors):
        return {name: self.ggml.dequantize(kind, data, shape)
                for name, (kind, shape, data) in tensors.items()}


def importances_of(distribution, seed):
    """Returns a function that returns the importances of a matrix's columns."""
    if distribution is None:
        return None
    sigma, columns, factor = distribution
    random = numpy.random.default_rng(seed)

    def importances(matrix):
        found = numpy.exp(sigma * random.normal(size=matrix.shape[1]))
        found[random.choice(found.size, columns, replace=False)] *= factor
        return found
    return importances


def number(text):
    return float("inf") if text is None else float(text)


def false_alarms(tester, name, kind, weights):
    """Prints how much of the bounds a type uses.  Returns the number of alarms."""
    count = alarms = 0
    tensor_use = block_use = 0.0
    slope = float("inf")
    for base_name in BASES:
        base = tester.quantized(weights, gguf.TENSOR_TYPES[base_name])
        originals = tester.values(base)
        for importances in IMPORTANCES:
            written = tester.quantized(originals, kind, importances_of(importances, 5))
            for matrix, found in tester.compare(base, written).items():
                # Favored columns may explain what a few blocks lose.
                is_even = importances in (None, (1, 0, 1))
                if not is_covered(matrix, name, is_even):
                    continue
                count += 1
                allowed = ("pass",) if is_even else ("pass", "uneven")
                if found["result"] not in allowed:
                    alarms += 1
                    print(f"  FALSE ALARM: {matrix} in {name} of {base_name}, importances {importances}: "
                          f"{found['result']}, rmse {found['rmse']} of {found['bound']}, "
                          f"scale {found['scale']}, block {found['worst_block']}")
                if number(found["rmse"]) > 0:
                    tensor_use = max(tensor_use, number(found["rmse"]) / number(found["bound"]))
                block_use = max(block_use, number(found["worst_block"]))
                slope = min(slope, number(found["slope"]))
    used = f"{count} tensors, {tensor_use:.2f} of the bound, {block_use:.2f} of that of a block"
    print(f"{name}: {used}" + (f", slope {slope:.2f}" if slope < 9 else ""), flush=True)
    return alarms


def zero_row(data, row):
    return bytes(row) + data[row:]


def rotated_rows(data, row):
    return data[row:] + data[:row]


def wrong_quarter(written, wrong):
    """Returns tensors of which a quarter of the rows is that of others."""
    damaged = {}
    for matrix, (kind, shape, data) in wrong.items():
        row = len(data) // shape[0]
        begin, end = 8 * row, (8 + shape[0] // 4) * row
        good = written[matrix][2]
        damaged[matrix] = (kind, shape, good[:begin] + data[begin:end] + good[end:])
    return damaged


def missed(tester, name, kind, weights):
    """Damages weights.  Returns the number of matrices whose damage is not found."""
    elements, size = gguf.TENSOR_SIZES[kind]
    bits = 8 * size / elements
    base = tester.quantized(weights, gguf.TENSOR_TYPES["F16"])
    originals = tester.values(base)
    written = tester.quantized(originals, kind)
    damaged = {}
    for damage in (zero_row, rotated_rows):
        damaged[damage.__name__] = {
            matrix: (kind, shape, damage(data, len(data) // shape[0]))
            for matrix, (kind, shape, data) in written.items()}
    factor = 1.02 if bits > 4 else 1.2 if bits > 3 else None
    if factor:
        larger = {matrix: w * numpy.float32(factor) for matrix, w in originals.items()
                  if shows_scale(matrix)}
        damaged[f"times {factor}"] = tester.quantized(larger, kind)
    if bits > 1.2:
        coarse = {matrix: w for matrix, w in originals.items() if has_magnitudes(matrix)}
        one_bit = tester.values(tester.quantized(coarse, gguf.TENSOR_TYPES["Q1_0"]))
        damaged["one bit before"] = tester.quantized(one_bit, kind)
    gaussian = {matrix: w for matrix, w in originals.items() if matrix.startswith("gaussian")}
    for share in (0.5, 0.001):
        smaller = {matrix: w * numpy.float32(share) for matrix, w in gaussian.items()}
        if bits > 3:
            damaged[f"a quarter times {share}"] = wrong_quarter(
                written, tester.quantized(smaller, kind))
    if bits > 4:
        coarse = tester.values(tester.quantized(gaussian, gguf.TENSOR_TYPES["Q2_K"]))
        damaged["a quarter of two bits before"] = wrong_quarter(
            written, tester.quantized(coarse, kind))
    count = 0
    for damage, tensors in damaged.items():
        for matrix, found in tester.compare(base, tensors).items():
            if found["result"] in ("pass", "uneven"):
                count += 1
                print(f"  MISSED: {matrix} in {name}, {damage}: rmse {found['rmse']} of "
                      f"{found['bound']}, scale {found['scale']}, slope {found['slope']}")
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("program")
    parser.add_argument("modules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--type", choices=sorted(set(gguf.TENSOR_TYPES) - NOT_WRITTEN))
    args = parser.parse_args()
    weights = matrices(args.seed)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(args.program, args.modules, folder)
        for name, kind in gguf.TENSOR_TYPES.items():
            if name in NOT_WRITTEN or args.type not in (None, name):
                continue
            failures += false_alarms(tester, name, kind, weights)
            failures += missed(tester, name, kind, weights)
    print(f"{failures} failures" if failures else "what ggml writes passes, damaged weights do not")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
