"""Learns architectures from llama.cpp's loader, and writes a document for each.

  learn_architectures.py [--tables] [--older MODULES] MODULES FOLDER NAME...

Writes FOLDER/NAME.json, whose form README.md describes. The same loader gives
the same bytes. Prints how many rows agree with all loads that were observed,
also those that no expression was fitted to; with --tables, the same of the rows
of conformance/tables, and which do not.  With --older, an older loader is asked
which tensors it rejects, of those that the tables lack.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time

import wasm_loader  # For the path of loader.  # noqa: F401

import loader
from agreement import disagreements, table_rows
from definitions import own_rows, with_definitions
from document import Document
from expressions import Env, expanded
from learn import Loaders, Student
from model import folded
from observe import Observer

SCALARS = ("u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "u64", "i64", "f64")
MOST_FITS = 4
WRONG_TYPE = re.compile(r"wrong type|wrong array element|is not an?|array key not found")


class Types:
    """The types that the loader reads of keys, by trial; those of keys that all architectures have are tried once."""

    def __init__(self, loaders):
        self.loaders, self.known = loaders, {}

    def of(self, architecture, model, answer):
        """Returns the types of all keys that were looked up, by name."""
        getters = {}
        for name, _, index, _ in answer.keys:
            getters.setdefault(name, index)
        return {name: self._types(architecture, model, name, index) for name, index in getters.items()}

    def _types(self, architecture, model, name, index):
        if name == "general.architecture":
            return "str"
        if (name, index) not in self.known:
            self.known[name, index] = self._try(architecture, model, name)
        return self.known[name, index]

    def _try(self, architecture, model, name):
        _, old = model.keys.get(name, ("u32", 2))
        one = old[0] if isinstance(old, tuple) and old else old if not isinstance(old, tuple) else 1
        length = len(old) if isinstance(old, tuple) else model.value(architecture + ".block_count", 2)
        accepted = {False: [], True: []}
        for is_array in accepted:
            for kind in SCALARS:
                value = (one,) * length if is_array else one
                why = self.loaders.strict.ask(model.with_key(name, kind, value).build()).why()
                if not (name in why and WRONG_TYPE.search(why)):
                    accepted[is_array].append(kind)
        if len(accepted[False]) == len(accepted[True]) == len(SCALARS):
            return "any"
        if len(accepted[False]) == len(SCALARS):  # It takes no note of what is no array.
            accepted[False] = ["scalar"]
        arrays = [f"arr[{'|'.join(accepted[True])}]"] if accepted[True] else []
        return ",".join(accepted[False] + arrays)


def compare(name, observations, symbols, rows, against=None):
    """Returns the number of names of tensors, and those whose rows are wrong somewhere."""
    pairs = []
    for one in observations:
        env = Env(name, one.model)
        env.rows = with_definitions(env.rows, symbols)
        pairs.append((one, env))
    wrong = disagreements(rows, pairs, against)
    return len(wrong.keys() | {row["name"] for row in rows}), wrong


def document(loaders, types, name, tables=False, older=None):
    """Returns the document of an architecture."""
    student = Student(loaders, name)
    answer = student.learn()
    found = {"architecture": name, "build": loaders.strict.build, "loads": answer.loads}
    if not answer.loads:
        return {**found, "message": answer.why(), "keys": [], "tensors": []}
    observer = Observer(loaders, name, student.model, answer, known=name in expanded())
    observations = observer.observe()
    described, tensors, report = describe(name, observations, observer)
    kinds = {}
    for one in (described.observations[0], described.observations[-1]):
        kinds.update(types.of(name, one.model, loaders.strict.ask(one.model.build())))
    keys = described.keys(kinds)
    print_comparison(f"{name}: learnt rows", *report, each=True)
    if tables:
        print_comparison(f"{name}: rows of the tables", *compare(name, observations, [], table_rows(name)), each=True)
    texts = " ".join(str(row.get(cell)) for row in keys + tensors for cell in ("shape", "required", "when"))
    stacks = described.stacks()
    texts += " ".join([*(row["otherwise"] for row in described.definitions), *(str(one) for row in stacks for one in row.values())])
    used = [*described.definitions, *(row for row in described.symbols if re.search(rf"\b{row['symbol']}\b", texts))]
    model = student.model
    return {
        **found,
        "smallest": {
            "keys": [{"name": key.replace(name + ".", "{arch}.", 1), "type": kind,
                      "value": list(value) if isinstance(value, tuple) else value}
                     for key, (kind, value) in model.keys.items()],
            "tensors": [{"name": tensor, "dims": list(dims)} for tensor, dims in model.tensors.items()],
        },
        "stacks": stacks,
        "symbols": used,
        "keys": keys,
        "tensors": tensors,
        "contradicted": described.contradicted,
        "newer": newer(older, described, observations),
        "unexplained": described.unexplained,
        "observations": len(observations),
    }  # fmt: skip


def describe(name, observations, observer):
    """Returns a Document, its rows about tensors, and how they compare.

    Rows that loads contradict are fitted to these loads, too.
    """
    against = []
    for _ in range(MOST_FITS):
        described, found = Document(name, observations, observer.needed, observer.widths, observer.refused, against), []
        tensors = described.tensors()
        report = compare(name, observations, described.definitions + described.symbols, tensors, found)
        more = [one for one in found if one not in against]
        if not more:
            break
        against += more
    return described, tensors, report


def newer(older, document, observations):
    """Returns the tensors that no row of the tables has, and that an older loader rejects; all of them if there is none."""
    if document.architecture not in expanded():
        return []
    own = own_rows("tensor", document.architecture)
    found = []
    for name in dict.fromkeys(folded(name) for one in document.observations for name in one.tensors):
        has = [one for one in observations if any(folded(tensor) == name for tensor in one.model.tensors)]
        if name in own or not has:
            continue
        with tempfile.TemporaryDirectory(prefix="ggufcheck-older-") as folder:
            path = os.path.join(folder, "model.gguf")
            with open(path, "wb") as out:
                out.write(min((one.model for one in has), key=lambda model: len(model.tensors)).build())
            if not older or not loader.load_all(older, [path])[path].loads:
                found.append(name)
    return found


def print_comparison(what, count, wrong, each=False):
    kinds = ("when", "shape", "required", "no row")
    numbers = ", ".join(f"{sum(kind in one for one in wrong.values())} {kind}" for kind in kinds)
    print(f"{what}: {count} names, {count - len(wrong)} agree with all loads; wrong: {numbers}")
    for name, counts in sorted(wrong.items()) if each else ():
        print(f"    {name}: " + ", ".join(f"{kind} {number} times" for kind, number in sorted(counts.items())))


def text_of(found):
    """Returns a document as JSON with a row on each line."""
    lines = []
    for name, value in found.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(json.dumps(row) for row in value)
            lines.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            lines.append(f"{json.dumps(name)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--older", help="the folder of an older loader, from npm or Debian")
    parser.add_argument("modules")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    folder, names = options.folder, options.names
    os.makedirs(folder, exist_ok=True)
    loaders = Loaders(options.modules)
    types = Types(loaders)
    failed = []
    for name in names:
        start = time.monotonic()
        found = document(loaders, types, name, options.tables, options.older)
        with open(os.path.join(folder, name + ".json"), "w", encoding="utf-8") as out:
            out.write(text_of(found))
        if not found["loads"]:
            failed.append(name)
        state = f"{len(found['keys'])} keys, {len(found['tensors'])} tensors" if found["loads"] else found["message"]
        print(f"{name}: {state}; {len(found.get('unexplained', []))} unexplained, "
              f"{time.monotonic() - start:.1f} s", flush=True)  # fmt: skip
    loaders.close()
    print(f"{len(names) - len(failed)} of {len(names)} architectures learnt")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
