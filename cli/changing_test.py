"""`ggufcheck check` on a file that another process changes meanwhile.

The writer overwrites lengths in place, truncates, extends and replaces the
file.  Whatever happens, no signal ends the program, the other file of the run
keeps its report, and the result of the changing file is incomplete or that of
one of its states.

Usage: changing_test.py GGUFCHECK GOOD_FILE [RUNS]

SPDX-License-Identifier: Apache-2.0
"""

import json
import multiprocessing
import os
import random
import subprocess
import sys
import tempfile
import time

GGUFCHECK = os.path.abspath(sys.argv[1])
GOOD = os.path.abspath(sys.argv[2])
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 100


def make_states(good):
    """Returns variants of the file with wrong lengths, or of another size."""
    numbers = random.Random(1)
    states = [good]
    for _ in range(60):
        at = numbers.randrange(16, len(good) // 4)
        value = numbers.choice([b"\xff" * 8, (1 << 40).to_bytes(8, "little"), bytes(8)])
        states.append(good[:at] + value + good[at + 8 :])
    states += [good[: len(good) // 2], good[:100], good + bytes(5000)]
    return states


def change_forever(path, states):
    """Takes the file from one state to another in single steps of the system.

    A write of several pages would also show states in between.
    """
    good = states[0]
    numbers = random.Random(2)
    while True:
        for _ in range(200):
            state = numbers.choice(states)
            if len(state) == len(good) and numbers.random() < 0.8:
                begin = next((i for i in range(len(good)) if state[i] != good[i]), 0)
                page_end = begin - begin % 4096 + 4096
                with open(path, "r+b", buffering=0) as file:
                    for content in (state, good):
                        part = content[begin : min(begin + 8, page_end)]
                        os.pwrite(file.fileno(), part, begin)
            elif len(state) > len(good):
                os.truncate(path, len(state))
                os.truncate(path, len(good))
            else:
                os.truncate(path, min(len(state), len(good)))
                replace(path, state)
                replace(path, good)
        time.sleep(numbers.random() * 0.05)


def replace(path, state):
    with open(path + ".new", "wb") as file:
        file.write(state)
    os.replace(path + ".new", path)


def check(*paths):
    """Returns the report, and what standard error says."""
    run = subprocess.run(
        [GGUFCHECK, "check", "--no-config", "--format", "json", "--weights", *paths],
        capture_output=True,
        check=False,
    )
    if run.returncode not in (0, 1, 3):
        sys.exit(f"exit {run.returncode}: {run.stderr.decode(errors='replace')}")
    return json.loads(run.stdout)["files"]


def essence(report):
    """Returns what depends on the bytes of a file alone."""
    keys = ("size", "keys", "tensors", "result", "findings", "more", "not_checked")
    return json.dumps({key: report.get(key) for key in keys})


def main():
    with open(GOOD, "rb") as file:
        states = make_states(file.read())
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, os.path.basename(GOOD))
        reports = set()
        for state in states:
            replace(path, state)
            reports.add(essence(check(path)[0]))
        replace(path, states[0])
        expected = check(GOOD)[0]
        writer = multiprocessing.Process(
            target=change_forever, args=(path, states), daemon=True
        )
        writer.start()
        incomplete = 0
        for run in range(RUNS):
            changing, good = check(path, GOOD)
            if essence(good) != essence(expected):
                sys.exit(f"run {run}: another report of the file that stays: {good}")
            if changing["result"] == "incomplete":
                incomplete += 1
            elif essence(changing) not in reports:
                sys.exit(f"run {run}: a result that no state has: {changing}")
        writer.kill()
    print(f"{RUNS} runs, {incomplete} of them incomplete")
    if not 0 < incomplete < RUNS:
        sys.exit("the file did not change at the right moments")


main()
