"""Writes what was observed of an architecture as a document: README.md describes it.

SPDX-License-Identifier: Apache-2.0
"""

import re

import numpy as np

import expressions
from fit import Conditions, Sizes, vector
from learn import NOT_REQUIRED, SKIPPED
from model import block, folded

# Symbols for which others stand, in the order of preference after all others.
LATE = ["n_layer_all", "n_embd_head_k_full", "n_embd_head_v_full", "n_rot_full", "n_rot_swa", "n_embd_head_k_swa", "n_embd_head_v_swa",
        "key_length", "value_length", "rope_dimension_count", "n_embd_gqa", "swa_period", "swa_pattern", "n_swa_pattern",
        "vocab_size", "n_ctx_train", "rope_original_context_length", "expert_count", "expert_used_count",
        "nextn_predict_layers", "n_layer_nextn", "attn_key_value_size", "n_embd_inp_enc", "n_embd_out",
        "n_layer_kv", "dec_n_layer"]  # fmt: skip
# Symbols that the loader tells of each block, whatever symbols.tsv says.
TOLD = ("is_swa", "is_recr")
COUNTS = re.compile(r"layer|block|interval|step|dense|every|period|loop|share")
# Conditions that may tell two shapes of a tensor apart.
SPLITS = re.compile(r"^(i [<>]=? n_layer|is_\w+\[i\]|i == \d|\w+(\[i\])? > 0|set\(.*==.*)$")
MOST_POINTS = 300
MOST_LOADS, MOST_REPEATED = 300, 100


def stack_of(name):
    """Returns the prefix of the tensors of a stack of blocks, such as "blk."; None for other tensors."""
    return name.split("%d")[0] if "%d" in name else None


def new_symbols(architecture, observations):
    """Returns rows, as in symbols.tsv, for keys that no symbol reads."""
    known = {row["key"] for row in expressions.rows("symbols")}
    found = {}
    for one in observations:
        for name, (kind, value) in one.model.keys.items():
            key = name.replace(architecture + ".", "{arch}.", 1)
            if not name.startswith(architecture + ".") or key in known or kind in ("str", "f32"):
                continue
            symbol = re.sub(r"\W", "_", key.replace("{arch}.", ""))
            old = found.get(symbol, {"type": ""})
            array = "[i]" if isinstance(value, tuple) or old["type"].endswith("[i]") else ""
            kind = "bool" if kind == "bool" else "int"
            found[symbol] = {"symbol": symbol, "type": kind + array, "key": key,
                             "otherwise": "false" if kind == "bool" else "0"}  # fmt: skip
    return [found[symbol] for symbol in sorted(found)]


def chosen(observations):
    """Returns observations that tell the most: first those whose tensors differ from all earlier ones."""
    seen = {}
    for one in observations:
        sign = frozenset((name, dims, flags, name in one.model.tensors) for name, (dims, flags) in one.tensors.items())
        seen.setdefault(sign, []).append(one)
    rest = [one for group in seen.values() for one in group[1:]]
    return [group[0] for group in seen.values()][:MOST_LOADS] + rest[:: max(1, len(rest) // MOST_REPEATED)]


class Document:
    def __init__(self, architecture, observations, needed=()):
        self.architecture, self.needed = architecture, needed
        self.observations = observations = chosen(observations)
        self.symbols = new_symbols(architecture, observations)
        self.envs = []
        for one in observations:
            env = expressions.Env(architecture, one.model, {name: one.hparams[name] for name in TOLD if name in one.hparams})
            env.rows = {**env.rows, **{row["symbol"]: row for row in self.symbols}}
            self.envs.append(env)
        # The points of each stack of blocks, and of what is in no block (None).
        self.points = {None: [(o, 0) for o in range(len(observations))]}
        self.counts = self._counts()
        for stack, counts in self.counts.items():
            self.points[stack] = [(o, i) for o, count in enumerate(counts) for i in range(count)]
        self.unexplained = []
        self.sizes, self.ints = {}, {}

    def _counts(self):
        """Returns the number of blocks of each stack in each load."""
        found = {}
        for o, one in enumerate(self.observations):
            for name in one.tensors:
                if stack := stack_of(folded(name)):
                    counts = found.setdefault(stack, [0] * len(self.observations))
                    counts[o] = max(counts[o], block(name) + 1)
        return found

    def stacks(self):
        """Returns rows about the numbers of blocks, as in stacks.tsv."""
        rows = []
        for stack, counts in self.counts.items():
            text = self._size(np.arange(len(counts)), None, vector(counts), False)
            if text is None:
                self.unexplained.append({"name": stack, "what": "count", "seen": sorted(set(counts))[:6]})
            rows.append({"prefix": stack, "count": text})
        return rows

    # Features and atoms.

    def _values(self, text, points):
        if "[i]" not in text and "%d" not in text and not re.search(r"\bi\b", text):  # The same for all blocks.
            loads = vector(env.evaluate(text) for env in self.envs)
            return loads[[o for o, _ in points]]
        return vector(self.envs[o].evaluate(text, i) for o, i in points)

    def _ints(self, stack):
        """Returns the symbols that are numbers and vary, by text."""
        if stack not in self.ints:
            self.ints[stack] = self._find_ints(self.points[stack], stack is not None)
        return self.ints[stack]

    def _find_ints(self, points, per_block):
        rows = self.envs[0].rows
        keys = {name.replace(self.architecture + ".", "{arch}.", 1) for one in self.observations for name in one.model.keys}
        names = [name for name, row in rows.items() if row["type"].startswith("int")
                 and (not row["key"] or re.sub(r"^\w+\((.*)\)$", r"\1", row["key"]) in keys or not row["otherwise"].isdigit())]  # fmt: skip
        names.sort(key=lambda name: LATE.index(name) if name in LATE else -1)
        found = {}
        for name in names:
            found[name] = self._values(name, points)
            if per_block and rows[name]["type"].endswith("[i]"):
                values = self._values(name + "[i]", points)
                if (values != found[name]).any():
                    found[name + "[i]"] = values
        return {name: values for name, values in found.items() if (values != values[0]).any()}

    def _atoms(self, stack):
        points, per_block = self.points[stack], stack is not None
        rows = self.envs[0].rows
        i = np.array([i for _, i in points])
        for name, values in self._ints(stack).items():
            base = name.removesuffix("[i]")
            if per_block and not name.endswith("[i]") and COUNTS.search(base) and not base.startswith("n_embd"):
                yield f"i >= {name}", i >= values
                yield f"i < {name}", i < values
                safe = np.where(values > 0, values, 1)
                yield f"{name} > 0 and (i + 1) % {name} == 0", (values > 0) & ((i + 1) % safe == 0)
                yield f"not ({name} > 0 and (i + 1) % {name} == 0)", ~((values > 0) & ((i + 1) % safe == 0))
                yield f"{name} > 0 and i % {name} == 1", (values > 0) & (i % safe == 1)
                yield f"not ({name} > 0 and i % {name} == 1)", ~((values > 0) & (i % safe == 1))
                yield f"{name} > 0 and i % {name} == 0", (values > 0) & (i % safe == 0)
                yield f"not ({name} > 0 and i % {name} == 0)", ~((values > 0) & (i % safe == 0))
            yield f"{name} > 0", values > 0
            yield f"{name} == 0", values == 0
            for number in (1, 2, 4):
                yield f"{name} == {number}", values == number
                yield f"{name} != {number}", values != number
        for name, row in rows.items():
            if row["type"].startswith("bool") and not name.startswith("clip"):
                text = name + "[i]" if row["type"].endswith("[i]") and per_block else name
                values = self._values(text, points)
                yield text, values == 1
                yield f"not {text}", values == 0
            if row["type"] == "bool[i]" and not per_block:
                yield f"any_block({name}[i])", self._values(f"any_block({name}[i])", points) == 1
                yield f"any_block(not {name}[i])", self._values(f"any_block(not {name}[i])", points) == 1
            if name in ("n_head", "n_head_kv", "n_ff") and not per_block:
                yield f"any_block({name}[i] > 0)", self._values(f"any_block({name}[i] > 0)", points) == 1
        texts = self._values('set(rope_scaling_type) and rope_scaling_type == "longrope"', points) == 1
        yield 'set(rope_scaling_type) and rope_scaling_type == "longrope"', texts
        yield 'not set(rope_scaling_type) or rope_scaling_type != "longrope"', ~texts
        if per_block:
            for text in ("has_trunk if i < n_layer else has_nextn", "i < n_layer or has_nextn", "i < n_layer and has_trunk"):
                yield text, self._values(text, points) == 1
            for number in (0, 1, 2):
                yield f"i == {number}", i == number
                yield f"i != {number}", i != number
        for name in self._varying_names(stack):
            present = self._present(name, points)
            yield f'present("{name}")', present
            yield f'absent("{name}")', ~present

    def _varying_names(self, stack):
        """Returns the tensors of which the loader does not require the presence."""
        names = {}
        for one in self.observations:
            for name in one.model.tensors:
                if name in one.looked or one.tensors.get(name, ((), NOT_REQUIRED))[1] & NOT_REQUIRED:
                    names[folded(name)] = None
        return [name for name in names if stack_of(name) in (None, stack)]

    def _present(self, name, points):
        return np.array([name.replace("%d", str(i)) in self.observations[o].model.tensors for o, i in points])

    # Rows.

    def tensors(self):
        """Returns the rows of tensors."""
        by_name = {}
        for o, one in enumerate(self.observations):
            for name, (dims, flags) in one.tensors.items():
                by_name.setdefault(folded(name), {})[(o, block(name) or 0)] = (dims, flags)
        self.atoms, self.conditions = {}, {}
        for stack in self.points:
            # Remainders come last: they fit by chance where blocks are few.
            self.atoms[stack] = sorted(self._atoms(stack), key=lambda one: " % " in one[0])
            self.conditions[stack] = Conditions(self.atoms[stack])
        rows = []
        for name, asked in by_name.items():
            rows += self._rows(name, asked)
        return rows

    def _rows(self, name, asked):
        stack = stack_of(name)
        points = self.points[stack]
        wanted = np.array([point in asked for point in points])
        when = self._condition(name, points, wanted, stack)
        at = np.flatnonzero(wanted)
        found = [asked[points[k]] for k in at]
        dims = [dims for dims, _ in found]
        shape = self._shape(dims, at, stack)
        required = np.array([not flags & (NOT_REQUIRED | SKIPPED) for _, flags in found])
        need = self._condition(name, points, required, stack, at) if required.any() else "false"
        row = {"what": "tensor", "name": name, "shape": shape, "required": need, "when": when,
               "needed": name in self.needed}  # fmt: skip
        if shape is not None:
            return [row]
        split = self._split(dims, at, stack)
        if split is None:
            self.unexplained.append({"name": name, "what": "shape", "seen": sorted({str(list(one)) for one in dims})[:4]})
            return [row]
        return [{**row, "shape": shape, "when": text if when == "true" else f"{_enclosed(when)} and {_enclosed(text)}"}
                for text, shape in split]  # fmt: skip

    def _condition(self, name, points, wanted, stack, at=None):
        """Returns when a tensor is looked up, or at the points `at`, when it is required."""
        if wanted.all():
            return "true"
        weight = re.sub(r"\.(scale|input_scale)$", ".weight", name)
        if weight != name and at is None and (self._present(weight, points) == wanted).all():
            return f'present("{weight}")'
        if at is None:
            text = self.conditions[stack].solve(wanted, name)
        else:
            # What a file holds explains requirements more often than sizes do.
            atoms = sorted(self.atoms[stack], key=lambda one: "has_" not in one[0])
            text = Conditions([(text, values[at]) for text, values in atoms]).solve(wanted, name)
        if text is None:
            self.unexplained.append({"name": name, "what": "when" if at is None else "required"})
        return text

    def _shape(self, dims, at, stack, quick=False):
        """Returns the shape as a cell of tensors.tsv, or None; `at` are the indices of the points."""
        rank = max(len(one) for one in dims)
        padded = [tuple(one) + (1,) * (rank - len(one)) for one in dims]
        if all(one == padded[0] for one in padded) and len(at) < 3:
            return None if len(set(padded)) > 1 else "[" + ", ".join(map(str, padded[0])) + "]"
        texts = []
        for k in range(rank):
            wanted = np.array([one[k] for one in padded], dtype=np.int64)
            text = self._size(at, stack, wanted, quick)
            if text is None:
                return None
            texts.append(text)
        return "[" + ", ".join(texts) + "]"

    def _size(self, at, stack, wanted, quick):
        key = at.tobytes(), stack, wanted.tobytes(), quick
        if key not in self.sizes:
            points = self.points[stack]
            features = {name: values[at] for name, values in self._ints(stack).items()}
            if not features:
                return str(wanted[0]) if (wanted == wanted[0]).all() else None
            rows = np.array([*features.values(), wanted])
            first = np.sort(np.unique(rows, axis=1, return_index=True)[1])
            keep = first[_sample(first)]
            text = Sizes({name: values[keep] for name, values in features.items()}).solve(wanted[keep], quick)
            if text is not None and (self._values(text, [points[k] for k in at]) != wanted).any():
                text = Sizes({name: values[first] for name, values in features.items()}).solve(wanted[first], quick)
            self.sizes[key] = text
        return self.sizes[key]

    def _split(self, dims, at, stack):
        """Returns two conditions with their shapes, if one condition tells the shapes apart."""
        for text, values in self.atoms[stack]:
            if not SPLITS.search(text):
                continue
            values = values[at]
            if not values.any() or values.all():
                continue
            shapes = []
            for part in (values, ~values):
                chosen = np.flatnonzero(part)
                shape = self._shape([dims[k] for k in chosen], at[chosen], stack, quick=True)
                if shape is None:
                    break
                shapes.append(shape)
            if len(shapes) == 2:
                return [(text, shapes[0]), (_negated(text), shapes[1])]
        return None

    def keys(self, types):
        """Returns the rows of keys; `types` gives the types that the loader reads."""
        names = dict.fromkeys(name for one in self.observations for name in one.keys)
        atoms = [one for one in self._atoms(None) if "present" not in one[0] and "absent" not in one[0]]
        conditions = Conditions(atoms)
        rows = []
        for name in names:
            wanted = np.array([name in one.keys for one in self.observations])
            when = conditions.solve(wanted)
            at = np.flatnonzero(wanted)
            required = np.array([self.observations[o].keys[name] for o in at])
            need = "false"
            if required.all():
                need = "true"
            elif required.any():
                need = Conditions([(text, values[at]) for text, values in atoms]).solve(required)
            for what, text in (("when", when), ("required", need)):
                if text is None:
                    self.unexplained.append({"name": name, "what": what})
            key = name.replace(self.architecture + ".", "{arch}.", 1)
            rows.append({"what": "key", "name": key, "type": types.get(name), "required": need, "when": when,
                         "needed": name in self.needed})  # fmt: skip
        return rows


def _sample(wanted):
    """Returns indices of at most MOST_POINTS points, spread evenly."""
    count = len(wanted)
    return np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS)).astype(int))


def _enclosed(text):
    return f"({text})" if " or " in text else text


def _negated(text):
    for one, other in ((" >= ", " < "), (" < ", " >= "), (" == ", " != "), (" != ", " == "), (" > 0", " == 0")):
        if one in text and " and " not in text and " or " not in text:
            return text.replace(one, other)
    return f"not ({text})" if " " in text else f"not {text}"
