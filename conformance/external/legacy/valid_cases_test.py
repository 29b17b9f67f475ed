"""Compares valid_cases.tsv with the corpus.

  valid_cases_test.py LOG MANIFEST

Each valid legacy case was run by a reader, as it is now; the text of one that did not run says
that the reader refuses it.

SPDX-License-Identifier: Apache-2.0
"""

import json
import sys


def main(log, manifest):
    with open(log, encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    logged = {line[0]: dict(zip(lines[0], line)) for line in lines[1:]}
    with open(manifest, encoding="utf-8") as file:
        cases = {case["id"].removeprefix("legacy/"): case for case in json.load(file)["cases"]
                 if case["id"].startswith("legacy/valid-")}
    wrong = sorted(cases.keys() ^ logged.keys())
    for name in cases.keys() & logged.keys():
        case, row = cases[name], logged[name]
        runs = row["outcome"] in ("ran", "vocabulary", "no reader")
        if case["sha256"] != row["sha256"] or not (runs or "refuses" in (case["why"] or "")):
            wrong.append(name)
    for name in wrong:
        print(f"{name}: run ./dev test-legacy SOURCES --update, and see what the reader does")
    return int(bool(wrong) or not cases)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
