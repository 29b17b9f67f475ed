"""Varies a model that loads, and keeps what the loader looks up in each variant.

Changes one hyper-parameter at a time: from the smallest model, and from each
variant whose tensors are others ("modes": experts or none, recurrent blocks,
blocks for prediction, fused weights). Then adds and removes tensors, and changes
several hyper-parameters at random, with numbers that the name determines.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import random
import re

from learn import DUPLICATED, EXPERTS, NOT_REQUIRED, SKIPPED, settle, type_of
from model import folded

MOST_STUCK = 8
# Of modes, and of models that are changed at random; fewer suffice to compare rows that exist.
MOST_MODES, MOST_STARTS = (7, 4), (40, 16)
STEPS = 4
# Widths that otherwise depend on the embedding and the number of heads.
WIDTHS = ("attention.key_length", "attention.value_length", "rope.dimension_count")
# Keys that change no tensor, or only their number.
IGNORED = re.compile(r"general\.|tokenizer\.|split\.|prism\.")
TEXTS = {"rope.scaling.type": ("longrope", "yarn")}


class Observation:
    """A model, and what the loader looked up while it loaded it."""

    def __init__(self, model, answer):
        self.model = model
        self.keys = {}  # Name to whether it is required.
        for name, _, _, need in answer.keys:
            self.keys[name] = bool(self.keys.get(name) or need)
        self.tensors = {name: (tuple(dims), flags) for name, dims, flags in answer.tensors if not flags & DUPLICATED}
        self.looked = answer.looked
        self.hparams = answer.hparams

    def names(self):
        """Returns the tensors without their blocks, whether each is there, and whether it has elements."""
        return {(folded(name), name in self.model.tensors, min(dims, default=1) > 0) for name, (dims, _) in self.tensors.items()}

    def structure(self):
        """Returns what makes a mode: the tensors, whether each is required, and whether it has elements."""
        return frozenset((name, flags, min(dims, default=1) > 0) for name, (dims, flags) in self.tensors.items())


def is_empty(answer):
    """Returns whether a required tensor has no elements: no file has such a one."""
    return any(min(dims, default=1) <= 0 and not flags & (NOT_REQUIRED | DUPLICATED | SKIPPED) for _, dims, flags in answer.tensors)


class Observer:
    def __init__(self, loaders, name, model, answer, known=False):
        self.loaders, self.name, self.known = loaders, name, known
        self.observations, self.seen, self.structures = [], set(), set()
        self.getters = {}
        # Keys and tensors without which a model does not load, although nothing says so.
        self.needed = set()
        # Tensors that a model does not load with, although the loader looks them up.
        self.refused = set()
        self.active, self.loads_unchanged = set(), {}
        # Dimensions that the loader takes from the tensor itself: (name, place).
        self.widths = []
        self.keep(model, answer)

    def keep(self, model, answer):
        """Keeps an observation if it is new; returns it if its structure is new."""
        for name, getter, *_ in answer.keys:
            self.getters.setdefault(name, getter)
        sign = (tuple(model.keys.items()), frozenset(model.tensors.items()))
        predicting = model.value(self.name + ".nextn_predict_layers", 0)
        without_blocks = predicting >= self.blocks(model) or not any(".0." in name for name, *_ in answer.tensors)
        if sign in self.seen or is_empty(answer) or (self.observations and without_blocks):
            return None  # No file is without blocks.
        self.seen.add(sign)
        observation = Observation(model, answer)
        self.observations.append(observation)
        new = observation.structure() not in self.structures
        self.structures.add(observation.structure())
        return observation if new else None

    def changes(self, observation):
        """Returns whether the newest observation differs from another one in a tensor."""
        return self.observations[-1].tensors != observation.tensors

    def extras(self, observation):
        """Returns the tensors of a model that the loader does not require."""
        asked = observation.tensors
        looked = set(observation.looked)
        return [name for name in observation.model.tensors
                if name in looked or name not in asked or asked[name][1] & NOT_REQUIRED]  # fmt: skip

    def vary(self, observation):
        """Changes one key at a time; returns the observations whose structure is new.

        Keys that no other value of loads alone are changed while widths keep theirs, or two at a time.
        """
        new, stuck = [], []
        model = observation.model
        extras = self.extras(observation)

        def attempt(changed, *keys):
            settled, answer = settle(self.loaders, changed, extras)
            if not answer.loads:
                return False
            before = len(self.observations)
            if found := self.keep(settled, answer):
                new.append(found)
            if len(self.observations) == before:
                return True
            if self.changes(observation):
                self.active.update(keys)
            else:
                for key in keys:
                    self.loads_unchanged[key] = self.loads_unchanged.get(key, 0) + 1
            return True

        def attempt_alike(key, kind, value):
            """Changes all arrays that are alike, which the loader may compare."""
            alike = [other for other, old in model.keys.items() if isinstance(old[1], tuple) and old == model.keys.get(key)]
            if len(alike) > 1 and isinstance(value, tuple) and kind == model.keys[key][0]:
                changed = model
                for other in alike:
                    changed = changed.with_key(other, model.keys[other][0], value)
                attempt(changed, *alike)

        for key in observation.keys:
            if IGNORED.match(key):
                continue
            some = self.values(model, key)
            # Where a key changed nothing so far, few values will do.
            quiet = self.loads_unchanged.get(key, 0) > 6 and key not in self.active
            tried = some[:2] + some[-1:] if quiet else some
            loads = [attempt(self.with_blocks(model, value) if key == self.name + ".block_count" else
                             model.with_key(key, kind, value), key) for kind, value in tried]  # fmt: skip
            for (kind, value), did in zip(tried, loads):
                if not did:
                    attempt_alike(key, kind, value)
            if key.endswith((".embedding_length", ".head_count")) and not any(loads):
                loads += [attempt(self.with_widths(model, observation).with_key(key, kind, value), key) for kind, value in tried]
            if key in model.keys and isinstance(model.value(key), int) and tried and not any(loads):
                stuck.append(key)
        for (one, other), factor in itertools.product(itertools.combinations(stuck[:MOST_STUCK], 2), (2, 3)):
            changed = model
            for key in (one, other):
                kind, value = model.keys[key]
                changed = changed.with_key(key, kind, value * factor)
            attempt(changed, one, other)
        return new

    def with_blocks(self, model, count):
        """Returns the model with another number of blocks, and arrays with an element for each."""
        old, model = self.blocks(model), model.with_key(self.name + ".block_count", "u32", count)
        for key, (kind, value) in model.keys.items():
            if isinstance(value, tuple) and len(value) == old and key.startswith(self.name + "."):
                own = value == tuple(range(old))  # A block may name itself.
                model.keys[key] = kind, tuple(i if own else value[i % old] for i in range(count))
        return model

    def with_widths(self, model, observation):
        """Returns the model with keys for widths that it leaves to others."""
        width = observation.hparams.get("n_embd_head_k", [0])[0]
        for name in WIDTHS:
            if (key := f"{self.name}.{name}") not in model.keys and key in observation.keys:
                model = model.with_key(key, "u32", width)
        return model

    def blocks(self, model):
        return model.value(self.name + ".block_count", 1)

    def values(self, model, key):
        """Returns values of a key that differ from the present one: (type, value)."""
        getter = self.getters.get(key) or ""
        kind, old = model.keys.get(key, (type_of(getter), None))
        if kind == "str":
            return [(kind, value) for value in TEXTS.get(key.replace(self.name + ".", "", 1), ())]
        if kind == "f32":
            return []
        if kind == "bool":
            some = [0, 1]
        elif re.search(r"block|layer|interval|pattern|step|loop|every|stage", key):
            some = [0, 1, 2, 3, 4, 5]
        elif re.search(r"\.embedding_length$", key):
            some = [16, 24]
        elif re.search(r"\.(vocab_size|context_length)$", key):
            some = [11, 40]
        elif key.endswith("_mla"):  # Without latent attention, other widths stand in their place.
            some = [1, 2, 3, 4, 6, 12]
        else:
            some = [0, 1, 2, 3, 4, 6, 12]
        count = self.blocks(model)
        first = old if isinstance(old, int) and old else 2
        patterns = [(first, 0), (0, first), (first, 2 * first), (first, first, 0)]
        if kind == "bool":
            patterns = [(1, 0), (0, 1)]
        arrays = [tuple(itertools.islice(itertools.cycle(pattern), count)) for pattern in patterns]
        if isinstance(old, tuple) or "get_arr<" in getter:
            some = [tuple(itertools.islice(itertools.cycle(pattern), len(old or arrays[0]))) for pattern in
                    [(0,), (1,), (0, 1), (1, 0), (0, 4), (2, 3), (1, 1, 0), range(64), (0, 0, 2, 2, 4, 4)]]  # fmt: skip
        elif "_or_arr" in getter:
            some += arrays
            if re.search(r"source|map", key):
                some += [tuple(range(count)), tuple(i // 2 * 2 for i in range(count))]
        found = [(kind, value) for value in some if value != old]
        if "vecto" in getter:  # Of numbers or texts.
            found += [("str", ("x",) * count) for count in (2, 3)]
        return found

    def measure(self, observation):
        """Finds the dimensions that the loader takes from tensors; returns the observations whose structure is new."""
        new = []
        for name in dict.fromkeys(map(folded, observation.looked)):
            tensors = {one: dims for one, (dims, _) in observation.tensors.items() if folded(one) == name and min(dims, default=0) > 0}
            known = [one for one in tensors if one in observation.looked]
            if not known:
                continue
            source = name if len(known) == len(tensors) else known[0]
            for place in range(len(tensors[known[0]])):
                wide = {one: (*dims[:place], 3, *dims[place + 1 :]) for one, dims in tensors.items()}
                extras = [*self.extras(observation), *wide]
                model, answer = settle(self.loaders, observation.model.with_tensors(wide), extras)
                if answer.loads and all(model.tensors.get(one) == dims for one, dims in wide.items()):
                    self.widths.append((source, place))
                    if found := self.keep(model, answer):
                        new.append(found)
        return new

    def modes(self):
        """Varies the first model, and then the modes that this finds."""
        todo, done = [self.observations[0]], 0
        # More blocks show in which of them a tensor is.
        for blocks in (self.blocks(self.observations[0].model) + 3, 6):
            model = self.with_blocks(self.observations[0].model, blocks)
            model, answer = settle(self.loaders, model, self.extras(self.observations[0]))
            if answer.loads and (found := self.keep(model, answer)):
                todo.insert(0, found)
                break
        # Where all blocks are dense, experts show only with several keys at once.
        dense = self.name + ".leading_dense_block_count"
        first = self.observations[0]
        for key in first.keys:
            start = key.removesuffix("expert_count")
            experts = {start + key: value for key, value in EXPERTS.items()}
            if start == key or not set(experts) <= set(first.keys) or set(experts) & set(first.model.keys):
                continue
            model = first.model
            for key, value in {**experts, **({dense: 1} if dense in model.keys else {})}.items():
                model = model.with_key(key, "u32", value)
            model, answer = settle(self.loaders, model, self.extras(first))
            if answer.loads and (found := self.keep(model, answer)):
                todo.insert(0, found)
        todo += self.measure(first)
        covered = set()
        while todo and done < MOST_MODES[self.known]:
            mode = max(todo, key=lambda one: len(one.names() - covered))
            todo.remove(mode)
            covered |= mode.names()
            done += 1
            todo += self.vary(mode)
            todo += self.presence(mode)
        for mode in todo:
            if mode.names() - covered:
                covered |= mode.names()
                self.presence(mode)

    def presence(self, mode):
        """Adds each tensor that is looked up and absent, and removes each that is there, in all blocks."""
        new = []
        names = {}
        for name, (dims, flags) in mode.tensors.items():
            if not flags & SKIPPED and min(dims, default=1) > 0:
                names.setdefault(folded(name), {})[name] = dims
        for tensors in names.values():
            present = [name for name in tensors if name in mode.model.tensors]
            if present:
                model = mode.model
                for name in present:
                    model = model.without(name)
                answer = self.loaders.strict.ask(model.build())
                if len(present) < len(tensors):  # In the blocks where it is absent, it may be in place of others.
                    other, added = settle(self.loaders, mode.model.with_tensors(tensors), [*self.extras(mode), *tensors])
                    if added.loads and (found := self.keep(other, added)):
                        new.append(found)
                if not answer.loads and any(mode.tensors[name][1] & NOT_REQUIRED for name in present):
                    # Others may be required in its place.
                    model, answer = settle(self.loaders, model, [name for name in self.extras(mode) if name not in present])
                    if not answer.loads and not is_empty(answer):
                        self.needed.update(folded(name) for name in present)
            else:
                extras = [*self.extras(mode), *tensors]
                model, answer = settle(self.loaders, mode.model.with_tensors(tensors), extras)
                if not answer.loads:
                    self.refused.update(folded(name) for name in tensors)
            if answer.loads and (found := self.keep(model, answer)):
                new.append(found)
        # Others that it asks for bring more tensors, and keys that are required then.
        for name in dict.fromkeys(map(folded, mode.looked)):
            tensors = {one: (1,) for one in mode.looked if folded(one) == name}
            if name.endswith("scale") or any(one in mode.model.tensors or one in mode.tensors for one in tensors):
                continue
            model = self.with_required(mode.model.with_tensors(tensors))
            model, answer = settle(self.loaders, model, [*self.extras(mode), *tensors])
            if answer.loads and set(tensors) <= set(model.tensors) and (found := self.keep(model, answer)):
                new.append(found)
        return new

    def with_required(self, model):
        """Returns the model with the keys that the loader requires."""
        for _ in range(4):
            missing = [(key, getter) for key, getter, _, need in self.loaders.lenient.ask(model.build()).keys
                       if need and key not in model.keys]  # fmt: skip
            for key, getter in missing:
                kind = type_of(getter)
                model = model.with_key(key, kind, {"f32": 0.5, "bool": 1, "str": "x"}.get(kind, 2))
            if not missing:
                break
        return model

    def wander(self):
        """Changes keys at random, from models that load."""
        numbers = random.Random(self.name)
        starts = {}
        for observation in self.observations:
            starts.setdefault(observation.structure(), observation)
        starts = list(starts.values())[: MOST_STARTS[self.known]]
        for now, _ in itertools.product(starts, range(STEPS)):
            keys = [key for key in now.keys if not IGNORED.match(key) and self.values(now.model, key)]
            active = [key for key in keys if key in self.active]
            model = now.model
            for key in [*numbers.sample(active, min(2, len(active))), numbers.choice(keys)]:
                kind, value = numbers.choice(self.values(model, key))
                if isinstance(value, int) and kind != "bool" and numbers.random() < 0.5:
                    value = numbers.choice([5, 7, 8, 9, 10, 14, 15, 16, 18, 20, 32])
                model = model.with_key(key, kind, value)
            model, answer = settle(self.loaders, model, self.extras(now))
            if answer.loads:
                self.keep(model, answer)

    def replace_zeros(self):
        """Changes the keys of models in which a key is 0: another one may stand in its place."""
        starts = {}
        for observation in self.observations:
            for key in self.active:
                if observation.model.value(key) == 0:
                    starts.setdefault(key, observation)
        for zero, now in sorted(starts.items(), key=lambda one: one[0]):
            for key in sorted(self.active - {zero}):
                for kind, value in [one for one in self.values(now.model, key) if one[1] != 0 and not isinstance(one[1], tuple)][-2:]:
                    model, answer = settle(self.loaders, now.model.with_key(key, kind, value), self.extras(now))
                    if answer.loads:
                        self.keep(model, answer)

    def remove_keys(self):
        """Removes each key of the smallest model."""
        first = self.observations[0]
        for key in first.model.keys:
            _, answer = settle(self.loaders, first.model.without(key), self.extras(first))
            if not answer.loads:
                self.needed.add(key)

    def observe(self):
        self.remove_keys()
        self.modes()
        self.replace_zeros()
        self.wander()
        return self.observations
