"""The facts of the project's own tables, in the words of sources.py.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re

ARCHITECTURES = "conformance/tables/architectures"
GROUPS = ARCHITECTURES + "/groups"
ROWS = {  # A new row to paste, with the name and its first build.
    "architecture": (ARCHITECTURES, "{name}.tsv: first\tmodel\t{first}\t\t"),
    "tensor type": ("parser/tensor_types.tsv", "{name}\t{first}"),
    "pre-tokenizer": ("conformance/tables/pre_tokenizers.tsv",
                      "{name}\tunknown\tbytes\tdefault\t*\t{first}"),
    "projector type": ("conformance/tables/projector_types.tsv",
                       "{name}\t0\tstandard\t*\t{first}\t?\t?"),
    "file type": ("conformance/tables/file_types.tsv",
                  "{name}\t?\tnewer\t{first}\t?"),
    "key": ("conformance/tables/standard_keys.tsv",
            "{name}\t-\t{types}\t{types}\tmodel\t\tany\t\t0\tcurrent\t"),
    "tensor": (ARCHITECTURES, "tensor\t{name}\t?\t?\t?"),
}


class Tables:
    """The tables below the project's folder `root`."""

    def __init__(self, root):
        self.root = root

    def rows(self, path):
        """Returns the rows of a table, as {column: cell}."""
        rows, header = [], None
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            for line in file.read().splitlines():
                if not line or line.startswith("#"):
                    continue
                cells = line.split("\t")
                if header is None:
                    header = [re.sub(r"[!:].*", "", cell) for cell in cells]
                else:
                    rows.append(dict(zip(header, cells)))
        return rows

    def of(self, kind):
        return self.rows(ROWS[kind][0])

    def names(self, folder):
        """Returns the names of the .tsv files in a folder."""
        return [name.removesuffix(".tsv")
                for name in sorted(os.listdir(os.path.join(self.root, folder)))
                if name.endswith(".tsv")]

    def architectures(self):
        """Returns {name: the rows of its file, and of the groups that it names}."""
        return {name: self._facts(ARCHITECTURES, name) for name in self.names(ARCHITECTURES)}

    def _facts(self, folder, name):
        facts = self.rows(os.path.join(folder, name + ".tsv"))
        for row in list(facts):
            if row["what"] == "group":
                facts += self._facts(GROUPS, row["name"])
        return facts

    def known_architectures(self):
        return {name for name, facts in self.architectures().items()
                if any((row["what"], row["name"]) == ("group", "known") for row in facts)}

    def first_builds(self, kind):
        """Returns {name: first build} of the names that llama.cpp loads."""
        if kind == "architecture":
            return {name: row["value"] for name, facts in self.architectures().items()
                    for row in facts if (row["what"], row["name"]) == ("first", "model")}
        if kind == "tensor type":
            return {f"{row['gguf']} {row['name']}": row["first"]
                    for row in self.of(kind) if row["first"] != "-"}
        if kind == "file type":
            return {f"{row['id']} {row['name']}": row["first"]
                    for row in self.of(kind) if row["first"] != "-"}
        return {row["name"]: row["first"] for row in self.of(kind)}

    def version(self):
        """Returns the version of llama.cpp that the tables follow."""
        return next(row["version"]
                    for row in self.rows("conformance/tables/readers.tsv")
                    if row["name"] == "llama.cpp")

    def tensors(self):
        return {row["name"] for folder in (ARCHITECTURES, GROUPS) for name in self.names(folder)
                for row in self.rows(os.path.join(folder, name + ".tsv"))
                if row["what"] == "tensor"}

    def keys(self):
        """Returns {key: (its types, whether llama.cpp's loaders read it)}."""
        read = ("model", "vocabulary", "tokenizers", "shards", "adapters",
                "projectors")
        return {row["key"]: (types(row["spec"]) | types(row["loader"]) |
                             types(row["writer"]),
                             row["loader"] != "-" and row["reading"] in read)
                for row in self.of("key")}


def types(cell):
    """Returns the types of a cell: "u32,arr[i32|bool]" has three."""
    found = set()
    for item in cell.split(","):
        elements = re.fullmatch(r"arr\[(.*)\]", item)
        if elements:
            found.update(f"arr[{one}]" for one in elements.group(1).split("|"))
        elif item == "count":
            found.update(("u32", "u64"))
        elif item != "-":
            found.add(item)
    return found


def covers(known, read):
    """Returns whether the types of a table include a type that is read."""
    group = "array" if read.startswith("arr[") else "scalar"
    return read in known or group in known
