"""Pages of readers' results: the matrix, and a page for each reader.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import pathlib
import sys

LOGS = pathlib.Path(__file__).resolve().parents[2] / "conformance/readers/logs"
sys.path.insert(0, str(LOGS))
import kept_logs  # pylint: disable=wrong-import-position


def read(program):
    """Returns the results in the kept logs."""
    return kept_logs.read(program, sorted(LOGS.glob("*.ndjson.gz")))


def write(site, results, cases):
    # A log may be older than the corpus.
    pages = {case.id: case.page for case in cases}
    sections = sorted({name for reader in results.readers for name in reader.about["sections"]})
    site.write("readers/index.html", "readers.html", results=results, sections=sections,
               percent=kept_logs.percent)
    for reader in results.readers:
        by_section = collections.defaultdict(list)
        for failure in reader.failures:
            by_section[failure.section].append(failure)
        site.write(reader.page, "reader.html", reader=reader, about=reader.about,
                   percent=kept_logs.percent, pages=pages, by_section=sorted(by_section.items()))
