"""Pages of readers' results: the matrix, and a page for each reader.

The kept logs say what a reader did, and `ggufcheck readers report` judges it.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import dataclasses
import pathlib
import re
import sys

LOGS = pathlib.Path(__file__).resolve().parents[2] / "conformance/readers/logs"
sys.path.insert(0, str(LOGS))
from kept_logs import FAILURES, percent, read_report  # pylint: disable=wrong-import-position


@dataclasses.dataclass
class Failure:
    case: str  # Its id.
    title: str
    critical: bool
    result: str
    did: str  # In words.
    should: str


@dataclasses.dataclass
class Reader:
    about: dict  # Of the report.
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
    result = cell["result"]
    if result == "unsafe":
        result += f" ({cell['outcome']})"
    return Failure(case["case"], case["title"], case["importance"] == "critical", result,
                   cell["did"], cell.get("should", ""))


def read(program):
    """Returns the results in the kept logs."""
    report = read_report(program, sorted(LOGS.glob("*.ndjson.gz")))
    readers = [
        Reader(about, [_failure(case, case["readers"][i]) for case in report["cases"]
                       if case["readers"][i] and case["readers"][i]["result"] in FAILURES])
        for i, about in enumerate(report["readers"])]
    return Results(report["problems"], readers)


def write(site, results, cases):
    # A log may be older than the corpus.
    pages = {case.id: case.page for case in cases}
    sections = sorted({name for reader in results.readers for name in reader.about["sections"]})
    site.write("readers/index.html", "readers.html", results=results, sections=sections,
               percent=percent)
    for reader in results.readers:
        by_section = collections.defaultdict(list)
        for failure in reader.failures:
            by_section[failure.case.split("/")[0]].append(failure)
        site.write(reader.page, "reader.html", reader=reader, about=reader.about, percent=percent,
                   pages=pages, by_section=sorted(by_section.items()))
