"""Changes one or two hyperparameters of small models, and has all tensors fit.

The program tiny_models writes these variants: a loader takes most of them, and
what a context or a token needs decides.

SPDX-License-Identifier: Apache-2.0
"""

import os
import random
import subprocess

import gguf_file as gguf
from mutate_models import table

SCALARS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 24, 32, 64, 96, 128, 2**31 - 1]
REALS = ["0", "-1", "nan", "1e-5", "1", "inf"]
INTEGERS = {gguf.U32: "u32", gguf.I32: "i32"}
REMOVED = "-"


def _optional_keys():
    """Returns keys that no model needs, with their types."""
    rows = [row for row in table("standard_keys") if row["reading"] == "model" and row["key"].startswith("{arch}.")]
    return [(row["key"], row["loader"]) for row in rows if "{n}" not in row["key"] and "{any}" not in row["key"]]


OPTIONAL = _optional_keys()


class Consistent:
    """Makes variants of a model; the same numbers make the same variants."""

    def __init__(self, model, numbers):
        self.model, self.numbers = model, numbers
        self.blocks = self._number("block_count", 2)

    def changes(self):
        """Returns the changed keys with their values, as tiny_models reads them."""
        changes = {}
        wanted = self.numbers.choice([1, 1, 2])
        while len(changes) < wanted:
            key, value = self._optional() if self.numbers.random() < 0.3 else self._present()
            if value:
                changes[key] = value
        return changes

    def _number(self, name, otherwise):
        key = self.model.key(f"{self.model.architecture}.{name}")
        return key.value if key and isinstance(key.value, int) else otherwise

    def _present(self):
        key = self.numbers.choice(self.model.keys)
        name = key.name.replace(self.model.architecture + ".", "{arch}.", 1)
        if not name.startswith("{arch}."):
            return name, None
        if self.numbers.random() < 0.08:
            return name, REMOVED
        if key.kind == gguf.F32:
            return name, "f32 " + self.numbers.choice(REALS)
        if key.kind == gguf.BOOL:
            return name, f"bool {int(not key.value)}"
        if key.kind == gguf.ARR and key.elements in INTEGERS:
            return name, self._array(INTEGERS[key.elements], key.value)
        if key.kind not in INTEGERS:
            return name, None
        kind = INTEGERS[key.kind]
        is_per_block = name.endswith((".head_count", ".head_count_kv", ".feed_forward_length", ".expert_used_count"))
        if is_per_block and self.numbers.random() < 0.3:
            return name, self._array(kind, [key.value] * self.blocks)
        return name, f"{kind} {self._scalar(key.value)}"

    def _optional(self):
        name, types = self.numbers.choice(OPTIONAL)
        if self.model.key(name.replace("{arch}", self.model.architecture)):
            return name, None
        if "u32" in types or "i32" in types:
            kind = "u32" if "u32" in types else "i32"
            if "arr" in types and self.numbers.random() < 0.6:
                return name, self._array(kind, [1] * self.numbers.choice([self.blocks, self.blocks, 4]))
            return name, f"{kind} {self._scalar(2)}"
        if "f32" in types and "arr" not in types:
            return name, "f32 " + self.numbers.choice(REALS)
        if types == "bool":
            return name, f"bool {self.numbers.choice([0, 1])}"
        return name, None

    def _scalar(self, value):
        near = [max(value - 1, 0), value + 1, value * 2, value * 3, value // 2]
        return self.numbers.choice(near + SCALARS)

    def _array(self, kind, values):
        values = list(values)
        for _ in range(self.numbers.choice([1, 1, 2])):
            at = self.numbers.randrange(len(values)) if values else None
            if at is not None:
                values[at] = self._scalar(values[at]) if self.numbers.random() < 0.5 else self.numbers.choice([0, 1, 2])
        return f"{kind} [{' '.join(map(str, values))}]" if values else None


def write(tiny_models, models, names, folder, count, seed):
    """Writes variants; returns what each is, by its file.  Those that are not small are left out."""
    written, variants = {}, []
    for index in range(count):
        at = index % len(models)
        changes = Consistent(models[at], random.Random(f"consistent/{seed}/{index}")).changes()
        path = os.path.join(folder, f"c{index:05}-{names[at]}.gguf")
        written[path] = "; ".join(f"{key} {value}" for key, value in changes.items())
        variants.append((names[at], path, changes))
    write_variants(tiny_models, variants)
    return {path: what for path, what in written.items() if os.path.exists(path)}


def write_variants(tiny_models, variants):
    """Writes variants: architecture, path and changed keys of each."""
    lines = ["\t".join([name, path, *(cell for change in changes.items() for cell in change)]) for name, path, changes in variants]
    command = [tiny_models, "--variants"]
    subprocess.run(command, input="\n".join(lines) + "\n", text=True, check=True, stdout=subprocess.DEVNULL)
