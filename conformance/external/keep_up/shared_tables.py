"""Reads the tables as files, and adds the keys and symbols that new architectures bring to those that all share.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import functools
import glob
import os
import re

import expressions  # For the path of table_compiler.  # noqa: F401

from table_compiler import SYMBOL_VALUE, Architectures

# The loader reads these before it knows the architecture; rules of their own check them.
GENERAL = ("general.architecture", "general.alignment")
CELLS = ("shape", "required", "when")
BASE = ("every", "loader")  # The groups of what the loader reads of each architecture.


def cells_of(path):
    """Returns the rows of a table, without comments and the header."""
    with open(path, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines if line.strip() and not line.startswith("#")]
    return rows[1:]


def symbol_cells(value):
    """Returns key and otherwise of a row `symbol`."""
    parts = SYMBOL_VALUE.fullmatch(value)
    return {"key": parts[1] or "", "otherwise": parts[2]}


def text_or(text, cell):
    """Returns a cell of a document as tables have it: an empty one for what holds always, or is never required."""
    return "" if text is None or text == {"required": "false", "when": "true"}.get(cell) else text


def learnt_cells(row):
    """Returns the cells of a row of a document, about a tensor or a key, as tables have them."""
    return [text_or(row.get(cell), cell) for cell in CELLS]


def symbol_value(row):
    """Returns the value of a row `symbol`."""
    return " or ".join(filter(None, (row["key"], row["otherwise"])))


def blocks_of(row):
    """Returns the value of a row `blocks`."""
    loops = row.get("loops")
    return (row["count"] or "n_layer") + (f" looped {loops}" if loops else "")


class Tables:
    """The files of a folder as conformance/tables."""

    def __init__(self, root):
        self.root = root
        self.files = {self.name_of(path): cells_of(path) for path in self.paths("architectures/*.tsv")}
        self.groups = {self.name_of(path): cells_of(path) for path in self.paths("architectures/groups/*.tsv")}
        self.standard = {row[0]: row for row in cells_of(self.path("standard_keys.tsv"))}
        self.base = [row for name in BASE for row in self.groups[name]]
        self.tiny = {name: value for kind, name, value in cells_of(self.path("tiny_models.tsv")) if kind == "value"}

    def path(self, *names):
        return os.path.join(self.root, *names)

    def paths(self, pattern):
        return sorted(glob.glob(self.path(pattern)))

    @staticmethod
    def name_of(path):
        return os.path.basename(path).removesuffix(".tsv")

    def architecture_files(self):
        return self.paths("architectures/*.tsv") + self.paths("architectures/groups/*.tsv")

    def expanded(self, name):
        """Returns the rows of an architecture, with those of groups in place of their names."""
        return [[cell.text for cell in row] for row in self.join().expanded(name)]

    def rows_of_group(self, name):
        """Returns the rows of a group, with those of groups that it names in place of their names."""
        return [one for row in self.groups[name] for one in (self.rows_of_group(row[1]) if row[0] == "group" else [row])]

    def groups_of(self, name):
        """Returns the groups that an architecture names, and those that these name."""
        found, todo = ["every"], [row[1] for row in self.files[name] if row[0] == "group"]
        while todo:
            found.append(todo.pop())
            todo += [row[1] for row in self.groups[found[-1]] if row[0] == "group"]
        return found

    def about_of_group(self, name):
        """Returns what the rows of a group are about, also those of groups that it names."""
        return {tuple(row[:2]) for row in self.rows_of_group(name)}

    @functools.cache
    def join(self):
        """Returns the facts of all architectures; a wrong cell raises a Mistake."""
        return Architectures(self.architecture_files(), self.path("standard_keys.tsv"))

    def known(self, what, name):
        """Returns the rows of all files and groups about a name, with how often an architecture has them."""
        return self._rows.get((what, name), {})

    @functools.cached_property
    def _rows(self):
        uses = collections.Counter(row[1] for rows in self.files.values() for row in rows if row[0] == "group")
        found = collections.defaultdict(collections.Counter)
        for rows, times in [(rows, 1) for rows in self.files.values()] + [(rows, uses[name]) for name, rows in self.groups.items()]:
            for row in rows:
                found[row[0], row[1]][tuple(row[2:])] += times
        return found


def insert_sorted(path, row, is_after):
    """Inserts a row before the first one that comes after it, and the comments and empty lines above that."""
    with open(path, encoding="utf-8") as text:
        lines = text.read().splitlines()
    at = next((k for k, line in enumerate(lines) if is_after(line)), len(lines))
    while at and (not lines[at - 1] or lines[at - 1].startswith("#")):
        at -= 1
    lines.insert(at, row)
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def write_standard_keys(tables, documents):
    """Adds the keys that standard_keys.tsv lacks, and says of others that the loader reads them now."""
    path, changed = tables.path("standard_keys.tsv"), []
    types = {}
    for row in (row for document in documents for row in document["keys"]):
        if row["name"] not in GENERAL and row["type"]:
            types.setdefault(row["name"], {"any": "scalar,array"}.get(row["type"], row["type"]))
    for name, text in sorted(types.items()):
        old = tables.standard.get(name)
        if old is None:
            row = "\t".join([name, "-", text, "-", "model", "", "any", "", "0", "current", ""])
            insert_sorted(path, row, lambda line, name=name: not re.match(r"#|key!|$", line) and line.split("\t")[0] > name)
            changed.append(name)
        elif old[2] == "-":
            with open(path, encoding="utf-8") as lines:
                contents = lines.read()
            new = [*old[:2], text, old[3], "model" if old[4] == "never" else old[4], *old[5:]]
            with open(path, "w", encoding="utf-8") as out:
                out.write(contents.replace("\n" + "\t".join(old) + "\n", "\n" + "\t".join(new) + "\n"))
            changed.append(name)
    return changed


def write_symbols(tables, documents):
    """Adds the symbols that documents define to symbols.tsv, behind those of single families."""
    path = tables.path("symbols.tsv")
    known = {row[0] for row in cells_of(path)}
    changed = []
    for row in (row for document in documents for row in document["symbols"]):
        if row["symbol"] not in known:
            known.add(row["symbol"])
            insert_sorted(path, "\t".join(row[cell] for cell in ("symbol", "type", "key", "otherwise")),
                          lambda line: line.startswith("general_type\t"))
            changed.append(row["symbol"])
    return changed


def new_everywhere(tables, documents):
    """Returns the rows of keys that no file has, and all documents have alike: the loader reads them of every architecture."""
    known = {row[1] for rows in [*tables.files.values(), *tables.groups.values()] for row in rows if row[0] == "key"}
    rows = [{row["name"]: (row["required"], row["when"]) for row in document["keys"]} for document in documents]
    if len(rows) < 2:
        return []
    return [name for name, cells in sorted(rows[0].items()) if name not in known and name not in GENERAL
            and cells == ("false", "true") and all(one.get(name) == cells for one in rows)]  # fmt: skip


def write_everywhere(tables, names, build):
    path = tables.path("architectures/groups/loader.tsv")
    for name in names:  # They are sorted there, behind those that are required.

        def is_after(line, name=name):
            cells = line.split("\t")
            return cells[0] == "tensor" or (cells[0] == "key" and not cells[3] and cells[1] > name)

        insert_sorted(path, f"key\t{name}\t\t\t", is_after)
        insert_sorted(path, f"first\t{name}\t{build}\t\t", lambda line: line.startswith(("blocks\t", "key\t")))
