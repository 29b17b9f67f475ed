"""start_test.py PROGRAM FILE: a start of the program, and a check of a small
file, cost at most 4 ms more than a start of `true`: medians of interleaved runs.

SPDX-License-Identifier: Apache-2.0
"""

import statistics
import subprocess
import sys
import time

ROUNDS = 101
MOST_MS = 4


def main():
    program, file = sys.argv[1:]
    commands = {
        "true": ["true"],
        "--version": [program, "--version"],
        "check": [program, "check", "--no-config", file],
    }
    times = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            begin = time.perf_counter()
            subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
            times[name].append(1e3 * (time.perf_counter() - begin))
    medians = {name: statistics.median(all) for name, all in times.items()}
    for name, median in medians.items():
        ratio = median / medians["true"]
        print(f"{name}: {median:.2f} ms, {ratio:.2f} times true")
    return max(medians.values()) - medians["true"] > MOST_MS


sys.exit(main())
