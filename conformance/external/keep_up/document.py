"""Writes what was observed of an architecture as a document: README.md describes it.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import itertools
import re

import numpy as np

import expressions
from definitions import known_rows, own_rows
from features import Features, stack_of
from fit import Conditions, Sizes, operand, vector
from learn import NOT_REQUIRED, SKIPPED
from model import block, folded
from shared_tables import CELLS

# Conditions that may tell two shapes of a tensor apart.
SPLITS = re.compile(r"^((not )?any_block.*|i [<>]=? n_layer|(i < n_layer and )?is_\w+\[i\]|i == \d|(not set\(\w+\) or )?\w+(\[i\])? > 0|set\(.*==.*)$")
KINDS = re.compile(r"^((i < n_layer and )?is_\w+\[i\]|n_head_kv\[i\] > 0)$")
PER_BLOCK = re.compile(r"\b(n_head|n_head_kv|n_ff)\b(?!\[)")  # Numbers that blocks may have of their own.
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
MOST_AGREE = 0.9
MOST_POINTS = 300


class Document(Features):
    """The rows that explain observations."""

    @functools.cached_property
    def sizes(self):
        """Expressions that were found, by what they were looked for at, and the dimensions."""
        return {}

    def stacks(self):
        """Returns rows about the numbers of blocks, as in stacks.tsv."""
        rows = []
        for stack, counts in self.counts.items():
            found = {"prefix": stack}
            loops = {"loops": self.rounds[stack]} if stack in self.rounds else {}
            row = own_rows("blocks", self.architecture).get(stack, [("", "", "")])[0]
            own = dict(zip(("count", "loops"), row[2].split(" looped ")))
            for what, numbers in {"count": counts, **loops}.items():
                if own.get(what) and (self._values(own[what], self.points[None])[: len(numbers)] == numbers).all():
                    found[what] = own[what]
                    continue
                known = ("n_layer", "n_layer_all") if what == "count" else (f"n_layer / ({found['count']})",)
                right = [text for text in known if (self._values(text, self.points[None]) == vector(numbers)).all()]
                found[what] = right[0] if right else self._size(np.arange(len(numbers)), None, vector(numbers), False)
                if found[what] is None:
                    self.unexplained.append({"name": stack, "what": what, "seen": sorted(set(numbers))[:6]})
            rows.append(found)
        return rows

    def tensors(self):
        """Returns the rows of tensors."""
        by_name = {}
        for o, one in enumerate(self.observations):
            for name, (dims, flags) in one.tensors.items():
                by_name.setdefault(folded(name), {})[(o, block(name) or 0)] = (dims, flags)
        rows = []
        for name, asked in by_name.items():
            rows += self._rows(name, asked)
        self._contradict("tensor", by_name, lambda own, name: self._agrees(self._in_tables(own), name, [None] * len(self.points[stack_of(name)])))
        return rows

    def _contradict(self, what, found, agrees):
        """Notes the names in the tables that the loader never looks up, although their rows say that it does."""
        for name, own in own_rows(what, self.architecture).items():
            if name not in found and name not in self.looked and stack_of(name) in self.points and not agrees(own, name):
                self.contradicted.append({"what": what, "name": name})

    def _rows(self, name, asked):
        """Returns the rows about a tensor: those of the tables if they are right, others if what was found is."""
        points = self.points[stack_of(name)]
        observed = [asked.get(point) for point in points]
        needed = {"needed": name in self.needed}
        own, *others = (self._in_tables(rows) for rows in known_rows("tensor", name, self.architecture))
        if own and self._agrees(own, name, observed, own=True):
            return [{**row, **needed} for row in own]
        unexplained = len(self.unexplained)
        found = self._find(name, asked)
        for rows in self._mended(own, found):
            if self._agrees(rows, name, observed, own=True):
                del self.unexplained[unexplained:]
                return [{**row, **needed} for row in rows]
        if None in (row[cell] for row in found for cell in ("shape", "required", "when")):
            for rows in others:
                if self._agrees(rows, name, observed):
                    del self.unexplained[unexplained:]
                    return [{**row, **needed} for row in rows]
        if len(own) == len(found) == 1 and re.match("elements|.*any", own[0]["shape"] or ""):
            same = {**found[0], "shape": own[0]["shape"]}  # The loader takes more shapes than it asks for.
            if None not in same.values() and self._agrees([same], name, observed):
                return [same]
        shapes = dict.fromkeys(row["shape"] for rows in others for row in rows if row["shape"] and "any" not in row["shape"])
        for k, row in enumerate(found):
            if not re.search(NUMBER.pattern + "| if ", row["shape"] or "") or None in (row["required"], row["when"]):
                continue
            words = set(re.findall(r"[a-z]\w*", row["shape"]))
            for shape in shapes:  # A number that nothing varied, or another key, is what it is elsewhere.
                changed = [*found[:k], {**row, "shape": shape}, *found[k + 1 :]]
                more = set(re.findall(r"[a-z]\w*", shape)) > words
                if (more or not NUMBER.search(shape)) and self._agrees(changed, name, observed):
                    found = changed
                    break
        return found

    @staticmethod
    def _mended(own, found):
        """Yields the rows of the tables with some cells of a row that was found, and then behind such a row.

        The loader may refute one cell alone, or all of them in some blocks; what it does not refute may rest on
        models that nobody varied.
        """
        if not own:
            return
        sets = [cells for count in range(3) for cells in itertools.combinations(CELLS, count)]
        # The loader may insist without a mark, which loads do not show; perhaps not in blocks for prediction.
        for text in ("{} if i < n_layer else has_nextn", "i < n_layer and {}"):
            yield [{**one, "required": text.format(operand(one["required"], "and"))} for one in own if one["required"] != "false"]
        per_block = [{**one, "shape": one["shape"] and PER_BLOCK.sub(r"\1[i]", one["shape"])} for one in own]
        for cells, rows, row in itertools.product(sets, (own, per_block), found):
            if (cells or rows is per_block) and None not in (row[cell] for cell in cells):
                yield [{**one, **{cell: row[cell] for cell in cells}} for one in rows]
        for rows, row in itertools.product((own, per_block), found):
            if None not in (row[cell] for cell in CELLS) and row["when"] != "true":
                yield [row, *rows]

    @staticmethod
    def _in_tables(rows):
        return [{"what": "tensor", "name": row[1], "shape": row[2] or None, "required": row[3] or "false", "when": row[4] or "true"}
                for row in rows]  # fmt: skip

    def _agrees(self, rows, name, observed, own=False):
        """Returns whether rows of a document say what was observed at each point: (dims, flags), or None.

        The loader may insist on a tensor without a mark, which the architecture's `own` rows know.
        """
        points = self.points[stack_of(name)]
        present = self._present(name, points) if own else np.zeros(len(points), bool)
        left = np.ones(len(points), bool)
        wanted = np.array([one is not None for one in observed])
        for row in rows:
            holds = left & (self._values(row["when"], points) == 1) if row["when"] != "true" else left.copy()
            if (holds & ~wanted).any():
                return False
            left &= ~holds
            at = np.flatnonzero(holds)
            need = np.zeros(len(at), bool) if row["required"] == "false" else self._values(row["required"], [points[k] for k in at]) == 1
            marked = np.array([not observed[k][1] & (NOT_REQUIRED | SKIPPED) for k in at], bool)
            if (marked & ~need).any() or (need & ~marked & ~present[at]).any() and (name not in self.needed or not need.all()):
                return False
            sizes = expressions.shape(row["shape"] or "")
            if not sizes or row["shape"].startswith("elements"):
                continue
            at = [k for k in at if min(observed[k][0], default=1) > 0]
            for place in range(4):
                size = sizes[place] if place < len(sizes) else "1"
                if size != "any" and (self._values(size, [points[k] for k in at])
                                      != [(*observed[k][0], 1, 1, 1)[place] for k in at]).any():  # fmt: skip
                    return False
        if own and name in self.refused:  # Where it is looked up in vain.
            left &= np.array([one is not None and not one[1] & NOT_REQUIRED for one in observed]) | self._present(name, points)
        return not (left & wanted).any()

    def _find(self, name, asked):
        """Returns rows that expressions of symbols explain; their cells are None where none does."""
        stack = stack_of(name)
        points = self.points[stack]
        wanted = np.array([point in asked for point in points])
        when = self._condition(name, points, wanted, stack)
        at = np.flatnonzero(wanted)
        found = [asked[points[k]] for k in at]
        some = [k for k, (dims, _) in enumerate(found) if min(dims, default=1) > 0]  # No file has others.
        dims = [found[k][0] for k in some]
        shape = self._shape(dims, at[some], stack, free=self._free(name)) if some else "[1]"
        required = np.array([not flags & (NOT_REQUIRED | SKIPPED) for _, flags in found])
        need = self._condition(name, points, required, stack, at) if required.any() else "false"
        present = self._present(name, points)[at]
        if 'sent("' in str(need) and name in self.looked and not present.all() and (required == present).all():
            need = "false"  # The loader asks whether it is there, and requires it then.
        row = {"what": "tensor", "name": name, "shape": shape, "required": need, "when": when,
               "needed": name in self.needed}  # fmt: skip
        first = next((source for source, _ in self.widths if folded(source) == name != source), None)
        row["required"] = "true" if need == "false" and row["needed"] else need
        if shape is not None and first:  # The first block gives the others the dimension.
            rest = self._shape(dims, at[some], stack)
            of_first, of_others = ("i == 0", "i > 0") if when == "true" else (f"i == 0 and {_enclosed(when)}", f"i > 0 and {_enclosed(when)}")
            return [{**row, "when": of_first}, {**row, "shape": rest, "when": of_others}]
        if shape is not None:
            return [row]
        split = self._split(dims, at[some], stack)
        if split is None:
            self.unexplained.append({"name": name, "what": "shape", "seen": sorted({str(list(one)) for one in dims})[:4]})
            return [row]
        rows = []
        for text, shape in split:
            part = required[self._values(text, [points[k] for k in at]) == 1]
            rows.append({**row, "shape": shape, "required": "true" if part.all() else need if part.any() else "false",
                         "when": text if when in ("true", text) else f"{_enclosed(when)} and {_enclosed(text)}"})  # fmt: skip
        return rows

    def _condition(self, name, points, wanted, stack, at=None):
        """Returns when a tensor is looked up, or at the points `at`, when it is required."""
        if wanted.all():
            return "true"
        weight = re.sub(r"\.(scale|input_scale)$", ".weight", name)
        if weight != name and at is None and (self._present(weight, points) == wanted).all():
            return f'present("{weight}")'
        if at is None:
            text = self.conditions(stack).solve(wanted, name)
        else:
            # What a file holds explains requirements more often than sizes do.
            # The loader asks whether a tensor is there before another one depends on it.
            atoms = [one for one in self.atoms(stack) if self.looked.issuperset(re.findall(r'sent\("([^"]*)"', one[0]))]
            atoms.sort(key=lambda one: "has_" not in one[0])
            text = Conditions([(text, values[at]) for text, values in atoms]).solve(wanted, name)
        if text is None:
            self.unexplained.append({"name": name, "what": "when" if at is None else "required"})
        if text is None and at is None:  # A block that others name as well as itself is one that names itself.
            agree = {text: np.mean(values == wanted) for text, values in self.atoms(stack) if text.endswith("[i] == i")}
            text = max(agree, key=agree.get, default=None)
            text = text if agree and agree[text] > MOST_AGREE else None
        return text

    def _free(self, name):
        """Returns the places of dimensions that may be anything."""
        return [place for source, place in self.widths if folded(source) == name]

    def _shape(self, dims, at, stack, quick=False, free=(), otherwise=None):
        """Returns the shape as a cell of tensors.tsv, or None; `at` are the indices of the points."""
        rank = max(len(one) for one in dims)
        padded = [tuple(one) + (1,) * (rank - len(one)) for one in dims]
        if all(one == padded[0] for one in padded) and len(at) < 3:
            return None if len(set(padded)) > 1 else "[" + ", ".join(map(str, padded[0])) + "]"
        texts = []
        for k in range(rank):
            wanted = np.array([one[k] for one in padded], dtype=np.int64)
            text = "any" if k in free else self._size(at, stack, wanted, quick) or otherwise
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
        """Returns two conditions with their shapes, if one condition tells the shapes apart.

        Where it explains one of them, dimensions of the other may be anything.
        """
        most = 0, None
        atoms = [(*atom, quick) for quick, pattern in ((True, SPLITS), (False, KINDS)) for atom in self.atoms(stack) if pattern.search(atom[0])]
        for text, values, quick in atoms:
            values = values[at]
            if not values.any() or values.all():
                continue
            parts = [np.flatnonzero(part) for part in (values, ~values)]
            shapes = [self._shape([dims[k] for k in part], at[part], stack, quick) for part in parts]
            found = [(text, shapes[0]), (_negated(text), shapes[1])]
            if None not in shapes:
                return found
            if shapes != [None, None] and "any_block" in text:
                k = shapes.index(None)
                found[k] = (found[k][0], self._shape([dims[j] for j in parts[k]], at[parts[k]], stack, True, otherwise="any"))
                most = max(most, (len(parts[1 - k]), sorted(found, key=lambda one: "any" in one[1])))
        return most[1]

    def keys(self, types):
        """Returns the rows of keys; `types` gives the types that the loader reads."""
        names = dict.fromkeys(name for one in self.observations for name in one.keys)
        rows = []
        for name in names:
            wanted = np.array([name in one.keys for one in self.observations])
            key = name.replace(self.architecture + ".", "{arch}.", 1)
            row = {"what": "key", "name": key, "type": types.get(name), "needed": name in self.needed}
            own = next(known_rows("key", key, self.architecture))
            if len(own) == 1 and self._same_key(own[0], name, wanted):
                rows.append({**row, "required": own[0][3] or "false", "when": own[0][4] or "true"})
                continue
            when = self.conditions_of_keys.solve(wanted)
            at = np.flatnonzero(wanted)
            required = np.array([self.observations[o].keys[name] for o in at])
            need = "false"
            if required.all():
                need = "true"
            elif required.any():
                atoms = [(text, values[at]) for text, values in self.atoms(None) if "present" not in text and "absent" not in text]
                need = Conditions(atoms).solve(required)
                need = "true" if need is None and name in self.needed else need
            for what, text in (("when", when), ("required", need)):
                if text is None:
                    self.unexplained.append({"name": name, "what": what})
            rows.append({**row, "required": need, "when": when})
        none = np.zeros(len(self.observations), bool)
        self._contradict("key", {row["name"] for row in rows}, lambda own, name: any(
            row[3] not in ("", "true") or self._same_key(row, "", none) for row in own))
        return rows

    def _same_key(self, row, name, wanted):
        """Returns whether a row of the tables says when the loader reads a key, and when it insists on it."""
        points = self.points[None]
        when = self._values(row[4], points) == 1 if row[4] else np.ones(len(points), bool)
        need = when & (self._values(row[3], points) == 1) if row[3] else np.zeros(len(points), bool)
        required = np.array([bool(one.keys.get(name)) for one in self.observations])
        insists = required | (when if name in self.needed else False)  # It may do so without a mark.
        return (when == wanted).all() and ((need == required).all() or (need == insists).all())


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
