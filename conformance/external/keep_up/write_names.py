"""Writes the names that llama.cpp knows into the tables, and corrects their rows.

  write_names.py [--tables TABLES] [--older LLAMA_CPP]... MODULES NAMES

NAMES is the output of list_names.py.  New names get rows in pre_tokenizers.tsv,
tokenizers.tsv, projector_types.tsv, file_types.tsv and standard_keys.tsv; cells that
a trial with the loader contradicts are corrected.  `first` is the oldest version
that knows the name, of that of NAMES and those in the folders LLAMA_CPP
(loader.py).  Run it after write_architectures.py, which writes the keys that
architectures read.

Prints what it wrote, and on lines that begin with "? " what a person must find
out, with the evidence.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import re
import tempfile

import vocabularies
from expressions import expanded
from learn import Loaders, settle
from learn_architectures import Types
from model import Model
from shared_tables import GENERAL, insert_sorted
from wasm_loader import HERE, Answer

import gguf_file as gguf
import loader

NONE = ("none", "no_vocab")
# Names of the loader that are no names of its models.
NOT_LOADED = ("unknown model architecture", "unsupported model architecture", "CLIP cannot be used")


class Table:
    """A table as a file; rows are {column: cell}."""

    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        with open(self.path, encoding="utf-8") as lines:
            rows = [line.rstrip("\n").split("\t") for line in lines if line.strip() and line[0] != "#"]
        self.columns = [re.match(r"\w+", cell)[0] for cell in rows[0]]
        self.rows = [dict(zip(self.columns, row + [""] * len(self.columns))) for row in rows[1:]]

    def find(self, name):
        return next((row for row in self.rows if row[self.columns[0]] == name), None)

    def text(self, row):
        return "\t".join(row.get(column, "") for column in self.columns)

    def add(self, row, is_sorted=False):
        """Adds a row at its place in the order of the names, or at the end."""
        name = row[self.columns[0]]
        after = sorted(one[self.columns[0]] for one in self.rows if is_sorted and one[self.columns[0]] > name)
        self.add_before(self.find(after[0]) if after else None, row)

    def add_before(self, at, row):
        """Adds a row before another one, or at the end."""
        mark = at and self.text(at)
        insert_sorted(self.path, self.text(row), lambda line: line == mark)
        self.rows.insert(self.rows.index(at) if at else len(self.rows), row)
        print(f"{os.path.basename(self.path)}: {row[self.columns[0]]}")

    def change(self, row, cells):
        """Replaces cells of a row."""
        changed = {column: cell for column, cell in cells.items() if row[column] != cell}
        if not changed:
            return
        with open(self.path, encoding="utf-8") as lines:
            text = lines.read()
        before = self.text(row)
        words = ", ".join(f"{column} {cell or '-'}, not {row[column] or '-'}" for column, cell in changed.items())
        row.update(changed)
        with open(self.path, "w", encoding="utf-8") as out:
            out.write(text.replace("\n" + before + "\n", "\n" + self.text(row) + "\n"))
        print(f"{os.path.basename(self.path)}: {row[self.columns[0]]}: {words}")


def ask_person(text):
    print("? " + text)


def ask_about_gone(rows, names, what):
    for name in sorted({next(iter(row.values())) for row in rows} - set(names)):
        ask_person(f"{name}: the loader does not know this {what} any more")


class Versions:
    """The oldest version of llama.cpp that knows a name."""

    def __init__(self, tables, newest, folders):
        self.newest, self.folder = newest, tempfile.TemporaryDirectory(prefix="ggufcheck-keep-up-")
        self.releases, build = {}, 0
        for row in Table(tables, "builds.tsv").rows:
            build = int(row["build"][1:]) if row["build"] != "-" else build + 0.1
            self.releases[row["release"]] = build
        order = sorted(folders, key=lambda folder: self.rank(loader.version(folder)))
        self.older = [(loader.version(folder), loader.Loader(folder)) for folder in order]

    def rank(self, version):
        """Returns a number that grows with the version; a release is as new as builds.tsv says."""
        return int(version[1:]) if version[0] == "b" else self.releases.get(version, 0)

    def first(self, file, message, base=None, known=None, *, shows_known=False):
        """Returns the version; `known` if no loader contradicts it.

        A loader whose messages match `message` does not know the name; with `shows_known`, it
        is the one that knows it. A projector has a `base`; npm's library has no projectors.
        """
        paths = []
        for name, one in (("model.gguf", file), ("base.gguf", base)):
            if one:
                paths.append(os.path.join(self.folder.name, name))
                with open(paths[-1], "wb") as out:
                    out.write(one.build())
        knows = {}
        for version, child in self.older:
            if not base or child.has_projectors:
                messages = child.load(paths[0], *(("projector", paths[1]) if base else ())).messages
                knows[version] = any(re.search(message, text) for text in messages) == shows_known
        knows[self.newest] = True
        if known and all((self.rank(known) <= self.rank(version)) == is_known for version, is_known in knows.items()):
            return known
        return next(version for version, is_known in knows.items() if is_known)

    def close(self):
        for _, child in self.older:
            child.close()
        self.folder.cleanup()


def write_architectures(folder, names, versions):
    """Corrects the first builds of architectures; names those without a file."""
    for name in names:
        path = os.path.join(folder, "architectures", name + ".tsv")
        if not os.path.exists(path):
            ask_person(f"{name}: an architecture without a file")
            continue
        with open(path, encoding="utf-8") as lines:
            text = lines.read()
        row = re.search(r"^first\tmodel\t(\S+)", text, re.M)
        model = Model({"general.architecture": ("str", name)})
        first = row and versions.first(model, "un(known|supported) model architecture", known=row[1])
        if row and first != row[1]:
            with open(path, "w", encoding="utf-8") as out:
                out.write(text.replace(row[0], f"first\tmodel\t{first}"))
            print(f"{name}.tsv: first {first}, not {row[1]}")


def smallest_llama(loaders):
    """Returns a model that a loader reads to its end."""
    keys = {**vocabularies.LLAMA, "llama.vocab_size": ("u32", 8), "tokenizer.ggml.model": ("str", "no_vocab")}
    return settle(loaders, Model(keys))[0]


def write_first_keys(folder, versions, smallest):
    """Corrects the first builds of keys that all architectures read: a loader that reads one refuses a wrong type."""
    table = Table(folder, "architectures/groups/loader.tsv")
    keys = {row["name"] for row in table.rows if row["what"] == "key"}
    for row in table.rows:
        if row["what"] != "first" or row["name"] not in keys:
            continue
        key = row["name"].replace("{arch}", "llama")
        model = smallest.with_key("prism.hadamard.version", "u32", 1) if key.startswith("prism.") else smallest
        refuses = re.escape(key) + ".*(wrong type|wrong array element| is not )"
        table.change(row, {"value": versions.first(model.with_key(key, "i8", (1,)), refuses, known=row["value"], shows_known=True)})


def write_pre_tokenizers(folder, names, vocabulary, versions):
    table = Table(folder, "pre_tokenizers.tsv")
    for name in names:
        bos, unsaid = vocabulary.pre_tokenizer(name)
        row = table.find(name)
        if bos is None:
            ask_person(f"{name}: the loader knows this pre-tokenizer, but no trial loads: {unsaid}")
            continue
        model = vocabularies.vocabulary("gpt2", name)
        first = versions.first(model, "unknown pre-tokenizer", known=row and row["first"])
        if row:
            table.change(row, {"bos": bos, "first": first})
        else:
            table.add({"name": name, "splitting": "unknown", "token_text": "bytes", "bos": bos,
                       "architectures": "*", "first": first})
            ask_person(f"{name}: a pre-tokenizer, of which pre_tokenizers.tsv does not say how it cuts")
        if unsaid:
            ask_person(f"{name}: a pre-tokenizer; {unsaid}, which pre_tokenizers.tsv cannot say")
    ask_about_gone(table.rows, names, "pre-tokenizer")


def write_tokenizers(folder, names, vocabulary, versions):
    table = Table(folder, "tokenizers.tsv")
    for name in names:
        row = table.find(name)
        cells, unsaid = vocabulary.tokenizer(name, table.rows)
        if cells is None:
            ask_person(f"{name}: the loader knows this tokenizer, but no trial loads: {unsaid}")
            continue
        model = vocabularies.vocabulary(name, with_bytes=cells["byte_tokens"] == "required")
        if not row or row["first"] != "-":
            cells["first"] = versions.first(model, "unknown tokenizer", known=row and row["first"])
        if row:
            if row["known_to"] in ("both", "spec"):
                cells["known_to"] = "both"
            if cells["kind"] == "other":
                cells["kind"] = row["kind"]
            table.change(row, cells)
        else:
            table.add({"model": name, "architectures": "*", **cells})
        if cells["kind"] == "other":
            ask_person(f"{name}: a tokenizer; {unsaid}; it needs {', '.join(vocabulary.needed_keys(name))}")
    ask_about_gone([row for row in table.rows if row["known_to"] != "spec"], names, "tokenizer")


def write_projectors(folder, names, versions):
    table, base = Table(folder, "projector_types.tsv"), vocabularies.vocabulary("gpt2")
    for name in names:
        row = table.find(name)
        model = Model({"general.architecture": ("str", "clip"), "clip.projector_type": ("str", name),
                       "clip.has_vision_encoder": ("bool", 1)})  # fmt: skip
        first = versions.first(model, "unknown projector type", base, known=row and row["first"])
        if row:
            table.change(row, {"first": first})
        else:
            row = {"name": name, "merge": "0", "architectures": "*", "first": first, "dim": "0"}
            table.add(row, is_sorted=True)
        if not os.path.exists(os.path.join(folder, "projectors", name + ".tsv")):
            ask_person(f"{name}: a projector of which only the name is known (projector_types.tsv)")
    ask_about_gone(table.rows, names, "projector type")


def write_types(types, found, versions):
    """Corrects the first builds of new tensor types; names those that need a row, a kernel and vectors."""
    known = {int(row["gguf"]): row for row in types.rows if row["gguf"].isdigit()}
    for one in (one for one in found if one["elements"]):
        row, size = known.get(one["id"]), f"{one['bytes']} bytes for {one['elements']} weights"
        if row is None:
            ask_person(f"tensor type {one['id']}, {one['name']}: {size}; it needs a row, a kernel, vectors (docs/extending.md)")
            continue
        if (row["elements"], row["bytes"]) != (str(one["elements"]), str(one["bytes"])):
            ask_person(f"tensor type {row['name']}: it has {size} in llama.cpp")
        if row["first"] != "-":
            file = gguf.GgufFile([gguf.Key("general.architecture", gguf.STR, b"llama")],
                                 [gguf.Tensor("token_embd.weight", [256, 4], one["id"])])  # fmt: skip
            unknown = "invalid ggml type|failed to load model from"
            types.change(row, {"first": versions.first(file, unknown, known=row["first"])})


def write_file_types(folder, types, names, versions):
    table = Table(folder, "file_types.tsv")
    for number, text in sorted(names.items(), key=lambda item: int(item[0])):
        name, is_new = text.split(" ")[0], int(number) >= len(table.rows)
        if is_new and (int(number) > len(table.rows) or types.find(name) is None):
            ask_person(f"file type {number}, {text}: it needs a row of file_types.tsv")
            continue
        model = Model({**vocabularies.LLAMA, "general.file_type": ("u32", int(number)), "tokenizer.ggml.model": ("str", "no_vocab")})
        if is_new:
            table.add({"id": number, "name": name, "types": name, "status": "newer", "first": versions.newest, "mix": name})
        row = table.rows[int(number)]
        table.change(row, {"first": versions.first(model, "file type .*unknown", known=row["first"])})


def write_keys(folder, names, tokenizers, loaders):
    """Adds the keys that no architecture reads: those of vocabularies with types, others as never read."""
    table = Table(folder, "standard_keys.tsv")
    types, readers, answers = Types(loaders), {}, {}
    for tokenizer in tokenizers:
        for with_bytes in (False, True):
            model = vocabularies.vocabulary(tokenizer, with_bytes=with_bytes)
            answer = loaders.strict.ask(model.build())
            if answer.loads:
                break
        for key in answer.keys:
            readers.setdefault(key[0], set()).add(tokenizer)
            answers.setdefault(key[0], (model, key))
    for name in sorted(set(names) - set(GENERAL)):
        row = table.find(name)
        key = name.replace("{arch}", "llama")
        if row is None:
            row = {"key": name, "spec": "-", "loader": "-", "writer": "-", "reading": "never", "format": "any",
                   "array_length": "0", "status": "current"}  # fmt: skip
            if key in readers and name.startswith("tokenizer."):
                model, looked = answers[key]
                row["loader"] = types.of("llama", model, Answer("loads", [], {"keys": [looked]}))[key]
                everywhere = readers[key] >= set(tokenizers)
                row["reading"] = "vocabulary" if everywhere else "tokenizers"
                row["tokenizers"] = "" if everywhere else ",".join(sorted(readers[key]))
            table.add(row, is_sorted=True)
        if {row["spec"], row["loader"], row["writer"]} == {"-"}:
            ask_person(f"{name}: a key that no model of the trials made the loader read")
        elif row["reading"] == "tokenizers":
            table.change(row, {"tokenizers": ",".join(sorted(readers.get(key, ()) or row["tokenizers"].split(",")))})


def write_unread_keys(folder, read):
    """Says of keys of architectures that none of them reads any more; `read` are those that one does."""
    table = Table(folder, "standard_keys.tsv")
    for row in table.rows:
        if row["reading"] == "model" and row["key"].startswith("{arch}.") and row["key"] not in read:
            table.change(row, {"reading": "never", "loader": "-"})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", default=os.path.join(HERE, "../../tables"))
    parser.add_argument("--older", action="append", default=[])
    parser.add_argument("modules")
    parser.add_argument("names")
    options = parser.parse_args()
    with open(options.names, encoding="utf-8") as lines:
        names = json.load(lines)
    types = Table(os.path.join(HERE, "../../../parser"), "tensor_types.tsv")
    vocabulary = vocabularies.Vocabularies(options.modules)
    versions = Versions(options.tables, names["build"], options.older)
    loaders = Loaders(options.modules)
    write_architectures(options.tables, names["architectures"], versions)
    write_first_keys(options.tables, versions, smallest_llama(loaders))
    write_pre_tokenizers(options.tables, names["pre_tokenizers"], vocabulary, versions)
    write_tokenizers(options.tables, names["tokenizers"], vocabulary, versions)
    write_projectors(options.tables, names["projectors"], versions)
    write_types(types, names["types"], versions)
    write_file_types(options.tables, types, names["file_types"], versions)
    tokenizers = [name for name in names["tokenizers"] if name not in NONE]
    write_keys(options.tables, names["keys"], tokenizers, loaders)
    write_unread_keys(options.tables, {row[1] for rows in expanded().values() for row in rows if row[0] in ("key", "size")})
    loaders.close()
    vocabulary.close()
    versions.close()


if __name__ == "__main__":
    main()
