"""library_bench.py PROGRAM SMALL.gguf: the time of a check by the program, by the
C library and by the Python module: medians of interleaved runs.  The Python module
and its library must be importable.

The files are SMALL.gguf; a model of 7 GB with 150,000 tokens, of which the tables
are read; and 512 MB of weights, all of which are read.

SPDX-License-Identifier: Apache-2.0
"""

import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time

import ggufcheck
from ggufcheck import _library

ROUNDS = 31
UINT32, INT32, STRING, ARRAY = 4, 5, 8, 9  # Types of values.
F16 = 1


def text(value):
    return struct.pack("<Q", len(value)) + value


def array(kind, count, values):
    return struct.pack("<IQ", kind, count) + values


def write_model(path, tokens, tensors, elements):
    """Writes a model whose weights are zeros that take no place on the disk."""
    keys = [
        (b"general.architecture", STRING, text(b"llama")),
        (b"llama.block_count", UINT32, struct.pack("<I", 32)),
        (b"tokenizer.ggml.model", STRING, text(b"gpt2")),
        (
            b"tokenizer.ggml.tokens",
            ARRAY,
            array(STRING, tokens, b"".join(text(b"token%d" % i) for i in range(tokens))),
        ),
        (
            b"tokenizer.ggml.token_type",
            ARRAY,
            array(INT32, tokens, struct.pack("<i", 1) * tokens),
        ),
    ]
    with open(path, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, tensors, len(keys)))
        for name, kind, value in keys:
            file.write(text(name) + struct.pack("<I", kind) + value)
        for i in range(tensors):
            file.write(text(b"blk.%d.attn_q.weight" % i))
            file.write(struct.pack("<IQIQ", 1, elements, F16, 2 * elements * i))
        begin = (file.tell() + 31) // 32 * 32
        file.truncate(begin + 2 * elements * tensors)


def check_in_c(library, flags):
    call = library._call
    options = call["options_new"]()
    for name in flags:
        call["options_set"](options, name.encode(), b"true")

    def check(path):
        report = call["check_file"](path.encode(), options)
        call["report_free"](report)

    return check


def measure(program, path, flags):
    """Returns the medians in milliseconds."""
    command = [program, "check", "--no-config", "--jobs=1", "--format=json"]
    command += [f"--{name}" for name in flags]
    by_c = check_in_c(_library.Library(), flags)
    ways = [
        lambda: subprocess.run([*command, path], stdout=subprocess.DEVNULL),
        lambda: by_c(path),
        lambda: ggufcheck.check(path, **{name: True for name in flags}).result,
    ]
    times = [[] for _ in ways]
    for _ in range(ROUNDS):
        for way, all_times in zip(ways, times):
            begin = time.perf_counter()
            way()
            all_times.append(1e3 * (time.perf_counter() - begin))
    return [statistics.median(all_times) for all_times in times]


def main():
    program, small = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        large = os.path.join(folder, "large.gguf")
        write_model(large, 150_000, 300, 12_000_000)
        weights = os.path.join(folder, "weights.gguf")
        write_model(weights, 10, 8, 32 << 20)
        print("| file | bytes | program | C | Python |")
        print("|---|---:|---:|---:|---:|")
        for path, flags in ((small, []), (large, []), (weights, ["weights"])):
            cells = [f"{time:.2f}" for time in measure(program, path, flags)]
            name = " --".join([os.path.basename(path), *flags])
            print(f"| {name} | {os.path.getsize(path)} |", " | ".join(cells), "|")


main()
