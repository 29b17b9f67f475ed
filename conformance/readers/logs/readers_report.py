"""Prints docs/readers-report.md, from the kept logs.

    readers_report.py GGUFCHECK [LOG.ndjson.gz...]

SPDX-License-Identifier: Apache-2.0
"""

import collections
import glob
import os
import sys

from kept_logs import percent, read

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


def grouped(failures):
    """Returns failures by result and section, the largest groups first."""
    groups = collections.defaultdict(list)
    for failure in failures:
        what = ", ".join(filter(None, (failure.result, failure.outcome)))
        groups[what, failure.section].append(failure)
    return sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))


def main():
    ggufcheck, *logs = sys.argv[1:]
    logs = logs or sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.ndjson.gz")))
    readers = read(ggufcheck, logs).readers
    out = HEAD
    levels = [f"{level['level']} {level['about']}" for level in readers[0].about["levels"]]
    rows = [["reader", "date", "all cases", *levels, "unsafe"]]
    rows.append(["---"] * len(rows[0]))
    for about in (reader.about for reader in readers):
        label = ", ".join(filter(None, (about["label"], about["note"])))
        score = percent(about["score"]["passed"], about["score"]["judged"])
        at = [percent(level["passed"], level["tested"]) for level in about["levels"]]
        rows.append([label, about["date"][:10], f"{score} of {about['score']['judged']}", *at, counts(about["unsafe"])])
    out += "".join("| " + " | ".join(row) + " |\n" for row in rows)
    for reader in readers:
        out += f"\n## {reader.label}\n\n"
        if not reader.failures:
            out += "No failures.\n"
            continue
        out += "| result | section | cases | for example |\n|---|---|---|---|\n"
        for (what, section), failures in grouped(reader.failures):
            title = failures[0].title.replace("|", "\\|")
            out += f"| {what} | {section} | {len(failures)} | `{failures[0].case}`: {title} |\n"
    out += """
To reproduce a result, and to see each case with its bytes:

    ggufcheck readers run --reader huggingface --log huggingface.ndjson
    ggufcheck readers report huggingface.ndjson --format html >report.html
"""
    sys.stdout.write(out)


main()
