"""library_bench.py PROGRAM FILE...: the time of a check of each file by the
program, by the C library and by the Python module: medians of interleaved runs.
The module ggufcheck and its library must be importable.

SPDX-License-Identifier: Apache-2.0
"""

import os
import statistics
import subprocess
import sys
import time

import ggufcheck
from ggufcheck import _library

ROUNDS = 31


def in_c(library):
    """Returns a check through the C functions only."""
    call = library._call

    def check(path):
        report = call["check_file"](path.encode(), None)
        call["report_free"](report)

    return check


def main():
    program, *files = sys.argv[1:]
    ways = {
        "program": lambda path: subprocess.run(
            [program, "check", "--no-config", "--jobs=1", "--format=json", path],
            stdout=subprocess.DEVNULL,
        ),
        "C": in_c(_library.Library()),
        "Python": lambda path: ggufcheck.check(path).result,
    }
    print("| file | bytes |", " | ".join(ways), "|")
    print("|---|---:|" + "---:|" * len(ways))
    for path in files:
        times = {name: [] for name in ways}
        for _ in range(ROUNDS):
            for name, check in ways.items():
                begin = time.perf_counter()
                check(path)
                times[name].append(1e3 * (time.perf_counter() - begin))
        cells = [f"{statistics.median(all):.2f}" for all in times.values()]
        print(f"| {os.path.basename(path)} | {os.path.getsize(path)} |", " | ".join(cells), "|")


main()
