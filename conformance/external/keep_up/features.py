"""What may explain observations: the symbols that are numbers, and conditions, with their values at each point.

SPDX-License-Identifier: Apache-2.0
"""

import functools
import re

import numpy as np

import expressions
from definitions import TOLD, define, defining, with_definitions
from fit import Conditions, vector
from learn import NOT_REQUIRED
from model import block, folded

# Symbols for which others stand, in the order of preference after all others.
LATE = ["n_layer_all", "n_embd_head_k_full", "n_embd_head_v_full", "n_rot_full", "n_rot_swa", "n_embd_head_k_swa", "n_embd_head_v_swa",
        "key_length", "value_length", "rope_dimension_count", "n_embd_gqa", "swa_period", "swa_pattern", "n_swa_pattern",
        "vocab_size", "n_ctx_train", "rope_original_context_length", "expert_count", "expert_used_count",
        "nextn_predict_layers", "n_layer_nextn", "attn_key_value_size", "n_embd_inp_enc", "n_embd_out",
        "n_layer_kv", "dec_n_layer"]  # fmt: skip
COUNTS = re.compile(r"layer|block|interval|step|dense|every|period|loop|share")
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


class Features:
    """Observations, and what may explain them.

    A point is a load, or a block of a load: (observation, block).
    """

    def __init__(self, architecture, observations, needed=(), widths=(), refused=(), against=()):
        """Takes what Observer found; of the observations, those of `against` are never left out."""
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
        self.ints = {}
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

    @functools.cached_property
    def looked(self):
        """The tensors whose presence the loader tests."""
        return {folded(name) for one in self.observations for name in one.looked}
