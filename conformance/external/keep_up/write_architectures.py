"""Writes what was learnt of architectures into the files of conformance/tables/architectures.

  write_architectures.py [--tables TABLES] FOLDER [NAME...]

Reads FOLDER/NAME.json, which learn_architectures.py wrote; by default, all of
them. An architecture without a file gets the shortest one: it names the groups
whose rows all say what was learnt, and has rows for the rest. Of an architecture
that has a file, only the differences are printed.

The wording of rows may differ from what was learnt, as long as it means the same:
it is compared on models that the learnt rows allow, each with other values of
keys and other optional tensors. Where two wordings mean the same, the one that
most files have is written.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import functools
import glob
import json
import os
import re
import sys
import tempfile
import zlib

import expressions
from definitions import DEFINED
from features import stack_of
from merge_rows import Changes, merge
from model import block, folded
from points import INTEGERS, Points, meaning_of, tensor_rows, type_set
from shared_tables import (BASE, CELLS, GENERAL, Tables, blocks_of, learnt_cells, new_everywhere, symbol_value, text_or, write_everywhere,
                           write_standard_keys, write_symbols)

from table_compiler import JOINED, Mistake, write_tables

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = "what\tname\tvalue\trequired\twhen"
# Groups of what a file names by itself, or no loader shows.
NEVER_CHOSEN = (*BASE, "known", "spec")


class AnyNumbers:
    """An Env in which each symbol has a number of its own."""

    @staticmethod
    def value(symbol, i):
        return 1 + zlib.crc32(symbol.encode()) % 9973


def equal(one, other):
    """Whether two sizes are the same whatever the symbols are."""
    return expressions.compiled(one)(AnyNumbers, 0) == expressions.compiled(other)(AnyNumbers, 0)


def fused_shapes(document):
    """Corrects shapes that were observed in few loads, in which shorter expressions give the same numbers.

    A fused weight has as many rows as the weights in whose place it is, as in all files; a
    bias has as many elements as its weight has rows. Returns the names.
    """
    by_name = collections.defaultdict(list)
    for row in document["tensors"]:
        by_name[row["name"]].append(row)

    def rows_of(name):
        """Returns the second dimension of a weight; None if it has not just one row with two of them."""
        found = by_name.get(name, [])
        shape = expressions.shape(found[0]["shape"] or "") if len(found) == 1 else None
        return shape[1] if shape and len(shape) == 2 else None

    changed = []

    def correct(name, size):
        row = by_name[name][0]
        shape = expressions.shape(row["shape"] or "") if len(by_name[name]) == 1 and size else None
        if shape and not equal(shape[-1], size):
            row["shape"] = "[" + ", ".join([*shape[:-1], size]) + "]"
            changed.append(name)

    for name in list(by_name):
        parts = [rows_of(name.replace("attn_qkv", "attn_" + one)) for one in "qkv"]
        alone = f'absent("{name}")' in str(by_name.get(name.replace("attn_qkv", "attn_q"), [{}])[0].get("when"))
        if name.endswith("attn_qkv.weight") and all(parts) and alone:
            q, k, v = parts
            correct(name, f"{q} + 2 * {k}" if equal(k, v) else f"{q} + {k} + {v}")
    for name in list(by_name):
        weight = name.removesuffix(".bias") + ".weight"
        if name.endswith(".bias") and f'present("{weight}")' in (by_name[name][0]["when"] or ""):
            correct(name, rows_of(weight))
    return changed


class Writer:
    """Finds the rows of one architecture."""

    def __init__(self, tables, document):
        self.tables, self.document, self.name = tables, document, document["architecture"]
        self.notes = [f"{name}: a fused tensor is as large as its parts" for name in fused_shapes(document)]
        for row in document["stacks"]:
            counts = [str(one["value"]) for one in document["smallest"]["keys"] if one["name"] == "{arch}.block_count"]
            if row["count"] in counts:
                row["count"] = "n_layer"
                self.notes.append(f"{row['prefix']}: their number never varied, n_layer is assumed")
        self.keys = {row["name"]: row for row in document["keys"] if row["name"] not in GENERAL}
        self.tensors = collections.defaultdict(list)
        for row in document["tensors"]:
            self.tensors[row["name"]].append(row)
        self.notes += [f"{row['name']}: {row['what']} is unexplained" for row in document["unexplained"]]
        for name, rows in self.tensors.items():
            for other in re.findall(r'(?:present|absent)\("([^"]*)"\)', " ".join(str(row["when"]) + str(row["required"]) for row in rows)):
                if other not in self.tensors:
                    self.notes.append(f"{name}: depends on {other}, which no model had")
            shapes = [expressions.shape(row["shape"] or "") or [] for row in rows]
            if any(shape != ["1"] and any(one.isdigit() for one in shape) for shape in shapes):
                self.notes.append(f"{name}: a dimension of {rows[0]['shape']} never varied")
        self.points = Points(document)
        self.points.vary()
        self.groups = self._symbol_groups()
        self.sizes = self._sizes()

    # Symbols that blocks define.

    def _symbol_groups(self):
        """Chooses the groups that define symbols as was learnt; the other definitions are rows of the file."""
        self.definitions = [row for row in self.document["symbols"] if row["symbol"] in DEFINED]
        chosen = []
        for name, rows in self.tables.groups.items():
            defined = [row for row in rows if row[0] == "symbol"]
            keys = [row for row in rows if row[0] in ("key", "tiny")]
            if name in NEVER_CHOSEN or not defined or not all(row[1] in self.keys for row in keys):
                continue
            symbols = {row[1] for row in defined}
            if symbols <= {row["symbol"] for row in self.definitions} and self.points.defines(defined) and all(
                    self.same_key(row) for row in rows if row[0] == "key"):  # fmt: skip
                chosen.append(name)
                rest = [row for row in self.definitions if row["symbol"] not in symbols]
                self.definitions = [row for row in rest if row["symbol"] != "swa_period" or "is_swa" not in symbols]
        for symbol in ("is_swa", "is_recr"):
            if symbol not in {row["symbol"] for row in self.document["symbols"]} and self._direct(symbol):
                self.notes.append(f"{symbol}: nothing defines it")
        if not self.points.explains_smallest:
            self.notes.append("the learnt rows do not give the tensors of the smallest model")
        return chosen

    def _direct(self, symbol):
        return any(f"{symbol}[" in str(row[cell]) for row in self.document["tensors"] for cell in CELLS)

    # Meaning of keys.

    def _same_types(self, types, name):
        """Whether a row's types, or those of standard_keys.tsv, are those that were learnt."""
        learnt = type_set(self.keys[name]["type"])
        if types:
            return type_set(types) <= learnt
        known = self.tables.standard.get(name)
        return known is None or not learnt or known[2] == "-" or type_set(known[2]) == learnt

    def same_key(self, row):
        """Whether a row `key` of a group says what was learnt."""
        _, name, value, required, when = row
        learnt = self.keys.get(name)
        if learnt is None or not self._same_types(value.split(" ")[0] if value and value[0] != "[" else "", name):
            return False
        need, asked = (text_or(learnt[cell], cell) for cell in ("required", "when"))
        required, need = self._required(required), self._required(need)
        return self.points.holds(when) == self.points.holds(asked) and required == need

    def _required(self, text):
        return self.points.holds(text) if text else [False] * len(self.points.envs)

    def _sizes(self):
        """Returns for each key that is needed, but not required, in which models it is; None if shapes do not tell."""
        found = {}
        for name, row in self.keys.items():
            if row["required"] != "false" or not self.points.envs:
                continue
            if name.replace("{arch}", self.name) not in self.points.smallest:
                if any(needs := self.points.needs(name, empty=True)):
                    found[name] = needs
            elif row["needed"]:
                needs = self.points.needs(name)
                found[name] = needs if needs[0] else None
        # Where there are experts, the loader insists on a number of those in use.
        if "{arch}.expert_used_count" in self.keys and found.get("{arch}.expert_count"):
            found["{arch}.expert_used_count"] = found["{arch}.expert_count"]
        return found

    def _same_size(self, row):
        """Whether a row `size` of a group says what was learnt."""
        if row[1] not in self.sizes:
            return False
        holds, needs = self.points.holds("" if row[3] == "true" else row[3]), self.sizes[row[1]]
        return holds == needs if needs else bool(holds and holds[0])

    # Groups.

    def _agrees(self, rows):
        """Whether all rows of a group say what was learnt."""
        for row in rows:
            if row[0] == "key" and not self.same_key(row) or row[0] == "size" and not self._same_size(row):
                return False
            if row[0] == "tiny" and row[1] not in self.keys or row[0] == "symbol":
                return False
            if row[0] == "blocks" and (row[1], row[2]) not in [(one["prefix"], blocks_of(one)) for one in self.document["stacks"]]:
                return False
        names = dict.fromkeys(row[1] for row in rows if row[0] == "tensor")
        return all(name in self.tensors and self.same_rows(rows, name) for name in names)

    def same_rows(self, rows, name):
        """Whether rows about a tensor mean what was learnt of it."""
        stack, rows, learnt = stack_of(name), tensor_rows(rows, name), self.tensors.get(name, [])
        if self.points.means(rows, stack) != self.points.means(learnt, stack):
            return False
        if len(rows) != len(learnt):
            return not rows or not learnt
        return all(self.points.akin(one[cell], other[cell], cell) for one, other in zip(rows, learnt) for cell in CELLS)

    def choose(self):
        """Returns the groups to name: those that cover most come first; what one covers, no other may."""
        chosen = list(self.groups)
        rows = [row for row in self.tables.base if row[0] != "key"] + [row for name in chosen for row in self.tables.rows_of_group(name)]
        covered = {self._about(row) for row in rows if row[0] != "tiny"}
        agreeing = {}
        for name in self.tables.groups:
            rows = self.tables.rows_of_group(name)
            about = {self._about(row) for row in rows} - {("tiny", row[1]) for row in rows}
            if name not in NEVER_CHOSEN and name not in chosen and about and self._agrees(rows):
                agreeing[name] = about
        # Of groups that say the same here, the one with the fewest symbols is the strictest.
        symbols = {name: len({one for row in self.tables.rows_of_group(name) for one in re.findall(r"[a-z]\w*", row[2])}) for name in agreeing}
        for name in sorted(agreeing, key=lambda name: (-len(agreeing[name]), symbols[name], name)):
            if not agreeing[name] & covered:
                chosen.append(name)
                covered |= agreeing[name]
        return chosen, covered

    @staticmethod
    def _about(row):
        return row[0], row[1]

    # Rows.

    def _usual(self, name, cell, index, row):
        """Returns the wording of a cell that most files have, of those that mean the same."""
        written = text_or(row[cell], cell)
        stack, wanted = stack_of(name), self.points.means([row], stack_of(name))
        best, most = written, self._times("tensor", name, index, written)
        for cells in self.tables.known("tensor", name):
            times = self._times("tensor", name, index, cells[index])
            if cell != "shape" and "present" not in written + cells[index] and "absent" not in written + cells[index]:
                continue  # Conditions on keys stay as they were learnt.
            if "n_layer" in cells[index] and "n_layer" not in written and cell != "shape":
                continue
            if times > most and cells[index] != best and (cell != "shape" or cells[index]):
                if self.points.akin(cells[index], row[cell], cell) and self.points.means([{**row, cell: cells[index]}], stack) == wanted:
                    best, most = cells[index], times
        return best

    def _times(self, what, name, index, text):
        return sum(times for cells, times in self.tables.known(what, name).items() if cells[index] == text)

    def rows_of_tensor(self, name):
        rows = []
        for row in self.tensors[name]:
            row = dict(row)
            for index, cell in ((2, "when"), (1, "required"), (0, "shape")):
                if row[cell] is not None and len(self.tensors[name]) == 1:
                    row[cell] = self._usual(name, cell, index, row)
            rows.append(["tensor", name, *(text_or(row[cell], cell) for cell in CELLS)])
        return rows

    def row_of_key(self, name):
        row = self.keys[name]
        types = "" if self._same_types("", name) or not row["type"] else row["type"]
        learnt = type_set(row["type"])
        known = [cells[0] for cells in self.tables.known("key", name)]
        per_block = any("[n_layer_all]" in one for one in known) if known else any(
            one.startswith("arr") for one in learnt) and learnt & set(INTEGERS)  # fmt: skip
        value = "[n_layer_all]" if per_block else ""
        required = text_or(row["required"], "required")
        values = collections.Counter()
        for cells, times in self.tables.known("key", name).items():
            if re.fullmatch(r"(\S+ )?(\[n_layer_all\])?|[^ []+", cells[0]) and bool(cells[1]) == bool(required):
                values[cells[0]] += times
        if not types and values:
            value = max(sorted(values), key=values.get)
        return ["key", name, " ".join(filter(None, (types, value))), required, text_or(row["when"], "when")]

    def _size_row(self, name):
        needs = self.sizes[name]
        types = "u32,arr[i32|u32]" if {"u32", "arr[u32]"} <= type_set(self.keys[name]["type"]) else ""
        if not needs or all(needs):
            return ["size", name, types, "true", ""]
        texts = [cells[1] for cells in self.tables.known("size", name)]
        if "expert" in name:  # Its smallest model has the key before it has tensors.
            whens = (row["when"] for row in self.document["tensors"] if "n_expert" in (row["shape"] or ""))
            texts[:0] = [f"any_block({when})" for when in dict.fromkeys(whens) if when and when != "true" and "sent(" not in when]
        texts += [f'any_block(present("{tensor}"))' if "%d" in tensor else f'present("{tensor}")' for tensor in self.tensors]
        wrong = [sum(a != b for a, b in zip(self.points.holds("" if text == "true" else text), needs)) for text in texts]
        if min(wrong) and name.replace("{arch}", self.name) not in self.points.smallest:
            return None
        if min(wrong):
            self.notes.append(f"{name}: the condition of its size is wrong for {min(wrong)} of {len(needs)} models")
        return ["size", name, types, texts[wrong.index(min(wrong))], ""]

    def _withouts(self):
        """Returns rows that remove what groups/loader.tsv says of tensors and is otherwise here."""
        every = self.tables.base
        names = dict.fromkeys(row[1] for row in every if row[0] == "tensor")
        return [name for name in names if not self.same_rows(every, name)]

    def _tiny(self, chosen):
        """Returns rows about the smallest model: values that tables do not give it, and optional tensors that it has."""
        given = {**self.tables.tiny}
        in_groups = {row[1]: row[2] for name in (*BASE, *chosen) for row in self.tables.rows_of_group(name) if row[0] == "tiny"}
        rows = []
        for row in self.document["smallest"]["keys"]:
            name, kind, value = row["name"], row["type"], row["value"]
            learnt = self.keys.get(name, {"required": "false", "needed": False})
            if name in GENERAL or not (learnt["needed"] or learnt["required"] == "true" or name in in_groups):
                continue
            text = f"[{' '.join(map(str, value))}]" if isinstance(value, list) else str(value)
            old = in_groups.get(name) or given.get(name)
            if old and (old.split(" ", 1)[1] == text or kind in ("f32", "bool", "str")):
                continue
            if name in in_groups:
                rows.append(["without", name, "tiny", "", ""])
            rows.append(["tiny", name, f"{kind} {text}", "", ""])
        required = set()
        for name in self.points.present if self.points.first else ():
            asked = meaning_of(self.tensors[folded(name)], self.points.first, block(name) or 0)
            if asked and asked[1]:
                required.add(folded(name))
        optional = dict.fromkeys(name for name in map(folded, self.points.present) if name not in required)
        rows += [["tiny", name, "", "", ""] for name in optional]
        return rows

    def text(self):
        """Returns the file."""
        chosen, covered = self.choose()
        key_place = {name: number for number, name in enumerate(self.keys)}
        tensor_place = {name: number for number, name in enumerate(self.tensors)}
        top = [["first", "model", self.document["build"], "", ""]]
        keys, tensors = [], []
        for group in chosen:
            rows = self.tables.rows_of_group(group)
            row = ["group", group, "", "", ""]
            places = [tensor_place[one[1]] for one in rows if one[0] == "tensor"]
            if places:
                tensors.append((min(places), [row]))
            elif any(one[0] == "blocks" for one in rows):
                top.append(row)
            else:
                names = [key_place[one[1]] for one in rows if one[0] in ("key", "size") and one[1] in key_place]
                is_size = any(one[0] == "size" for one in rows)
                defines = any(one[0] == "symbol" for one in rows)
                keys.append(((0 if defines else 2 if is_size else 1, min(names, default=-1)), [row]))
        every = self.tables.base
        for row in self.definitions:
            keys.append(((0, -1), [["symbol", row["symbol"], symbol_value(row), "", ""]]))
        for row in self.document["stacks"]:
            one = ["blocks", row["prefix"], blocks_of(row), "", ""]
            if one not in every and self._about(one) not in covered:
                top.append(one)
        top.append(["group", "loader", "", "", ""])
        for name, row in self.keys.items():
            if ("key", name) not in covered and not any(
                    self._about(one) == ("key", name) and self._same_every(one) for one in every):
                keys.append(((1, key_place[name]), self._without_every("key", name) + [self.row_of_key(name)]))
            if name in self.sizes and ("size", name) not in covered and (size := self._size_row(name)):
                keys.append(((2, key_place[name]), [size]))
        withouts = self._withouts()
        for name in self.tensors:
            if ("tensor", name) not in covered or name in withouts:
                tensors.append((tensor_place[name], self.rows_of_tensor(name)))
        parts = [top, flat(keys), [["without", name, "tensor", "", ""] for name in withouts] + flat(tensors), self._tiny(chosen)]
        blocks = ["\n".join("\t".join(row) for row in part) + "\n" for part in parts if part]
        return HEADER + "\n" + "\n".join(blocks)

    def _same_every(self, row):
        """Whether a row `key` of groups/loader.tsv says what was learnt; it need not tell keys that always exist apart."""
        learnt = self.keys[row[1]]
        if self.points.holds(row[4]) != self.points.holds(text_or(learnt["when"], "when")):
            return False
        return bool(row[3]) == (learnt["required"] not in ("false", None)) or row[3] not in ("", "true")

    def _without_every(self, what, name):
        """Returns a row that removes one of groups/loader.tsv that says something else."""
        every = self.tables.base
        return [["without", name, what, "", ""]] if any(self._about(row) == (what, name) for row in every) else []

    # Comparison.

    def missing(self):
        """Returns what the observations cannot have shown: a file without it would reject real models."""
        experts = [name for name in self.keys if name.endswith("expert_feed_forward_length")]
        if experts and not any("_exps." in name for name in self.tensors):
            return f"{experts[0]} is read, but no model had experts"
        return None

    def differences(self, joined):
        """Returns what the joined rows of the file say otherwise than what was learnt."""
        number = joined.names.index(self.name)
        own = [(places[number], cells) for cells, places in joined.tables["tensors"] if number in places]
        rows = [["tensor", *(cell.text for cell in cells)] for _, cells in sorted(own, key=lambda one: one[0])]
        found = []
        for name in dict.fromkeys([*self.tensors, *(row[1] for row in rows)]):
            if not self.same_rows(rows, name):
                texts = [" | ".join("  ".join(str(row[cell]) for cell in CELLS) for row in some) or "nothing"
                         for some in (tensor_rows(rows, name), self.tensors.get(name, []))]  # fmt: skip
                found.append(f"tensor {name}: {texts[0]}; learnt: {texts[1]}")
        for name in self.keys:
            if number not in joined.readers.get(name, ()):
                found.append(f"key {name}: nothing; learnt: it is read")
        return found


def flat(places):
    """Returns lists of rows, in the order of their places."""
    return [row for _, rows in sorted(places, key=lambda one: one[0]) for row in rows]


def check(tables):
    """Compiles the joined rows, as the build does; a wrong cell raises a Mistake."""
    types = os.path.join(HERE, "../../../parser/tensor_types.tsv")
    rows = {f"{name}.tsv": name for name in ("standard_keys", "required_keys", "tiny_models")}
    pairs = [f"{tables.path(name)}={row}" for name, row in rows.items()] + [f"{name}={name}" for name in JOINED]
    with tempfile.TemporaryDirectory(prefix="ggufcheck-keep-up-") as folder:
        write_tables(folder, "tables", "tables", tables.path("symbols.tsv"), types, *pairs, *tables.architecture_files())


def write(root, documents, names):
    """Writes the files of the named documents, and changes those that exist; returns lines to print and the number of faults.

    All documents tell what the loader reads of every architecture.
    """
    tables = Tables(root)
    lines, faults = [], 0
    all_documents = [one for one in documents if one["loads"]]
    documents = [one for one in all_documents if one["architecture"] in names]
    known = [one for one in documents if one["architecture"] in tables.files]
    for what, names in (("standard_keys.tsv", write_standard_keys(tables, documents)), ("symbols.tsv", write_symbols(tables, documents))):
        lines += [f"{what}: {name}" for name in names]
    everywhere = new_everywhere(tables, all_documents)
    write_everywhere(tables, everywhere, documents[0]["build"] if documents else None)
    lines += [f"groups/loader.tsv: {name}" for name in everywhere]
    tables, written = Tables(root), []
    for document in (one for one in documents if one not in known):
        writer = Writer(tables, document)
        path = tables.path("architectures", writer.name + ".tsv")
        why = writer.missing()
        if not why:
            with open(path, "w", encoding="utf-8") as out:
                out.write(writer.text())
            if why := mistake_in(tables):
                os.remove(path)
        if why:
            faults += 1
            lines += [f"{writer.name}: {note}" for note in [f"not written: {why}", *writer.notes]]
        else:
            written.append(writer)
            lines.append(f"{writer.name}: written")
    joined = Tables(root).join()
    for writer in written:
        found = writer.differences(joined)
        faults += bool(found)
        lines += [f"{writer.name}: {note}" for note in writer.notes + found]
    changes = [Changes(tables, one, functools.cache(lambda one=one: Writer(tables, one))) for one in known]
    merged, wrong = merge(tables, changes, lambda: mistake_in(tables))
    return lines + merged, faults + wrong


def mistake_in(tables):
    """Returns what the compiler of the tables rejects; None if it takes them."""
    try:
        check(tables)
    except Mistake as mistake:
        return str(mistake)
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=expressions.TABLES)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    documents = []
    for path in sorted(glob.glob(os.path.join(options.folder, "*.json"))):
        with open(path, encoding="utf-8") as text:
            documents.append(json.load(text))
    learnt = [one["architecture"] for one in documents]
    if missing := set(options.names) - set(learnt):
        parser.error(f"nothing was learnt of {', '.join(sorted(missing))}")
    lines, faults = write(os.path.realpath(options.tables), documents, options.names or learnt)
    print("\n".join(lines))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
