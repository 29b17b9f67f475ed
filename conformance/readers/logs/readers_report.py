"""Prints docs/readers-report.md, from the kept logs.

    readers_report.py GGUFCHECK [LOG.ndjson.gz...]

SPDX-License-Identifier: Apache-2.0
"""

import collections
import glob
import os
import sys

from kept_logs import FAILURES, percent, read_report

HEAD = """\
# Reader results on the corpus

Generated from the logs in [`conformance/readers/logs`](../conformance/readers/logs/README.md) by `./dev readers`. [The
adapters](../conformance/readers/adapters/README.md) describe how each reader is built, and [the
protocol](reader-protocol.md#levels) the levels. The expected results are derived from the text of the cases, not from any
reader. A score counts only the cases that were scored at that level; a level that needs a capability which the adapter does
not announce was not tested. Readers that only load models skip other files, such as adapters and vocabularies; for readers that do
not check models, faults in models are not scored.

"""


def counts(results):
    return ", ".join(f"{name} {count}" for name, count in sorted(results.items())) or "0"


def failures(report, column):
    """Returns the failures of a reader, by result and section, with an example each."""
    groups = collections.defaultdict(list)
    for case in report["cases"]:
        cell = case["readers"][column]
        if cell and cell["result"] in FAILURES:
            what = cell["result"] if cell["result"] != "unsafe" else "unsafe, " + cell["outcome"]
            groups[what, case["section"]].append(case)
    return groups


def main():
    ggufcheck, *logs = sys.argv[1:]
    logs = logs or sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.ndjson.gz")))
    report = read_report(ggufcheck, logs)
    out = HEAD
    levels = [f"{level['level']} {level['about']}" for level in report["readers"][0]["levels"]]
    rows = [["reader", "date", "all cases", *levels, "unsafe"]]
    rows.append(["---"] * len(rows[0]))
    for reader in report["readers"]:
        label = ", ".join(filter(None, (reader["label"], reader["note"])))
        score = percent(reader["score"]["passed"], reader["score"]["judged"])
        at = [percent(level["passed"], level["tested"]) for level in reader["levels"]]
        rows.append([label, reader["date"][:10], f"{score} of {reader['score']['judged']}", *at, counts(reader["unsafe"])])
    out += "".join("| " + " | ".join(row) + " |\n" for row in rows)
    for column, reader in enumerate(report["readers"]):
        groups = failures(report, column)
        out += f"\n## {reader['label']}\n\n"
        if not groups:
            out += "No failures.\n"
            continue
        out += "| result | section | cases | for example |\n|---|---|---|---|\n"
        for (what, section), cases in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0])):
            example = cases[0]
            title = example["title"].replace("|", "\\|")
            out += f"| {what} | {section} | {len(cases)} | `{example['case']}`: {title} |\n"
    out += """
To reproduce a result, and to see each case with its bytes:

    ggufcheck readers run --reader huggingface --log huggingface.ndjson
    ggufcheck readers report huggingface.ndjson --format html >report.html
"""
    sys.stdout.write(out)


main()
