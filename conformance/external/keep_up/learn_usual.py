"""Compares usual.tsv with the keys that llama.cpp's converters write for every model of an architecture.

    learn_usual.py TABLES SOURCE            prints what differs, with rows to paste
    learn_usual.py TABLES --history CLONE   writes the builds in which the converters began to write the keys

SOURCE is a tree of llama.cpp, or the root of a Debian with llama.cpp-tools and python3-gguf; CLONE a repository of
llama.cpp.  A line begins with + (a row that the table may need: a person looks up what llama.cpp computes without
the key, and whether published models agree with that, which is a row of exempt_usual.tsv) or with - (a row that
the converters no longer confirm).

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile

from converters import Converters
from shared_tables import Tables, cells_of

WHAT, NAMES, WHEN, WITHOUT, FIRST, BY, ARCHITECTURES = range(7)
EXEMPT_KEY, EXEMPT_ARCHITECTURES = range(2)
CONVERTER_FILES = ("conversion", "gguf-py/gguf", "convert_hf_to_gguf.py", "convert-hf-to-gguf.py")


def optional_keys(tables, architecture):
    """Returns the keys that the loader reads of an architecture, and does not always demand."""
    rows = [row + [""] * 5 for row in tables.expanded(architecture)]
    demanded = {row[1] for row in rows if row[0] == "size" or (row[0] == "key" and row[3] == "true")}
    return {row[1] for row in rows if row[0] == "key"} - demanded


class Usual:
    """The rows of usual.tsv about keys, and the exemptions."""

    def __init__(self, tables):
        self.tables = tables
        self.path = tables.path("usual.tsv")
        self.rows = [row for row in cells_of(self.path) if row[WHAT] == "key"]
        self.exempt = {}
        for row in cells_of(tables.path("exempt_usual.tsv")):
            for architecture in row[EXEMPT_ARCHITECTURES].split(","):
                self.exempt.setdefault(architecture, set()).add(row[EXEMPT_KEY])

    def has_row(self, architecture, key):
        return any(row[NAMES] == key and row[ARCHITECTURES] == architecture for row in self.rows)

    def is_exempt(self, architecture, key):
        return any(key in self.exempt.get(name, ()) for name in (architecture, "*"))

    def differences(self, written):
        """Returns the lines to print, for the keys that converters write, by architecture."""
        lines = []
        for architecture in sorted(set(written) & set(self.tables.files)):
            for key in sorted(set(written[architecture]) & optional_keys(self.tables, architecture)):
                if not self.has_row(architecture, key) and not self.is_exempt(architecture, key):
                    lines.append("+ " + "\t".join(["key", key, "", "?", "-", "converter", architecture]))
        for row in self.rows:
            if row[BY] == "converter" and row[NAMES] not in written.get(row[ARCHITECTURES], ()):
                lines.append(f"- {row[ARCHITECTURES]} {row[NAMES]}: the converters do not write it for every model")
        return lines

    def write_first(self, first):
        """Writes the build of each row; `first` has them by architecture and key."""
        with open(self.path, encoding="utf-8") as lines:
            text = lines.read()
        for row in self.rows:
            build = first.get((row[ARCHITECTURES], row[NAMES]), row[FIRST])
            text = text.replace("\n" + "\t".join(row) + "\n", "\n" + "\t".join([*row[:FIRST], build, *row[FIRST + 1 :]]) + "\n")
        with open(self.path, "w", encoding="utf-8") as out:
            out.write(text)


class History:
    """The converters of each commit of a clone that changed them."""

    def __init__(self, clone):
        self.clone = clone
        self.commits = self._git("rev-list", "--first-parent", "--reverse", "HEAD", "--", *CONVERTER_FILES).split()
        self.known = {}

    def _git(self, *arguments):
        return subprocess.run(["git", "-C", self.clone, *arguments], check=True, capture_output=True, text=True).stdout

    def names(self, commit):
        return set(self._git("ls-tree", "--name-only", commit, *CONVERTER_FILES).split())

    def at(self, number):
        """Returns the converters of a commit; None before they had their present form."""
        if number not in self.known:
            commit = self.commits[number]
            with tempfile.TemporaryDirectory() as folder:
                archive = os.path.join(folder, "converters.tar")
                try:
                    self._git("archive", "-o", archive, commit, *self.names(commit))
                    with tarfile.open(archive) as files:
                        files.extractall(folder, filter="data")
                    self.known[number] = Converters(folder)
                except (FileNotFoundError, SyntaxError, subprocess.CalledProcessError):
                    self.known[number] = None
        return self.known[number]

    def build(self, number):
        return "b" + self._git("rev-list", "--count", self.commits[number]).strip()

    def first(self, architecture, key):
        """Returns the first build whose converters mention the key for the architecture, or "-"."""
        low, high = 0, len(self.commits)
        while low < high:
            middle = (low + high) // 2
            converters = self.at(middle)
            if converters is not None and key in converters.mentioned(architecture):
                high = middle
            else:
                low = middle + 1
        if low == len(self.commits) or low == 0 or self.at(low - 1) is None:
            return "-"  # Never, or already when the converters got their present form.
        return self.build(low)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables")
    parser.add_argument("source", nargs="?")
    parser.add_argument("--history", metavar="CLONE")
    arguments = parser.parse_args()
    if bool(arguments.source) == bool(arguments.history):
        parser.error("needs SOURCE or --history CLONE")
    usual = Usual(Tables(arguments.tables))
    if arguments.history:
        history = History(arguments.history)
        usual.write_first({(row[ARCHITECTURES], row[NAMES]): history.first(row[ARCHITECTURES], row[NAMES])
                           for row in usual.rows})  # fmt: skip
        return 0
    written = Converters(arguments.source).usual()
    print(f"{len(written)} architectures, for which the converters always write {sum(map(len, written.values()))} keys")
    for line in usual.differences(written):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
