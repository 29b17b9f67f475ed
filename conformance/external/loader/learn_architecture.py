"""Learns what llama.cpp's loader asks of an architecture that no table has.

  learn_architecture.py MODULES NAME [--set KEY=TYPE:VALUE]...
                        [--tensor NAME=DIMS]... [--output FILE]

Asks the loader to load a model, reads its message, adds the key or tensor that
it misses, and asks again, until it loads the model.  KEY may begin with
{arch}; a value that a message does not tell comes from tiny_models.tsv, and
--set and --tensor give others.  Prints a draft of the architecture's file in
conformance/tables/architectures, which names no groups but that of all loaded
architectures.  With gdb, and a library that has symbols, the draft also has what
the loader asked for and did not require.

The messages do not name every condition: try several values, and compare what
is asked for.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile

import gguf_file as gguf
from gguf_file import ARR, BOOL, F32, I32, STR, U32
from loader import HERE, Loader, version
from mutate_models import table

MOST_ASKS = 2000
# The first keys, and those that help only together.
START = ["{arch}.vocab_size", "{arch}.attention.head_count", "{arch}.feed_forward_length"]
TOGETHER = ["{arch}.expert_count", "{arch}.expert_used_count"]
TYPES = {"f32": F32, "u32": U32, "i32": I32, "bool": BOOL, "str": STR, "u16": gguf.U16, "u64": gguf.U64}


def parse_value(text):
    """Parses "u32 2" or "i32 [1 2]"; returns type, value and type of elements."""
    kind, value = text.split(" ", 1)
    kind = TYPES[kind]
    convert = {F32: float, STR: str.encode}.get(kind, int)
    if value.startswith("["):
        return ARR, [convert(item) for item in value.strip("[]").split()], kind
    return kind, convert(value), None


class Student:
    """The model that grows, and what is known of its keys."""

    def __init__(self, modules, name, given, folder):
        self.name, self.modules = name, modules
        self.path = os.path.join(folder, "model.gguf")
        self.loader = Loader(modules)
        self.asks = 0
        self.given = given
        self.values = {}
        for row in table("tiny_models"):
            if row["kind"] in ("value", "key"):
                self.values.setdefault(row["name"], row["value"])
        self.values.update(given)
        self.model = gguf.GgufFile()
        self.model.set("general.architecture", STR, name.encode())
        self.model.set("tokenizer.ggml.model", STR, b"no_vocab")
        for key in [*START, *given]:
            self.add(key)
        self.tried = set()

    def add(self, key, text=None):
        """Adds a key with its value of the tables."""
        pattern = key.replace(self.name + ".", "{arch}.", 1) if key.startswith(self.name + ".") else key
        kind, value, elements = parse_value(text or self.values.get(pattern, "u32 2"))
        self.model.set(pattern.replace("{arch}", self.name), kind, value, elements)

    def ask(self, model=None):
        self.asks += 1
        with open(self.path, "wb") as file:
            file.write((model or self.model).build())
        return self.loader.load(self.path)

    def learn(self):
        """Returns the last verdict."""
        while True:
            verdict = self.ask()
            if verdict.did == "takes" or self.asks > MOST_ASKS:
                return verdict
            if not self.follow(verdict.why()) and not self.guess(verdict):
                return verdict

    def follow(self, message):
        """Does what a message asks for; returns False if it does not understand it."""
        for pattern, action in ACTIONS:
            found = re.search(pattern, message)
            if found:
                return action(self, *found.groups())
        return False

    def blocks(self):
        key = self.model.key(self.name + ".block_count")
        return key.value if key else 2

    def add_key(self, key):
        if self.model.key(key):
            return False
        self.add(key)
        return True

    def add_array(self, key):
        old = self.model.key(key)
        if old is None:
            self.add(key)
            old = self.model.key(key)
        if old.kind != ARR:
            self.model.set(key, ARR, [i % 2 for i in range(self.blocks())], old.kind)
            return True
        return False

    def retype(self, key, expected):
        old = self.model.key(key)
        if expected == "arr":
            return self.add_array(key)
        kind = TYPES.get(expected)
        if old is None or kind is None or old.kind == kind:
            return False
        value = {F32: 0.5, STR: b"x", BOOL: True}.get(kind, 2)
        self.model.set(key, kind, value)
        return True

    def other_elements(self, key):
        """Tries the next type of elements."""
        old = self.model.key(key)
        types = [U32, I32, gguf.U64, F32]
        if old.elements not in types[:-1]:
            return False
        kind = types[types.index(old.elements) + 1]
        value = [float(number) if kind == F32 else number for number in old.value]
        self.model.set(key, ARR, value, kind)
        return True

    def resize(self, key, length):
        old = self.model.key(key)
        self.model.set(key, ARR, (old.value * int(length))[: int(length)], old.elements)
        return True

    def add_tensor(self, name):
        if self.model.tensor(name):
            return False
        self.model.tensors.append(gguf.Tensor(name, [1]))
        return True

    def reshape(self, name, shape):
        dims = [int(number) for number in shape.split(",")]
        tensor = self.model.tensor(name)
        if tensor is None or 0 in dims or tensor.dims == dims:
            return False
        tensor.dims = dims
        return True

    def guess(self, verdict):
        """Tries keys until the loader's message changes."""
        before = verdict.why()
        single = [[key] for key in self.values if key.startswith("{arch}")]
        for keys in [TOGETHER, *single]:
            names = [key.replace("{arch}", self.name) for key in keys]
            if (keys[0], before) in self.tried or any(map(self.model.key, names)):
                continue
            if len(keys) == 1:
                self.tried.add((keys[0], before))
            model = self.model.copy()
            for key, name in zip(keys, names):
                kind, value, elements = parse_value(self.values[key])
                model.set(name, kind, value, elements)
            after = self.ask(model)
            if after.did == "takes" or (after.did == "refuses" and after.why() != before):
                print(f"  {' and '.join(keys)} help with: {before}")
                self.model = model
                return True
        return False

    def required_keys(self):
        """Returns the keys without which the loader refuses the model, and why."""
        required = {}
        for key in list(self.model.keys):
            if key.name.startswith(self.name + "."):
                model = self.model.copy()
                model.remove(key.name)
                verdict = self.ask(model)
                if verdict.did != "takes":
                    required[key.name] = verdict.why()
        return required


ACTIONS = [
    (r"array key not found in model: (\S+)", Student.add_array),
    (r"key not found in model: (\S+)", Student.add_key),
    (r"key (\S+) has wrong type \S+ but expected type (\S+)", Student.retype),
    (r"(\S+) has wrong array element type", Student.other_elements),
    (r"key (\S+) has wrong array length; expected (\d+)", Student.resize),
    (r"tensor '(\S+)' not found", Student.add_tensor),
    (r"missing tensor '(\S+)'", Student.add_tensor),
    (r"tensor '(\S+)' has wrong shape; expected \[?([\d, ]+)\]?, got", Student.reshape),
]


def explain(number, sizes):
    """Returns an expression for a dimension in keys whose value is known."""
    for name, value in sizes.items():
        if value == number:
            return name
    for (a, x), (b, y) in itertools.combinations_with_replacement(sizes.items(), 2):
        if x * y == number:
            return f"{a} * {b}"
    for a, x in sizes.items():
        for factor in (2, 3, 4):
            if x * factor == number:
                return f"{factor} * {a}"
    return str(number)


def symbols(student):
    """Returns the sizes of the model by the names in symbols.tsv."""
    sizes = {}
    for row in table("symbols"):
        key = student.model.key(row["key"].replace("{arch}", student.name))
        if key and key.kind == U32 and key.value > 1 and row["symbol"] not in sizes:
            sizes[row["symbol"]] = key.value
    first = ["n_embd", "vocab_size", "n_ff", "n_head"]
    last = {name: sizes.pop(name) for name in ("n_layer_all", "n_ctx_train") if name in sizes}
    return {**{name: sizes[name] for name in first if name in sizes}, **sizes, **last}


def folded(tensors):
    """Returns names with %d for the block, their shapes, and the blocks."""
    rows = {}
    for name, dims in tensors:
        pattern = re.sub(r"(?<=\.)\d+(?=\.)", "%d", name)
        rows.setdefault((pattern, tuple(dims)), []).append(gguf.block_of(name))
    return rows


def value_text(key):
    """Returns type and value as in a row `tiny`."""
    if key.kind == ARR:
        return f"{gguf.TYPE_NAMES[key.elements]} [{' '.join(map(str, key.value))}]"
    return f"{key.type_name()} {key.value.decode() if key.kind == STR else key.value}"


def print_draft(student, required, tensors, asked):
    """Prints a draft of the architecture's file; `asked` are the keys that were traced."""
    groups = table("architectures/groups/every") + table("architectures/groups/loader")
    shared = {(row["what"], row["name"]): row["required"] for row in groups}

    def pattern(name):
        return re.sub(rf"^{re.escape(student.name)}(?=\.)", "{arch}", name)

    print(f"\n# {student.name}.tsv\nwhat\tname\tvalue\trequired\twhen")
    print(f"first\tmodel\t{version(student.modules)}\t\t\nblocks\tblk.\tn_layer\t\t\ngroup\tloader\t\t\t\n")
    keys = {key.name: key.type_name() for key in student.model.keys if key.name in required}
    for name, kind in sorted({**asked, **keys}.items()):
        if name in required and not shared.get(("key", pattern(name))):
            what = "size" if "has wrong shape" in required[name] else "key"
            print(f"# {required[name]}\n{what}\t{pattern(name)}\t{kind}\ttrue\t")
        elif ("key", pattern(name)) not in shared and not name.startswith("general."):
            print(f"key\t{pattern(name)}\t\t\t")
    print()
    sizes = symbols(student)
    for (name, dims, need), blocks in tensors.items():
        shape = ", ".join(explain(number, sizes) for number in dims)
        where = "" if blocks[0] is None else " in blocks " + ",".join(map(str, blocks))
        if ("tensor", name) not in shared:
            print(f"# {list(dims)}{where}\ntensor\t{name}\t[{shape}]\t{'true' if need else ''}\t")
    print()
    for key in student.model.keys:
        if key.name not in required and key.name != pattern(key.name) and ("tiny", pattern(key.name)) not in shared:
            print(f"tiny\t{pattern(key.name)}\t{value_text(key)}\t\t")


def trace(student):
    """Returns what the loader asks for, with gdb; or None."""
    library = glob.glob(os.path.join(student.modules, "node_modules/@node-llama-cpp/linux-x64/bins/*/libllama.*"))
    if not library or not shutil.which("gdb") or not shutil.which("nm"):
        return None
    student.ask()
    out, paths = student.path + ".trace", student.path + ".list"
    with open(paths, "w", encoding="utf-8") as file:
        file.write(student.path + "\n")
    loads = f'exec node "{HERE}/load_models.mjs" "{student.modules}" <"{paths}"'
    environment = {**os.environ, "GGUFCHECK_LIBLLAMA": os.path.realpath(library[0]), "GGUFCHECK_TRACE": out}
    command = ["gdb", "-batch", "-x", os.path.join(HERE, "trace_loader.py"), "--args", "bash", "-c", loads]
    subprocess.run(command, env=environment, capture_output=True, check=False)
    if not os.path.exists(out) or not os.path.getsize(out):
        return None
    with open(out, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines]


def asked_tensors(rows):
    """Returns the traced tensors, folded: name, shape and need, with their blocks."""
    tensors = {}
    for _, name, dims, need in (row for row in rows if row[0] == "tensor"):
        pattern = re.sub(r"(?<=\.)\d+(?=\.)", "%d", name)
        shape = tuple(int(number) for number in dims.strip("[]").split(","))
        blocks = tensors.setdefault((pattern, shape, need == "required"), [])
        if gguf.block_of(name) not in blocks:
            blocks.append(gguf.block_of(name))
    return tensors


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("modules")
    parser.add_argument("name")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=TYPE:VALUE")
    parser.add_argument("--tensor", action="append", default=[], metavar="NAME=DIMS")
    parser.add_argument("--output", default="", metavar="FILE")
    options = parser.parse_args()
    given = {}
    for text in options.set:
        key, value = text.split("=", 1)
        given[key] = value.replace(":", " ", 1).replace(",", " ")

    with tempfile.TemporaryDirectory(prefix="ggufcheck-learn-") as folder:
        student = Student(options.modules, options.name, given, folder)
        for text in options.tensor:
            name, dims = text.split("=")
            student.model.tensors.append(gguf.Tensor(name, map(int, dims.split(","))))
        verdict = student.learn()
        loads = verdict.did == "takes"
        state = "loads it" if loads else f"{verdict.did} it: {verdict.why()}"
        state = f"llama.cpp {version(options.modules)} {state}"
        print(f"{options.name}: {state}; {student.asks} asks, "
              f"{len(student.model.keys)} keys, {len(student.model.tensors)} tensors")  # fmt: skip
        rows = trace(student)
        required = student.required_keys() if loads else {}
        tensors = asked_tensors(rows) if rows else {
            (name, dims, True): blocks
            for (name, dims), blocks in folded((t.name, t.dims) for t in student.model.tensors).items()
        }  # fmt: skip
        asked = {row[1]: row[2] for row in rows or [] if row[0] == "key"}
        print_draft(student, required, tensors, asked)
        if not rows:
            print("\n# Without gdb or symbols: optional keys and tensors are unknown.")
        if options.output:
            with open(options.output, "wb") as file:
                file.write(student.model.build())
        student.loader.close()
    return 0 if loads else 1


if __name__ == "__main__":
    sys.exit(main())
