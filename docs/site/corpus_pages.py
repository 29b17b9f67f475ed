"""Pages of the corpus: a list, a page for each section, and one for each case.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import dataclasses
import json

# Rows of a dump that are always shown, at the beginning of the file.
FIRST_ROWS = 16
# Rows before and after a marked byte.
AROUND = 2
MOST_ROWS = 512
MOST_TEXT = 60_000
ROW = 16


@dataclasses.dataclass
class Finding:
    profile: str
    begin: int
    end: int
    severity: str
    rule: str


@dataclasses.dataclass
class Case:
    entry: dict       # Of the manifest.
    text: str         # In the language of cases.
    findings: list    # Of all profiles.
    data: object      # Bytes; None for a case that has no file.

    @property
    def id(self):
        return self.entry["id"]

    @property
    def page(self):
        return f"corpus/{self.id}.html"

    def ranges(self, rule=None):
        """Returns the byte ranges of the findings, without repetitions."""
        return sorted({(f.begin, f.end) for f in self.findings
                       if rule is None or f.rule == rule})


def parse_findings(text):
    """Returns the findings that a case expects."""
    findings = []
    part = ""
    for line in text.splitlines():
        words = line.split()
        if line.startswith("==="):
            part = words[1]
        elif part == "expect" and len(words) == 4 and words[1].startswith("0x"):
            begin, _, size = words[1].partition("+")
            begin = int(begin, 16)
            findings.append(Finding(words[0], begin, begin + int(size or 0),
                                    words[2], words[3]))
    return findings


def read_cases(root, exported):
    cases = []
    for entry in json.loads((exported / "manifest.json").read_text())["cases"]:
        text = (root / "corpus/cases" / (entry["id"] + ".gguft")).read_text()
        data = (exported / entry["file"]).read_bytes() if entry["file"] else None
        cases.append(Case(entry, text, parse_findings(text), data))
    return cases


def rows(data, ranges, first_rows=FIRST_ROWS):
    """Returns the rows of a hexadecimal dump.

    A row is (offset, cells, text); a cell is (two digits, is marked).  None
    stands for rows that are left out.  Of an empty range, the byte at its
    beginning is marked.
    """
    marked = [range(begin, max(end, begin + 1)) for begin, end in ranges]
    shown = set(range(min(first_rows, (len(data) + ROW - 1) // ROW)))
    for bytes_ in marked:
        for row in range(bytes_.start // ROW - AROUND, (bytes_.stop - 1) // ROW + AROUND + 1):
            if 0 <= row * ROW < len(data):
                shown.add(row)
            if len(shown) >= MOST_ROWS:
                break
    result = []
    last = -1
    for row in sorted(shown):
        if row != last + 1:
            result.append(None)
        last = row
        begin = row * ROW
        chunk = data[begin:begin + ROW]
        cells = [(f"{byte:02x}", any(begin + i in bytes_ for bytes_ in marked))
                 for i, byte in enumerate(chunk)]
        text = "".join(chr(b) if 0x20 <= b < 0x7f else "." for b in chunk)
        result.append((f"{begin:08x}", cells, text))
    if (last + 1) * ROW < len(data):
        result.append(None)
    return result


def write(site, cases, rules, readers):
    failures = collections.defaultdict(list)
    for reader in readers.readers:
        for failure in reader.failures:
            failures[failure.case].append((reader, failure))
    summaries = {rule["id"]: rule["summary"] for rule in rules}
    sections = collections.defaultdict(list)
    for case in cases:
        sections[case.id.split("/")[0]].append(case)
    site.write("corpus/index.html", "corpus.html",
               sections={name: collections.Counter(c.entry["verdict"] for c in all_)
                         for name, all_ in sorted(sections.items())})
    for name, all_ in sections.items():
        site.write(f"corpus/{name}.html", "section.html", name=name,
                   cases=sorted(all_, key=lambda case: case.id))
    for case in cases:
        by_finding = collections.defaultdict(list)
        for f in case.findings:
            by_finding[f.begin, f.end, f.rule].append(f"{f.profile}: {f.severity}")
        data = case.data
        if data is not None:
            site.copy("corpus/" + case.entry["file"], data)
        site.write(case.page, "case.html", case=case, entry=case.entry,
                   section=case.id.split("/")[0], findings=sorted(by_finding.items()),
                   summaries=summaries, failures=failures[case.id], text=case.text[:MOST_TEXT],
                   is_cut=len(case.text) > MOST_TEXT,
                   file=case.entry["file"] and case.entry["file"].split("/", 1)[1],
                   rows=rows(data, case.ranges()) if data is not None else [])
