"""Compares wordings of rows on models that learnt rows allow.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import itertools
import random
import re

import expressions
from definitions import defining, with_definitions
from features import stack_of
from model import Model, folded, trimmed
from shared_tables import CELLS, text_or

INTEGERS = ("u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "bool")
TIES = {"attention.value_length": "n_embd_v_gqa|n_embd_head_v|value_length", "rope.dimension_count": "n_rot|rope_dimension_count"}
MODELS = 240  # That wordings are compared on.
ROUNDS = 8
ANY = "any"  # A dimension that may be anything.


def type_set(text):
    """Returns the types of a cell as a set, with arr[u32] for each element type of arrays."""
    found = set()
    for item in re.findall(r"arr\[[^]]*\]|[^,]+", text or ""):
        elements = re.fullmatch(r"arr\[(.*)\]", item)
        found |= {f"arr[{one}]" for one in elements[1].split("|")} if elements else {item}
    return found


def symbols_of(text):
    """Returns the symbols in an expression, without those of tensors' presence."""
    text = re.sub(r'(present|absent)\("[^"]*"\)', "", text)
    return set(re.findall(r"[a-z_]\w*", text)) - {"or", "and", "not"}


class Points:
    """Blocks of models that the learnt rows allow, on which rows are compared."""

    def __init__(self, document):
        self.document, self.name = document, document["architecture"]
        self.rows = document["tensors"]
        self.smallest = {row["name"].replace("{arch}", self.name):
                         (row["type"], tuple(row["value"]) if isinstance(row["value"], list) else row["value"])
                         for row in document["smallest"]["keys"]}  # fmt: skip
        self.present = {row["name"]: tuple(row["dims"]) for row in document["smallest"]["tensors"]}
        self.envs, self.cache = [], {}
        self.first = self.fill(self.smallest, lambda name: name in self.present)

    @functools.cached_property
    def explains_smallest(self):
        """Whether the learnt rows, with these symbols, have exactly the tensors of the smallest model."""
        return self.first is not None and self.first.model.tensors == {
            name: trimmed(dims) for name, dims in self.present.items()}  # fmt: skip

    def env(self, keys):
        env = expressions.Env(self.name, Model(keys))
        env.rows = with_definitions(env.rows, self.document["symbols"])
        return env

    def defines(self, rows):
        """Returns whether rows `symbol` of a file give the blocks of all models the values that were learnt, not all false."""
        defined, some = [defining(row[1], row[2]) for row in rows], False
        for env in self.envs:
            other = expressions.Env(self.name, env.model)
            other.rows = with_definitions(env.rows, defined)
            for row, i in itertools.product(defined, range(env.blocks)):
                values = [one.evaluate(f"{row['symbol']}[i]", i) for one in (env, other)]
                if values[0] != values[1]:
                    return False
                some |= bool(values[0])
        return some

    def counts(self, env):
        """Returns the number of blocks of each stack."""
        found = {None: 1}
        for row in self.document["stacks"]:
            found[row["prefix"]] = env.evaluate(row["count"]) if row["count"] else env.blocks
        return found

    def fill(self, keys, optional, width=None):
        """Returns an Env of a model with the tensors that are required, and those that are `optional`; None if there is none.

        Dimensions that may be anything are those of the smallest model, or `width`.
        """
        env = self.env(keys)
        tensors, known = {}, False
        for _ in range(ROUNDS):
            env.model.tensors = tensors
            env.known.clear()
            counts, found, known = self.counts(env), {}, True
            if any(count is None or count > 64 for count in counts.values()):
                return None
            for row in self.rows:
                for i in range(counts.get(stack_of(row["name"]), 0)):
                    name = row["name"].replace("%d", str(i))
                    asked = None if name in found else meaning_of([row], env, i)
                    if asked is None or not (asked[1] or optional(name)):
                        continue
                    old = self.present.get(name, (1,))
                    dims = asked[0] or old
                    if ANY in dims:
                        dims = trimmed(width or (*old, 1, 1, 1)[k] if one == ANY else one for k, one in enumerate(dims))
                    if any(one is not None and one < 1 for one in dims):
                        return None
                    if None in dims:  # It may be that of a tensor which comes in a later round.
                        known = False
                        continue
                    found[name] = dims
            if found == tensors:
                return env if known else None
            tensors = found
        return None

    def vary(self):
        """Makes the models; the numbers derive from the architecture's name."""
        numbers = random.Random(self.name)
        keys = self._keys()
        names = [row["name"] for row in self.rows if row["required"] != "true" and not row["name"].endswith("scale")]
        names = list(dict.fromkeys(names))
        self.envs = [self.first] if self.first else []
        blocks = self.name + ".block_count"
        for number in range(MODELS):
            changed = dict(self.smallest)
            if number % 2 and isinstance(self.smallest[blocks][1], int):
                self._set(changed, blocks, "u32", numbers.choice((3, 4, 6)))
            for key in numbers.sample(keys, min(len(keys), numbers.choice((0, 1, 1, 2, 3, 5)))):
                self._change(changed, key, numbers)
            self._tie(changed)
            some = {name for name in names if numbers.random() < 0.2}
            some |= {names[number % len(names)]} if names else set()
            kept = numbers.random() < 0.7  # What the smallest model has and is not required.
            parity = numbers.choice((None, None, 0, 1))

            def optional(name, some=some, kept=kept, parity=parity):
                i = re.search(r"\.(\d+)\.", name)
                return ((kept and name in self.present) or folded(name) in some
                        and (parity is None or not i or int(i[1]) % 2 == parity))  # fmt: skip

            env = self.fill(changed, optional, numbers.choice((None, 2, 3, 5)))
            if env and min(self.counts(env).values()) > 0:
                self.envs.append(env)
        self.points = {}
        for env in self.envs:
            for stack, count in self.counts(env).items():
                self.points.setdefault(stack, []).extend((env, i) for i in range(count))

    def _keys(self):
        """Returns the keys to vary, with their types."""
        used = {re.sub(r"^\w+\((.*)\)$", r"\1", row["key"]) for row in self.env({}).rows.values() if row["key"]}
        found = []
        for row in self.document["keys"]:
            key = row["name"].replace("{arch}", self.name)
            types = type_set(row["type"])
            if row["name"] in used and key.startswith(self.name + ".") and (types & {*INTEGERS, "str", "arr[u32]", "arr[bool]"}):
                found.append((key, types))
        return found

    def _set(self, keys, key, kind, value):
        """Sets a key; arrays with an element per block keep one for each."""
        if key == self.name + ".block_count":
            old = keys[key][1]
            for name, (of, one) in list(keys.items()):
                if isinstance(one, tuple) and len(one) == old:
                    keys[name] = (of, tuple(one[i % old] for i in range(value)))
        keys[key] = (kind, value)

    def _change(self, keys, key, numbers):
        key, types = key
        kind, old = keys.get(key, (None, None))
        if types == {"str"}:
            if key.endswith("rope.scaling.type"):
                keys[key] = ("str", numbers.choice(("longrope", "yarn")))
            return
        first = (old[0] if old else 2) if isinstance(old, tuple) else old
        if types == {"bool"}:
            keys[key] = ("bool", numbers.choice((0, 1)))
        elif isinstance(old, tuple) or not types & set(INTEGERS):
            count = len(old) if isinstance(old, tuple) else keys[self.name + ".block_count"][1]
            keys[key] = (kind or "u32", tuple(numbers.choice((0, 1, *(old or ()))) for _ in range(count)))
        elif key.endswith(".block_count"):
            self._set(keys, key, kind or "u32", numbers.choice((1, 2, 3, 4)))
        elif old is not None and key not in self.smallest:
            del keys[key]
        elif re.search(r"block|layer|interval|pattern|step|loop|every|stage", key):
            keys[key] = (kind or "u32", numbers.choice((0, 1, 2, 3, 4)))
        elif key.endswith(".embedding_length"):
            keys[key] = (kind, numbers.choice((16, 24, 40)))
        elif "arr[u32]" in types and numbers.random() < 0.25:
            some = (first, 2 * first) if first else (2, 4)
            keys[key] = (kind or "u32", tuple(numbers.choice(some) for _ in range(keys[self.name + ".block_count"][1])))
        else:
            some = [2 * first, 3 * first, first + 1] if first else [2, 3, 4, 6, 10]
            keys[key] = (kind or "u32", numbers.choice(some + [0] * (key not in self.smallest)))

    @functools.cached_property
    def tied(self):
        """The widths that no learnt row tells from that of keys: the loader rejects others."""
        if not self._mentions("n_embd_k_gqa|n_embd_head_k|key_length"):
            return ()
        return [key for key, pattern in TIES.items() if not self._mentions(pattern)]

    def _tie(self, keys):
        for key, ending in itertools.product(self.tied, ("", "_swa")):
            width, other = f"{self.name}.attention.key_length{ending}", f"{self.name}.{key}{ending}"
            keys.pop(other, None)
            if width in keys:
                keys[other] = keys[width]

    def akin(self, one, other, cell):
        """Whether a wording that means the same may stand for another: it has the same symbols.

        The models need not show a difference that the loader showed. Conditions on tensors alone
        are free, because the models have all combinations of tensors that the learnt rows allow.
        """
        one, other = (text_or(text, cell) for text in (one, other))
        if one == other or not self.envs:
            return one == other
        words = [symbols_of(text) for text in (one, other)]
        for key in self.tied if cell == "shape" else ():
            width = {"n_embd_v_gqa": "n_embd_k_gqa"} if "value" in key else {}
            words = [{width.get(word, "n_embd_head_k" if re.fullmatch(TIES[key], word) else word) for word in some} for some in words]
        if not set(re.findall(r'"([^"]*%d[^"]*)"', one + other)) <= {row["name"] for row in self.rows}:
            return False  # No model has them.
        if cell == "when" and all(not text or '("' in text for text in (one, other)):
            return not (words[0] | words[1]) - {"i", "n_layer"}
        return words[0] == words[1] and bool(one) == bool(other) and ('("' in one) == ('("' in other)

    def _mentions(self, pattern):
        return any(re.search(rf"\b(?:{pattern})\b", str(row[cell])) for row in self.rows for cell in CELLS)

    def mentions(self, symbol):
        """Whether a learnt row depends on a symbol, also through others."""
        rows, seen, todo = self.env({}).rows, set(), set()
        for row in self.rows:
            todo |= set(re.findall(r"\w+", f"{row['shape']} {row['required']} {row['when']}"))
        while todo:
            one = todo.pop()
            seen.add(one)
            if one in rows:
                todo |= set(re.findall(r"\w+", rows[one]["otherwise"])) - seen
        return symbol in seen

    def means(self, rows, stack):
        """Returns the meaning of rows about a tensor at each point."""
        key = stack, tuple(row[cell] for row in rows for cell in CELLS)
        if key not in self.cache:
            self.cache[key] = [meaning_of(rows, env, i) for env, i in self.points.get(stack, ())]
        return self.cache[key]

    def holds(self, text):
        """Returns whether a condition, which may be empty, is true in each model."""
        if text not in self.cache:
            self.cache[text] = [not text or env.evaluate(text) in (True, 1) for env in self.envs]
        return self.cache[text]

    def needs(self, key, empty=False):
        """Returns whether a tensor of each model would have another shape without a key; with `empty`, one that is none."""
        found = []
        for env in self.envs:
            keys = {name: value for name, value in env.model.keys.items() if name != key.replace("{arch}", self.name)}
            if len(keys) == len(env.model.keys):
                found.append(False)
                continue
            changed = self.env(keys)
            changed.model.tensors = env.model.tensors
            counts = self.counts(changed)
            found.append(any(self._differs(row, changed, i, empty) for row in self.rows
                             for i in range(counts.get(stack_of(row["name"]), 0) or 0)))  # fmt: skip
        return found

    @staticmethod
    def _differs(row, env, i, empty):
        asked = meaning_of([row], env, i)
        old = env.model.tensors.get(row["name"].replace("%d", str(i)))
        if asked is None or asked[0] is None or old is None:
            return False
        if ANY in asked[0]:
            return False
        return any(one is None or one < 1 for one in asked[0]) if empty else asked[0] != old


def meaning_of(rows, env, i):
    """Returns shape and need of a tensor, of which the first row that holds decides; None if it is not looked up."""
    for row in rows:
        when = row["when"]
        if when not in (None, "", "true") and env.evaluate(when, i) not in (True, 1):
            continue
        dims = None
        if row["shape"]:
            dims = trimmed(one if one == ANY else env.evaluate(one, i) for one in expressions.shape(row["shape"]))
        return dims, bool(row["required"]) and env.evaluate(row["required"], i) in (True, 1)
    return None


def tensor_rows(rows, name=None):
    """Returns rows `tensor` of a file in the form of a document."""
    return [{"name": row[1], "shape": row[2], "required": row[3], "when": row[4]}
            for row in rows if row[0] == "tensor" and name in (None, row[1])]  # fmt: skip
