"""The model of the kept logs, of which readers_report.py and the site make pages.

The logs say what each reader did, and `ggufcheck readers report` judges it.

SPDX-License-Identifier: Apache-2.0
"""

import dataclasses
import gzip
import json
import os
import re
import subprocess
import tempfile

# Results of a case that are failures.
FAILURES = ("unsafe", "wrong-values", "false-accept", "false-reject")


@dataclasses.dataclass
class Failure:
    case: str  # Its id.
    section: str
    title: str
    critical: bool
    result: str
    outcome: str  # How an unsafe case ended; otherwise empty.
    did: str  # In words.
    should: str

    @property
    def what(self):
        return f"{self.result} ({self.outcome})" if self.outcome else self.result


@dataclasses.dataclass
class Reader:
    about: dict  # Of the JSON report, with the note of its log, which may be empty.
    failures: list  # Worst first.

    @property
    def label(self):
        return self.about["label"]

    @property
    def page(self):
        name = re.sub("[^a-z0-9]+", "-", self.about["name"].lower()).strip("-")
        return f"readers/{name}.html"


@dataclasses.dataclass
class Results:
    problems: list
    readers: list


def _failure(case, cell):
    outcome = cell["outcome"] if cell["result"] == "unsafe" else ""
    return Failure(case["case"], case["section"], case["title"], case["importance"] == "critical",
                   cell["result"], outcome, cell["did"], cell.get("should", ""))


def read(ggufcheck, logs):
    """Returns the results in the logs."""
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
    readers = []
    for column, about in enumerate(report["readers"]):
        cells = [(case, case["readers"][column]) for case in report["cases"]]
        failures = [_failure(case, cell) for case, cell in cells
                    if cell and cell["result"] in FAILURES]
        readers.append(Reader({**about, "note": notes[about["name"]]}, failures))
    return Results(report["problems"], readers)


def percent(passed, judged):
    if not judged:
        return "not tested"
    if passed == judged:
        return "100 %"
    return f"{min(99.9, 100 * passed / judged):.1f} %"
