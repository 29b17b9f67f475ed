"""The report on kept logs, of which readers_report.py and the site make pages.

SPDX-License-Identifier: Apache-2.0
"""

import gzip
import json
import os
import subprocess
import tempfile

# Results of a case that are failures.
FAILURES = ("unsafe", "wrong-values", "false-accept", "false-reject")


def read_report(ggufcheck, logs):
    """Returns the JSON of `ggufcheck readers report`; a reader also has the note
    of its log, which may be empty."""
    notes = {}
    with tempfile.TemporaryDirectory() as folder:
        plain = []
        for log in logs:
            with gzip.open(log, "rt", encoding="utf-8") as file:
                text = file.read()
            plain.append(os.path.join(folder, os.path.basename(log)[: -len(".gz")]))
            with open(plain[-1], "w", encoding="utf-8") as file:
                file.write(text)
            header = json.loads(text.partition("\n")[0])
            notes[header["reader"]["name"]] = header.get("note", "")
        command = [ggufcheck, "readers", "report", *plain, "--format", "json"]
        # It fails if the logs are of different suites, which the report says.
        report = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)
    for reader in report["readers"]:
        reader["note"] = notes[reader["name"]]
    return report


def percent(passed, judged):
    if not judged:
        return "not tested"
    if passed == judged:
        return "100 %"
    return f"{min(99.9, 100 * passed / judged):.1f} %"
