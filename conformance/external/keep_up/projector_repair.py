"""Finds tensors with which a projector runs, from the operation at which llama.cpp dies.

SPDX-License-Identifier: Apache-2.0
"""

import math
import re

MOST_ROUNDS, MOST_MOVES, MOST_STATES = 24, 12, 3


NUMBERED = re.compile(r"((?:^|[._])(?:\w*blk|deepstack|layers?|stage|resnet|res)\.)(\d+)(?=\.)")


def folded(name):
    """Returns the name of a tensor with %d for the number of its block, if it has one."""
    return NUMBERED.sub(r"\1%d", name, count=1)


def block(name):
    found = NUMBERED.search(name)
    return int(found[2]) if found else None


def guesses(name, model, known):
    """Returns shapes that a tensor of this name may have."""
    width = next((one[1] for key, one in model.keys.items() if re.fullmatch(r"clip\.[\w.]*embedding_length", key)), 32)
    found = list(known.get(folded(name), []))
    if re.search(r"(bias|norm\d?(\.weight)?|ls\d\.weight|_ln\.weight|ln\w*\.weight)$", name) or not name.endswith("weight"):
        found.append((width,))
    found.append((width, width))
    return list(dict.fromkeys(found))


def with_dim(model, name, at, size):
    """Returns the model with another dimension; None if it makes no sense."""
    if name not in model.tensors or not 0 < size <= 1 << 16:
        return None
    dims = list(model.tensors[name])
    dims += [1] * (at + 1 - len(dims))
    if dims[at] == size:
        return None
    dims[at] = int(size)
    if math.prod(dims) > 1 << 22:
        return None
    return model.with_tensors({name: tuple(dims)})


class Repairer:
    """Changes models until they run.  `known` are the shapes of tensors in other projectors, by folded name."""

    def __init__(self, runner, known=None, keys=None):
        self.runner, self.known, self.keys = runner, known or {}, keys or {}
        self.stage, self.repeats = "run", False

    def fits(self, outcome):
        """Returns whether a projector runs, or at least loads if none of the type does more; no weight is repeated,
        unless one is in each projector of the type."""
        runs = outcome.ok or (self.stage == "load" and outcome.loads)
        return runs and (self.repeats or not outcome.repeats)

    def repair(self, model, locked=(), adds=True):
        """Returns a model that runs, or None; tensors of `locked` keep these dimensions: (name, place)."""
        states, seen, best = [(model, self.runner.run([model])[0])], set(), (False,)
        for _ in range(MOST_ROUNDS):
            done = [one for one, outcome in states if self.fits(outcome)]
            if done:
                return done[0]
            new = []
            for one, outcome in states:
                for move in self._moves(one, outcome, locked, adds)[:MOST_MOVES]:
                    key = tuple(sorted(move.tensors.items())), tuple(sorted(move.keys.items()))
                    if key not in seen:
                        seen.add(key)
                        new.append(move)
            if not new:
                return None
            outcomes = self.runner.run(new)
            states = sorted(zip(new, outcomes), key=lambda one: _progress(one[1]), reverse=True)[:MOST_STATES]
            if states and _progress(states[0][1]) < best:
                return None
            best = max(best, _progress(states[0][1]))
        return None

    def _moves(self, model, outcome, locked, adds):
        text = " ".join(outcome.messages)
        moves = []
        if found := re.search(r"Key not found: ([\w.]+)", text):
            kind, value = self.keys.get(found[1], ("u32", 2))
            return [model.with_key(found[1], kind, value)] if adds else []
        if found := re.search(r"unable to find tensor ([\w.]+)", text):
            return [model.with_tensors({found[1]: dims}) for dims in guesses(found[1], model, self.known)] if adds else []
        op = outcome.op if not outcome.loads or not outcome.repeats else outcome.repeats
        if "i01 >= 0" in text:  # More positions than rows of their table.
            for name, dims in model.tensors.items():
                if "position_embd" in name and len(dims) > 1:
                    moves.append(with_dim(model, name, 1, dims[1] + 1))
            return [one for one in moves if one is not None]
        if not op:
            return moves
        _, _, operands = op
        tensors = [one for one in operands if isinstance(one, tuple)]
        numbers = [one for one in operands if isinstance(one, int)]
        if adds and (None in operands or "signal 11" in text):
            absent = [name for name in outcome.tensors if name not in model.tensors]
            for name in absent:
                moves += [model.with_tensors({name: dims}) for dims in guesses(name, model, self.known)[:2]]
        if len(tensors) == 2:
            for one, other in (tensors, tensors[::-1]):
                for at in range(4):
                    if one[2][at] != other[2][at]:
                        moves.append(self._fit(model, one, at, other[2][at], locked))
        if numbers and tensors:
            wanted, have = math.prod(numbers), math.prod(tensors[0][2])
            name = tensors[0][0]
            for at in range(len(model.tensors.get(name, ())) - 1, -1, -1):
                size = model.tensors[name][at]
                if (name, at) not in locked and have and size * wanted % have == 0:
                    moves.append(with_dim(model, name, at, size * wanted // have))
        return [one for one in moves if one is not None]

    @staticmethod
    def _fit(model, operand, at, size, locked):
        """Returns the model in which this dimension of an operand is `size`."""
        name, computed, dims = operand
        if name not in model.tensors:
            return None
        if not computed:
            return None if (name, at) in locked else with_dim(model, name, at, size)
        place = len(model.tensors[name]) - 1  # That of the result of a multiplication.
        old = model.tensors[name][place]
        if (name, place) in locked or at != 0 or not dims[at] or old * size % dims[at]:
            return None
        return with_dim(model, name, place, old * size // dims[at])


def _progress(outcome):
    order = {"load": 0, "context": 1, "run": 2}[outcome.stage]
    asked = len(outcome.keys) + len(outcome.tensors)
    op = outcome.repeats if outcome.repeats and outcome.loads else outcome.op
    return outcome.ok, order, op[0] if op else 0, asked
