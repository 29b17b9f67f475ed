"""Learns the smallest model of an architecture that llama.cpp loads.

Asks the loader what it looks up, gives the model what it requires, and tries
values of keys where the loader rejects them, until it loads the model.

SPDX-License-Identifier: Apache-2.0
"""

import itertools
import math
import re

from model import Model, folded
from wasm_loader import Answer, WasmLoader

MOST_ASKS = 4000
MOST_SHAPES = 40
MOST_WEIGHTS = 1 << 25  # F32, of a model that is tried.
NOT_REQUIRED, DUPLICATED, SKIPPED = 1, 2, 4  # Flags of llama_model_loader::create_tensor.

START = {
    "tokenizer.ggml.model": ("str", "no_vocab"),
    "{arch}.vocab_size": ("u32", 10),
    "{arch}.context_length": ("u32", 32),
    "{arch}.embedding_length": ("u32", 8),
    "{arch}.block_count": ("u32", 2),
    "{arch}.attention.head_count": ("u32", 2),
    "{arch}.feed_forward_length": ("u32", 12),
}
# Values of other keys; 2 is the usual one.
VALUES = {"attention.key_length_mla": 6, "attention.value_length_mla": 5,
          "attention.key_length_mla_swa": 6, "attention.value_length_mla_swa": 5, "features_length": 10}  # fmt: skip
# Keys that help only together.
EXPERTS = {"expert_count": 4, "expert_used_count": 2}
UNINTERESTING = ("tokenizer.ggml.model", "split.count")
INTEGERS = (1, 2, 3, 4, 0, 5, 6, 8, 12, 16, 24, 32, 64, 128, 256)


class Loaders:
    """A strict loader, and one for which no key and no tensor is required."""

    def __init__(self, modules):
        self.strict = WasmLoader(modules, "--trace")
        self.lenient = WasmLoader(modules, "--lenient")

    @property
    def asks(self):
        return self.strict.asks + self.lenient.asks

    def close(self):
        self.strict.close()
        self.lenient.close()


def type_of(getter):
    """Returns the type that a get_... function reads, from its name."""
    for text, kind in (("float", "f32"), ("bool", "bool"), ("basic", "str"), ("<int", "i32")):
        if text in (getter or ""):
            return kind
    return "u32"


def settle(loaders, model, extras=()):
    """Gives a model the tensors that the loader requires, and those of `extras` that it looks up.

    Returns the model and the strict answer.
    """
    tensors = {name: model.tensors[name] for name in extras if name in model.tensors}
    before = None
    for _ in range(MOST_SHAPES):
        lenient = loaders.lenient.ask(Model(model.keys, tensors).build())
        wanted, reshaped = {}, False
        for name, dims, flags in lenient.tensors:
            if flags & DUPLICATED or min(dims, default=1) <= 0:
                continue
            if name in tensors or not flags & (NOT_REQUIRED | SKIPPED):
                wanted[name] = tuple(dims)
                reshaped |= name in tensors and tensors[name] != tuple(dims)
        if lenient.loads or "wrong number of tensors" in lenient.why():
            tensors = {name: dims for name, dims in tensors.items() if name in wanted or name in lenient.looked}
        tensors.update(wanted)
        if sum(map(math.prod, tensors.values())) > MOST_WEIGHTS:
            return model, Answer("rejects", ["the tensors are too large to try"])
        if reshaped:  # A wrong shape ends a load, so that more may follow.
            continue
        settled = Model(model.keys, tensors)
        answer = loaders.strict.ask(settled.build())
        if answer.loads or tensors == before:
            break
        before = dict(tensors)
    else:
        settled = Model(model.keys, tensors)
        answer = loaders.strict.ask(settled.build())
    return settled, answer


def earlier(one, other):
    """Returns whether a load aborts where the other does not, or in an earlier line of the same source file."""
    if one.did == "aborts" and other.did != "aborts":
        return True
    places = [re.search(r"(\S+\.cpp):(\d+): ", answer.why()) for answer in (one, other)]
    return all(places) and places[0][1] == places[1][1] and int(places[0][2]) < int(places[1][2])


class Student:
    """The model that grows until the loader loads it."""

    def __init__(self, loaders, name):
        self.loaders, self.name = loaders, name
        self.model = Model({"general.architecture": ("str", name)})
        for key, value in START.items():
            self.model.keys[key.replace("{arch}", name)] = value
        self.extras = set()  # Tensors that the loader does not require, but that help.
        self.seen = set()
        self.helped = []
        self.first_ask = loaders.asks

    def learn(self):
        """Returns the strict answer about the model."""
        while True:
            self.model, answer = settle(self.loaders, self.model, self.extras)
            if answer.loads or self.loaders.asks - self.first_ask > MOST_ASKS:
                return answer
            if not self.add_required(self.model, answer) and not self.guess(answer):
                return answer

    def default(self, key, getter):
        other = VALUES.get(key.replace(self.name + ".", "", 1), 2)
        return {"f32": 0.5, "bool": 1, "str": "x"}.get(type_of(getter), other)

    def blocks(self):
        return self.model.value(self.name + ".block_count", 2)

    def add_required(self, model, answer):
        """Adds the keys that a lenient load shows as required, and follows the message; returns whether the model changed."""
        lenient = self.loaders.lenient.ask(model.build())
        before = dict(model.keys)
        for key, getter, _, need in lenient.keys:
            if need and key not in model.keys:
                model.keys[key] = (type_of(getter), self.default(key, getter))
                if "get_arr<" in getter:
                    self.make_array(model, key)
        for text in (lenient.why(), answer.why()):
            self.follow(model, text, lenient)
        return model.keys != before

    def follow(self, model, text, answer):
        """Does what a message asks for, if it is about a key."""
        if found := re.search(r"array key not found in model: (\S+)", text):
            self.make_array(model, found[1])
        elif found := re.search(r"key not found in model: (\S+)", text):
            getter = next((getter for key, getter, *_ in answer.keys if key == found[1]), "")
            if found[1] not in model.keys:
                model.keys[found[1]] = (type_of(getter), self.default(found[1], getter))
        elif found := re.search(r"key (\S+) has wrong type (\S+) but expected type (\S+)", text):
            if found[3] == "arr":
                self.make_array(model, found[1])
            else:
                kind = found[3]
                model.keys[found[1]] = (kind, {"f32": 0.5, "bool": 1, "str": "x"}.get(kind, 2))
        elif found := re.search(r"(\S+) has wrong array element type|(\S+) is not an? (?:[\w, ]*)array", text):
            key = found[1] or found[2]
            kinds = ["u32", "i32", "f32", "bool", "str"]
            if key in model.keys and model.keys[key][0] in kinds[:-1]:
                kind, value = model.keys[key]
                model.keys[key] = (kinds[kinds.index(kind) + 1], value)
        elif found := re.search(r"key (\S+) has wrong array length; expected (\d+)", text):
            kind, value = model.keys.get(found[1], ("u32", ()))
            if isinstance(value, tuple) and value:
                model.keys[found[1]] = (kind, tuple(itertools.islice(itertools.cycle(value), int(found[2]))))

    def make_array(self, model, key):
        kind, value = model.keys.get(key, ("u32", None))
        if not isinstance(value, tuple):
            model.keys[key] = (kind, tuple(i % 2 for i in range(self.blocks())))

    def progress(self, answer, model):
        """Returns how many names the loader looks up, and a sign of where it stops.

        What is looked up because a tensor is there does not count.
        """
        broken = any(min(dims, default=1) <= 0 for _, dims, _ in answer.tensors)
        new = [name for name in model.tensors if name not in self.model.tensors]
        names = {folded(name) for name, *_ in answer.tensors if name not in new} | {key for key, *_ in answer.keys}
        return len(names), (re.sub(r"\d+", "#", answer.why()), broken)

    def guess(self, answer):
        """Tries changes of the keys and tensors that the loader looks up; returns whether one helps."""
        lenient = self.loaders.lenient.ask(self.model.build())
        # If a lenient load goes through, the strict loader's fault is to be mended.
        settled = lenient.loads or "wrong number of tensors" in lenient.why()
        at = answer if settled else lenient
        steps, at_sign = self.progress(at, self.model)
        self.seen.add(at_sign)
        second = None  # The loader gets as far, and its message is new.
        for what, model in self.changes(at):
            if self.loaders.asks - self.first_ask > MOST_ASKS:
                break
            tried = model
            extras = self.extras | (model.tensors.keys() - self.model.tensors.keys())
            if settled:
                model, after = settle(self.loaders, model, extras)
            else:
                after = self.loaders.lenient.ask(model.build())
            after_steps, sign = self.progress(after, tried)
            if after.loads or after_steps > steps:
                return self.take(model, extras, what, at)
            if after_steps == steps and sign not in self.seen and sign[1] <= at_sign[1] and not earlier(after, at):
                second = second or (model, extras, what)
        return second is not None and self.take(*second, at)

    def take(self, model, extras, what, at):
        self.helped.append(f"{what}: {at.why()}")
        self.model, self.extras = model, extras
        return True

    def changes(self, answer):
        """Yields changed models, the likely ones first."""
        own = self.name + "."
        asked = {}
        for key, getter, *_ in answer.keys:
            if key not in UNINTERESTING and not key.startswith("general."):
                asked.setdefault(key, getter)
        experts = {own + key: ("u32", value) for key, value in EXPERTS.items()}
        if all(key in asked for key in experts) and not self.model.value(own + "expert_count"):
            model = self.model.copy()
            model.keys.update(experts)
            yield "experts", model
        # Tensors whose presence it looks at.
        looked = [name for name in reversed(answer.looked) if name not in self.model.tensors][:20]
        for name, dims in itertools.product(looked, ((1,), (8, 8), (8,))):
            yield f"tensor {name} {dims}", self.model.with_tensors({name: dims})
        for one, other in itertools.combinations(looked[:6], 2):
            yield f"tensors {one}, {other}", self.model.with_tensors({one: (1,), other: (1,)})
        why = answer.why()
        words = {word for word in re.split(r"[^a-z0-9]+", why.lower()) if len(word) > 2}

        def shared(key):
            return -len(words & set(re.split(r"[._]", key.replace(own, "", 1))))

        # The last ones that were looked up come first.
        keys = sorted(reversed(asked), key=shared)
        likely = [key for key in keys if shared(key) < 0][:8]
        numbers = [int(number) for number in re.findall(r"\b\d{1,3}\b", re.sub(r"\S+\.\w+:\d+", "", why))]
        values = {key: self.values(key, asked[key], numbers) for key in keys}
        for key in [*likely, *(key for key in keys if key not in likely)]:
            for kind, value in values[key]:
                yield f"{key} = {value}", self.model.with_key(key, kind, value)
        for one, other in itertools.combinations(likely, 2):
            for (kind, a), (other_kind, b) in itertools.product(values[one][:6], values[other][:6]):
                yield f"{one} = {a}, {other} = {b}", self.model.with_key(one, kind, a).with_key(other, other_kind, b)
        for key in keys:
            if key in self.model.keys:
                yield f"no {key}", self.model.without(key)
        names = {name: tuple(dims) for name, dims, flags in answer.tensors if flags & 1 and min(dims, default=1) > 0}
        for pattern in dict.fromkeys(folded(name) for name in names if name not in self.model.tensors):
            dims = next(dims for name, dims in names.items() if folded(name) == pattern)
            tensors = {pattern.replace("%d", str(i)): dims for i in range(self.blocks())}
            yield f"tensor {pattern}", self.model.with_tensors(tensors)
        for one, other in itertools.combinations(keys[:12], 2):
            for (kind, a), (other_kind, b) in itertools.product(values[one][:4], values[other][:4]):
                yield f"{one} = {a}, {other} = {b}", self.model.with_key(one, kind, a).with_key(other, other_kind, b)

    def values(self, key, getter, numbers):
        """Returns values to try: (type, value)."""
        kind, old = self.model.keys.get(key, (type_of(getter), None))
        if kind == "str":
            return []
        if kind in ("f32", "bool"):
            some = [0.5, 1, 0, 2, -1] if kind == "f32" else [1, 0]
        elif re.search(r"\.(embedding_length|vocab_size|context_length)$", key):
            some = [8, 16, 32, 64]
        else:
            some = list(dict.fromkeys([*numbers, *INTEGERS]))
            if key.endswith(".block_count"):
                some = [number for number in some if 0 < number <= 16]
            elif re.search(r"block|layer|loop|count", key):
                some = [number for number in some if number <= 16]
        count = self.blocks()
        alternating = [tuple(i % 2 for i in range(count)), tuple((i + 1) % 2 for i in range(count))]
        if "get_arr<" in (getter or "") or isinstance(old, tuple):
            length = len(old) if isinstance(old, tuple) else count
            some = [(one,) * length for one in some[:6]] + alternating
            some += [tuple(range(length)) for length in (1, 2, 3, 4, 8)]
        elif "_or_arr" in (getter or ""):
            some += alternating
        return [(kind, value) for value in some if value != old]
