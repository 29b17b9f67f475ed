"""Writes what was observed of an architecture as a document: README.md describes it.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import itertools
import re

import numpy as np

import expressions
from definitions import TOLD, define, defining, known_rows, own_rows, with_definitions
from fit import Conditions, Sizes, vector
from learn import NOT_REQUIRED, SKIPPED
from model import block, folded
from shared_tables import CELLS

# Symbols for which others stand, in the order of preference after all others.
LATE = ["n_layer_all", "n_embd_head_k_full", "n_embd_head_v_full", "n_rot_full", "n_rot_swa", "n_embd_head_k_swa", "n_embd_head_v_swa",
        "key_length", "value_length", "rope_dimension_count", "n_embd_gqa", "swa_period", "swa_pattern", "n_swa_pattern",
        "vocab_size", "n_ctx_train", "rope_original_context_length", "expert_count", "expert_used_count",
        "nextn_predict_layers", "n_layer_nextn", "attn_key_value_size", "n_embd_inp_enc", "n_embd_out",
        "n_layer_kv", "dec_n_layer"]  # fmt: skip
COUNTS = re.compile(r"layer|block|interval|step|dense|every|period|loop|share")
# Conditions that may tell two shapes of a tensor apart.
SPLITS = re.compile(r"^((not )?any_block.*|i [<>]=? n_layer|(i < n_layer and )?is_\w+\[i\]|i == \d|(not set\(\w+\) or )?\w+(\[i\])? > 0|set\(.*==.*)$")
KINDS = re.compile(r"^((i < n_layer and )?is_\w+\[i\]|n_head_kv\[i\] > 0)$")
PER_BLOCK = re.compile(r"\b(n_head|n_head_kv|n_ff)\b(?!\[)")  # Numbers that blocks may have of their own.
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
MOST_AGREE = 0.9
MOST_POINTS = 300
MOST_LOADS, MOST_REPEATED = 300, 100


def stack_of(name):
    """Returns the prefix of the tensors of a stack of blocks, such as "blk."; None for other tensors."""
    return name.split("%d")[0] if "%d" in name else None


def new_symbols(architecture, observations, defined):
    """Returns rows, as in symbols.tsv, for keys that no symbol reads."""
    known = {row["key"] for row in [*expressions.rows("symbols"), *defined]}
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
    """Returns observations that tell the most: first those whose tensors differ from all earlier ones, and of these
    those that look up other tensors before those with other shapes."""
    names, shapes, rest = {}, {}, []
    for one in observations:
        sign = frozenset((name, flags, name in one.model.tensors) for name, (_, flags) in one.tensors.items())
        if names.setdefault(sign, one) is not one:
            sign = frozenset((name, dims) for name, (dims, _) in one.tensors.items()), sign
            if shapes.setdefault(sign, one) is not one:
                rest.append(one)
    some = [*names.values(), *shapes.values()][:MOST_LOADS]
    return sorted(some, key=observations.index) + rest[:: max(1, len(rest) // MOST_REPEATED)]


def count_blocks(observation):
    """Returns the number of blocks of each stack, and of the rounds through them.

    Of the blocks of later rounds, the loader looks up the scales alone; they are left out.
    """
    numbers, every = {}, {}
    for name in observation.tensors:
        if stack := stack_of(folded(name)):
            every[stack] = max(every.get(stack, 0), block(name) + 1)
            if not name.endswith("scale"):
                numbers[stack] = max(numbers.get(stack, 0), block(name) + 1)
    observation.tensors = {name: asked for name, asked in observation.tensors.items()
                           if (block(name) or 0) < numbers.get(stack_of(folded(name)), 1 << 30)}  # fmt: skip
    return {stack: (numbers.get(stack, count), count / numbers.get(stack, count)) for stack, count in every.items()}


class Document:
    def __init__(self, architecture, observations, needed=(), widths=(), refused=(), against=()):
        """Describes what was observed; `against` are observations that must be among those that rows are fitted to."""
        self.architecture, self.needed, self.widths, self.refused = architecture, needed, widths, refused
        blocks = {id(one): count_blocks(one) for one in observations}
        self.observations = observations = [*chosen(observations), *against]
        self.stacks_of = [blocks[id(one)] for one in observations]
        self.envs = [expressions.Env(architecture, one.model, {name: one.hparams[name] for name in TOLD if name in one.hparams})
                     for one in observations]  # fmt: skip
        self.unexplained, self.contradicted = [], []
        self.definitions, undefined = self._define()
        self.symbols = new_symbols(architecture, observations, self.definitions)
        for env in self.envs:
            env.rows = with_definitions(env.rows, self.definitions + self.symbols)
        # The points of each stack of blocks, and of what is in no block (None).
        self.points = {None: [(o, 0) for o in range(len(observations))]}
        self.counts, self.rounds = self._counts()
        for stack, counts in self.counts.items():
            self.points[stack] = [(o, i) for o, count in enumerate(counts) for i in range(count)]
        self.sizes, self.ints = {}, {}
        self.definitions += [defining(symbol, text) for symbol in undefined if (text := self._condition_of(symbol))]

    def _define(self):
        """Returns rows that define what the loader tells of blocks, and the symbols of which no known wording is right."""
        found, undefined = [], []
        read = {name.replace(self.architecture + ".", "{arch}.", 1) for one in self.observations for name in one.keys}
        for symbol in TOLD:
            told = [one.hparams.get(symbol, ()) for one in self.observations]
            rows = define(symbol, self.envs, told, read)
            if rows is None:
                undefined.append(symbol)
            found += rows or []
        return found, undefined

    def _condition_of(self, symbol):
        """Returns a condition on keys that says what the loader tells of each block; None if there is none."""
        points = self.points["blk."]
        wanted = np.array([bool(self.envs[o].evaluate(f"{symbol}[i]", i)) for o, i in points])
        atoms = [one for one in self._atoms("blk.") if symbol not in one[0] and "sent(" not in one[0] and "has_" not in one[0]]
        text = Conditions(sorted(atoms, key=lambda one: " % " in one[0])).solve(wanted)
        if text is None:
            self.unexplained.append({"name": symbol, "what": "definition"})
        return text

    def _counts(self):
        """Returns the number of blocks of each stack in each load, and of rounds through them, if there are several."""
        stacks = dict.fromkeys(stack for one in self.stacks_of for stack in one)
        counts = {stack: [one.get(stack, (0, 1))[0] for one in self.stacks_of] for stack in stacks}
        rounds = {stack: [one[stack][1] for one in self.stacks_of if stack in one] for stack in stacks}
        return counts, {stack: some for stack, some in rounds.items() if any(one >= 2 for one in some)}

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

    # Features and atoms.

    @functools.cache
    def atoms(self, stack):
        # Remainders and single numbers come last: they fit by chance where blocks are few.
        return sorted(self._atoms(stack), key=lambda one: bool(re.search(r" % |[!=]= [124]$", one[0])))

    @functools.cache
    def conditions(self, stack):
        return Conditions(self.atoms(stack))

    @functools.cached_property
    def conditions_of_keys(self):
        return Conditions([one for one in self.atoms(None) if "present" not in one[0] and "absent" not in one[0]])

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
        arrays = {key for key in keys if all(isinstance(one.model.value(key.replace("{arch}", self.architecture), ()), tuple)
                                             for one in self.observations)}  # fmt: skip
        names.sort(key=lambda name: LATE.index(name) if name in LATE else -1)
        found = {}
        for name in names:
            found[name] = self._values(name, points)
            if per_block and rows[name]["type"].endswith("[i]"):
                values = self._values(name + "[i]", points)
                if (values != found[name]).any():
                    found[name + "[i]"] = values
                elif rows[name]["key"] in arrays:
                    found[name + "[i]"] = found.pop(name)
        for name, place in self.widths:
            if per_block or "%d" not in name:
                found[f'ne("{name}", {place})'] = self._values(f'ne("{name}", {place})', points)
        return {name: values for name, values in found.items() if (values != values[0]).any()}

    def _atoms(self, stack):
        points, per_block = self.points[stack], stack is not None
        rows = self.envs[0].rows
        i = np.array([i for _, i in points])
        for name, values in self._ints(stack).items():
            if name.startswith("ne("):
                continue
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
            if name.endswith("[i]") and self.envs[0].rows[base]["otherwise"].isdigit():
                absent = self._values(f"set({base})", points) != 1
                yield f"not set({base}) or {name} > 0", absent | (values > 0)
                yield f"not set({base}) or {name} == i", absent | (values == i)
            if name.endswith("[i]"):
                yield f"{name} == i", values == i
                yield f"{name} != i", values != i
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
                if text.startswith("is_"):
                    values = (values == 1) & (self._values("i < n_layer", points) == 1)
                    yield f"i < n_layer and {text}", values
                    yield f"not (i < n_layer and {text})", ~values
            if row["type"] == "bool[i]" and not per_block:
                some = f"any_block(i < n_layer and not {name}[i] and n_head_kv[i] > 0)"
                yield some, self._values(some, points) == 1
                yield f"any_block({name}[i])", self._values(f"any_block({name}[i])", points) == 1
                yield f"any_block(not {name}[i])", self._values(f"any_block(not {name}[i])", points) == 1
            if name in ("n_head", "n_head_kv", "n_ff") and not per_block:
                for some in (f"any_block({name}[i] > 0)", f"any_block({name}[i] == 0)"):
                    values = self._values(some, points) == 1
                    yield some, values
                    yield f"not {some}", ~values
        for name, row in rows.items():
            if row["key"].startswith("{arch}."):
                values = self._values(f"set({name})", points) == 1
                yield f"set({name})", values
                yield f"not set({name})", ~values
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
            yield [{**one, "required": text.format(one["required"])} for one in own if one["required"] != "false"]
        per_block = [{**one, "shape": one["shape"] and PER_BLOCK.sub(r"\1[i]", one["shape"])} for one in own]
        for cells, rows, row in itertools.product(sets, (own, per_block), found):
            if None not in (row[cell] for cell in cells):
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

    @functools.cached_property
    def looked(self):
        """The tensors whose presence the loader tests."""
        return {folded(name) for one in self.observations for name in one.looked}

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
