"""Puts what was learnt into the files of architectures that have one.

A row whose meaning is what was learnt keeps its wording.  What all architectures that
name a group have otherwise is changed in the group.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import os
import re

from definitions import DEFINED
from points import type_set
from shared_tables import GENERAL, blocks_of, learnt_cells, symbol_value

NEVER_VARIED = re.compile(r"(?<![\w.])(?:[2-9]|\d\d+)(?= *[,\]])")  # A dimension that is a number.
MOVABLE = ("key", "tensor")  # Rows about these may be in groups.


def text_of(rows):
    return ["\t".join(row) for row in rows]


class Changes:
    """What a document says otherwise than the rows of its architecture: {(what, name): rows}."""

    def __init__(self, tables, document, writer):
        self.tables, self.document, self.name = tables, document, document["architecture"]
        self.own = collections.defaultdict(list)
        for row in tables.expanded(self.name):
            self.own[row[0], row[1]].append(row)
        self.rows = {}
        self._writer = writer
        self._find()

    def _find(self):
        tensors = collections.defaultdict(list)
        for row in self.document["tensors"]:
            tensors[row["name"]].append(["tensor", row["name"], *learnt_cells(row)])
        for name, rows in tensors.items():
            own = self.own["tensor", name]
            explained = all(row[cell] is not None for row in self.document["tensors"] if row["name"] == name
                            for cell in ("shape", "required", "when"))  # fmt: skip
            varied = not any(NEVER_VARIED.search(row[2]) for row in rows)
            if own != rows and explained and (not own and varied or not self._writer().same_rows(own, name)):
                self.rows["tensor", name] = self._writer().rows_of_tensor(name)
        for row in self.document["keys"]:
            self._compare_key(row)
        for row in self.document.get("contradicted", ()):
            if self.own[row["what"], row["name"]]:
                self.rows[row["what"], row["name"]] = []
        for row in self.document["stacks"]:
            value = blocks_of(row)
            own = self.own["blocks", row["prefix"]]
            if row["count"] and not row["count"].isdigit() and own and own[0][2] != value:
                self.rows["blocks", row["prefix"]] = [["blocks", row["prefix"], value, "", ""]]
        for row in self.document["symbols"]:
            rows = [["symbol", row["symbol"], symbol_value(row), "", ""]]
            if row["symbol"] in DEFINED and self.own["symbol", row["symbol"]] != rows:
                self.rows["symbol", row["symbol"]] = rows

    def _compare_key(self, row):
        name = row["name"]
        own = self.own["key", name]
        if name in GENERAL or row["required"] is None or row["when"] is None:
            return
        cells = learnt_cells(row)[1:]
        if len(own) > 1:  # That of all architectures, and one of its own that says more.
            if own[0][3:] == cells and not row["needed"]:
                self.rows["key", name] = []
            return
        if not own:
            self.rows["key", name] = [self._writer().row_of_key(name)]
            return
        value = own[0][2]
        types, _, rest = ("", "", value) if value.startswith(("[", "or ")) else value.partition(" ")
        wrong = types and row["type"] and not type_set(types) <= type_set(row["type"])
        either = value.partition("or ")[2]  # The key that stands in its place.
        needed = row["needed"] or any(one["needed"] for one in self.document["keys"] if one["name"] == either)
        if needed and row["required"] == "false" and own[0][3]:
            cells[0] = own[0][3]  # The loader insists on it without a mark.
        if own[0][3:] != cells and not self._writer().same_key(own[0]) or wrong:
            value = " ".join(filter(None, (row["type"] if wrong else types, rest)))
            self.rows["key", name] = [["key", name, value, *cells]]


class File:
    """The lines of a file, to be changed."""

    def __init__(self, path, covered):
        self.path, self.covered = path, covered  # covered: {group: {(what, name)}}
        with open(path, encoding="utf-8") as lines:
            self.lines = lines.read().splitlines()
        self.before = list(self.lines)

    def has(self, about):
        return any(tuple(line.split("\t")[:2]) == about for line in self.lines)

    def _about(self, line):
        """Returns what a line is about: one row, or those of a group."""
        what, name, *_ = [*line.split("\t"), ""]
        return self.covered.get(name, set()) if what == "group" else {(what, name)}

    def put(self, about, rows, order):
        """Puts rows in place of those about a name; new ones come behind what comes before them in `order`."""
        places = [k for k, line in enumerate(self.lines) if tuple(line.split("\t")[:2]) == about]
        if places:
            for k in reversed(places):
                del self.lines[k]
            self.lines[places[0] : places[0]] = text_of(rows)
            return
        groups = [k for k, line in enumerate(self.lines) if line.startswith("group\t") and about in self._about(line)]
        if groups:
            self.lines[groups[-1] + 1 : groups[-1] + 1] = [f"without\t{about[1]}\t{about[0]}\t\t", *text_of(rows)]
            return
        before = set(order[: order.index(about)]) if about in order else set()
        known = [k for k, line in enumerate(self.lines) if self._about(line) & before]
        ends = [k for k, line in enumerate(self.lines) if line and not line.startswith(("#", "tiny\t"))]
        at = (known or ends)[-1] + 1
        self.lines[at:at] = text_of(rows)

    def first(self, name, build):
        """Adds the first build of a name."""
        row = f"first\t{name}\t{build}\t\t"
        if row not in self.lines:
            places = [k for k, line in enumerate(self.lines) if line.startswith("first\t")]
            at = places[-1] + 1 if places else next(k for k, line in enumerate(self.lines) if line.startswith("what\t")) + 1
            self.lines.insert(at, row)

    def write(self):
        if self.lines != self.before:
            with open(self.path, "w", encoding="utf-8") as out:
                out.write("\n".join(self.lines) + "\n")
        return self.lines != self.before

    def revert(self):
        with open(self.path, "w", encoding="utf-8") as out:
            out.write("\n".join(self.before) + "\n")


def shared(tables, all_changes):
    """Returns the changes of groups, {group: {(what, name): rows}}, and takes them from those of architectures."""
    users = collections.defaultdict(list)
    for changes in all_changes:
        for group in tables.groups_of(changes.name):
            users[group].append(changes)
    users_of = collections.Counter(group for name in tables.files for group in tables.groups_of(name))
    found = collections.defaultdict(dict)
    for group, members in users.items():
        for about in dict.fromkeys(tuple(row[:2]) for row in tables.groups[group] if row[0] in MOVABLE):
            wanted = [changes.rows.get(about) for changes in members]
            own = [row for row in tables.groups[group] if tuple(row[:2]) == about]
            if 2 * len(members) <= users_of[group] or any(rows is None or rows != wanted[0] for rows in wanted):
                continue
            if all(changes.own[about] == own for changes in members):
                found[group][about] = wanted[0]
                for changes in members:
                    del changes.rows[about]
    return found


def merge(tables, all_changes, is_valid):
    """Changes the files; returns lines that say what changed, and the number of changes that are not valid."""
    lines, faults = [], 0
    covered = {group: tables.about_of_group(group) for group in tables.groups}
    plans = [(os.path.join("groups", group), {}, rows, []) for group, rows in shared(tables, all_changes).items()]
    for changes in all_changes:
        order = [(row["what"], row["name"]) for row in changes.document["keys"] + changes.document["tensors"]]
        plans.append((changes.name, changes.own, changes.rows, order))
        plans[-1] += (changes.document,) if changes.document.get("newer") else ()
    for name, own, rows, order, *document in plans:
        if not rows:
            continue
        file = File(tables.path("architectures", name + ".tsv"), covered)
        for about, new in rows.items():
            file.put(about, new, order)
            old = own.get(about, [])
            lines.append(f"{name}: {' '.join(about)}: {texts(old)}; now: {texts(new)}")
        first = [row[2] for row in own.get(("first", "model"), ())]
        for tensor in document[0]["newer"] if document else ():
            if ("tensor", tensor) in rows and document[0]["build"] not in first:  # All of a new architecture is as new.
                file.first(tensor, document[0]["build"])
        if file.write() and (why := is_valid()):
            file.revert()
            faults += 1
            lines.append(f"{name}: not changed: {why}")
    return lines, faults


def texts(rows):
    return " | ".join("  ".join(filter(None, row[2:])) or "optional" for row in rows) or "nothing"
