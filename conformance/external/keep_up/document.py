"""Writes what was observed of an architecture as a document: README.md describes it.

SPDX-License-Identifier: Apache-2.0
"""

import re

import numpy as np

import expressions
from fit import Conditions, Sizes, vector
from model import block, folded
from observe import NOT_REQUIRED, SKIPPED

# Symbols for which others stand, in the order of preference after all others.
LATE = ["n_embd_head_k_full", "n_embd_head_v_full", "n_rot_full", "n_rot_swa", "n_embd_head_k_swa", "n_embd_head_v_swa",
        "key_length", "value_length", "rope_dimension_count", "n_embd_gqa", "swa_period", "swa_pattern", "n_swa_pattern",
        "vocab_size", "n_ctx_train", "rope_original_context_length", "expert_count", "expert_used_count",
        "nextn_predict_layers", "n_layer_nextn", "attn_key_value_size", "n_embd_inp_enc", "n_embd_out",
        "n_layer_kv", "dec_n_layer"]  # fmt: skip
# Symbols that the loader tells of each block, whatever symbols.tsv says.
TOLD = ("is_swa", "is_recr")
COUNTS = re.compile(r"layer|block|interval|step|dense|every|period|loop|share")
MOST_POINTS = 400


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
            found[symbol] = {"symbol": symbol, "architectures": architecture, "type": kind + array, "key": key,
                             "otherwise": "false" if kind == "bool" else "0"}  # fmt: skip
    return [found[symbol] for symbol in sorted(found)]


class Document:
    def __init__(self, architecture, observations, needed=()):
        self.architecture, self.observations, self.needed = architecture, observations, needed
        self.symbols = new_symbols(architecture, observations)
        self.envs = []
        for one in observations:
            env = expressions.Env(architecture, one.model, {name: one.hparams[name] for name in TOLD if name in one.hparams})
            env.rows = {**env.rows, **{row["symbol"]: row for row in self.symbols}}
            self.envs.append(env)
        self.blocks = [(o, i) for o, env in enumerate(self.envs) for i in range(min(env.blocks, 64))]
        self.loads = [(o, 0) for o in range(len(observations))]
        self.unexplained = []

    # Features and atoms.

    def _values(self, text, points):
        return vector(self.envs[o].evaluate(text, i) for o, i in points)

    def _ints(self, points, per_block):
        """Returns the symbols that are numbers and vary, by text."""
        rows = self.envs[0].rows
        names = [name for name, row in rows.items() if row["type"].startswith("int") and not name.startswith("clip")]
        names.sort(key=lambda name: LATE.index(name) if name in LATE else -1)
        found = {}
        for name in names:
            found[name] = self._values(name, points)
            if per_block and rows[name]["type"].endswith("[i]"):
                values = self._values(name + "[i]", points)
                if (values != found[name]).any():
                    found[name + "[i]"] = values
        return {name: values for name, values in found.items() if (values != values[0]).any()}

    def _atoms(self, points, per_block):
        rows = self.envs[0].rows
        i = np.array([i for _, i in points])
        for name, values in self._ints(points, per_block).items():
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
        texts = self._values('set(rope_scaling_type) and rope_scaling_type == "longrope"', points) == 1
        yield 'set(rope_scaling_type) and rope_scaling_type == "longrope"', texts
        yield 'not set(rope_scaling_type) or rope_scaling_type != "longrope"', ~texts
        if per_block:
            for number in (0, 1, 2):
                yield f"i == {number}", i == number
                yield f"i != {number}", i != number
        for name in self._varying_names(per_block):
            present = self._present(name, points)
            yield f'present("{name}")', present
            yield f'absent("{name}")', ~present

    def _varying_names(self, per_block):
        """Returns the tensors of which the loader does not require the presence."""
        names = {}
        for one in self.observations:
            for name in one.model.tensors:
                if name in one.looked or one.tensors.get(name, ((), NOT_REQUIRED))[1] & NOT_REQUIRED:
                    names[folded(name)] = None
        return [name for name in names if "%d" not in name or (per_block and name.startswith("blk.%d."))]

    def _present(self, name, points):
        return np.array([name.replace("%d", str(i)) in self.observations[o].model.tensors for o, i in points])

    # Rows.

    def tensors(self):
        """Returns the rows of tensors."""
        by_name = {}
        for o, one in enumerate(self.observations):
            for name, (dims, flags) in one.tensors.items():
                by_name.setdefault(folded(name), {})[(o, block(name) or 0)] = (dims, flags)
        self.conditions = {}
        for per_block, points in ((True, self.blocks), (False, self.loads)):
            self.conditions[per_block] = list(self._atoms(points, per_block))
        rows = []
        for name, asked in by_name.items():
            rows += self._rows(name, asked)
        return rows

    def _rows(self, name, asked):
        per_block = name.startswith("blk.%d.")
        points = self.blocks if per_block else self.loads
        if not per_block and "%d" in name:  # Another stack of blocks: those of its first block stand for all.
            asked = {(o, 0): found for (o, _), found in asked.items()}
        wanted = np.array([point in asked for point in points])
        when = self._condition(name, points, wanted, per_block)
        at = np.flatnonzero(wanted)
        found = [asked[points[k]] for k in at]
        dims = [dims for dims, _ in found]
        shape = self._shape(dims, [points[k] for k in at], per_block)
        required = np.array([not flags & (NOT_REQUIRED | SKIPPED) for _, flags in found])
        need = "true" if name in self.needed and required.all() else None
        if not required.any():
            need = "true" if name in self.needed else "false"
        else:
            need = need or self._condition(name, points, required, per_block, at)
        row = {"what": "tensor", "name": name, "shape": shape, "required": need, "when": when}
        if shape is not None:
            return [row]
        split = self._split(name, dims, [points[k] for k in at], at, per_block)
        if split is None:
            self.unexplained.append({"name": name, "what": "shape", "seen": sorted({str(list(one)) for one in dims})[:4]})
            return [row]
        return [{**row, "shape": shape, "when": text if when == "true" else f"{_enclosed(when)} and {_enclosed(text)}"}
                for text, shape in split]  # fmt: skip

    def _condition(self, name, points, wanted, per_block, at=None):
        if wanted.all():
            return "true"
        atoms = [one for one in self.conditions[per_block] if f'("{name}")' not in one[0]]
        if at is not None:
            atoms = [(text, values[at]) for text, values in atoms]
        weight = re.sub(r"\.(scale|input_scale|bias)$", ".weight", name)
        own = []
        if weight != name and ".bias" not in name:
            present = self._present(weight, points)
            own = [(f'present("{weight}")', present if at is None else present[at])]
        text = Conditions(own + [one for one in atoms if "set(" not in one[0]] + atoms).solve(wanted)
        if text is None:
            self.unexplained.append({"name": name, "what": "when" if at is None else "required"})
        return text

    def _shape(self, dims, points, per_block):
        """Returns the shape as a cell of tensors.tsv, or None."""
        rank = max(len(one) for one in dims)
        padded = [tuple(one) + (1,) * (rank - len(one)) for one in dims]
        if all(one == padded[0] for one in padded) and len(points) < 3:
            return None if len(set(padded)) > 1 else "[" + ", ".join(map(str, padded[0])) + "]"
        features = self._features(points, per_block)
        texts = []
        for k in range(rank):
            wanted = np.array([one[k] for one in padded], dtype=np.int64)
            keep = _sample(wanted)
            text = Sizes({name: values[keep] for name, values in features.items()}).solve(wanted[keep])
            if text is None or (self._values(text, points) != wanted).any():
                text = Sizes(features).solve(wanted) if text is not None and len(points) < 3000 else None
            if text is None:
                return None
            texts.append(text)
        return "[" + ", ".join(texts) + "]"

    def _features(self, points, per_block):
        if not hasattr(self, "_cache"):
            self._cache = {}
        key = tuple(points)
        if key not in self._cache:
            self._cache[key] = self._ints(points, per_block)
        return self._cache[key]

    def _split(self, name, dims, points, at, per_block):
        """Returns two conditions with their shapes, if one condition tells the shapes apart."""
        for text, values in self.conditions[per_block]:
            if "ent(" in text or "%" in text or text.startswith("not "):
                continue
            values = values[at]
            if not values.any() or values.all():
                continue
            shapes = []
            for part in (values, ~values):
                chosen = np.flatnonzero(part)
                shape = self._shape([dims[k] for k in chosen], [points[k] for k in chosen], per_block)
                if shape is None:
                    break
                shapes.append(shape)
            if len(shapes) == 2:
                return [(text, shapes[0]), (_negated(text), shapes[1])]
        return None

    def keys(self, types):
        """Returns the rows of keys; `types` gives the types that the loader reads."""
        names = dict.fromkeys(name for one in self.observations for name in one.keys)
        atoms = [one for one in self._atoms(self.loads, False) if "present" not in one[0] and "absent" not in one[0]]
        rows = []
        for name in names:
            wanted = np.array([name in one.keys for one in self.observations])
            when = "true" if wanted.all() else Conditions(atoms).solve(wanted)
            at = np.flatnonzero(wanted)
            required = np.array([self.observations[o].keys[name] for o in at])
            need = "false"
            if required.any():
                need = Conditions([(text, values[at]) for text, values in atoms]).solve(required)
            for what, text in (("when", when), ("required", need)):
                if text is None:
                    self.unexplained.append({"name": name, "what": what})
            key = name.replace(self.architecture + ".", "{arch}.", 1)
            rows.append({"what": "key", "name": key, "type": types.get(name), "required": need, "when": when})
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
