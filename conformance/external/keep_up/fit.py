"""Finds expressions of symbols that give what was observed.

All functions are about vectors: a feature has a value for each point, which is
a load, or a block of a load. The first expression that gives the wanted value
at every point is taken, in order of its length.

SPDX-License-Identifier: Apache-2.0
"""

import itertools

import numpy as np

UNKNOWN = -(1 << 40)  # No dimension has this value.


def vector(values):
    return np.array([UNKNOWN if one is None else int(one) for one in values], dtype=np.int64)


def divide(a, b):
    """Returns a / b where it is whole, and UNKNOWN elsewhere."""
    safe = np.where(b > 0, b, 1)
    return np.where((b > 0) & (a > 0), a // safe, UNKNOWN)


def product(text):
    """Returns a text as a factor of a product."""
    return f"({text})" if " + " in text or " - " in text or " if " in text else text


def operand(text, word):
    """Returns a condition as one that `word` joins to others."""
    return f"({text})" if " if " in text or (word == "and" and " or " in text) else text


def otherwise(a, b):
    """Returns a where it is positive, else b."""
    return np.where(a > 0, a, b)


class Sizes:
    """Finds expressions for dimensions from the features of the points."""

    def __init__(self, features):
        varying = {name: one for name, one in features.items() if len(one) and (one != one[0]).any()}
        self.single = {}
        for name, one in varying.items():
            self._add(self.single, name, one)
        for name, one in varying.items():
            if name == "n_expert_shared" and not one.all():
                self._add(self.single, f"max({name}, 1)", np.maximum(one, 1))
        self.terms = None

    @staticmethod
    def _add(into, text, values):
        into.setdefault(values.tobytes(), (text, values))

    def _terms(self):
        """Returns products and quotients of features, the short ones first."""
        if self.terms is not None:
            return self.terms
        terms = {}
        names = list(self.single.values())
        count = len(names[0][1]) if names else 0
        for number in (1, 2, 3, 4, 5, 6, 8):
            self._add(terms, str(number), np.full(count, number))
        for number in (1, 2, 3, 4, 5, 6):
            for text, values in names:
                self._add(terms, text if number == 1 else f"{number} * {text}", values * number)
        for text, values in names:
            self._add(terms, f"{text} / 2", divide(values, np.full(count, 2)))
        pairs = list(itertools.combinations_with_replacement(names, 2))
        pairs = [(two, one) if one[0].startswith("n_head") else (one, two) for one, two in pairs]
        for (a, x), (b, y) in pairs:
            self._add(terms, f"{a} * {b}", x * y)
        for (a, x), (b, y) in itertools.permutations(names, 2):
            self._add(terms, f"{a} / {b}", divide(x, y))
            if (x == 0).any():
                self._add(terms, f"{a} if {a} > 0 else {b}", otherwise(x, y))
        for (a, x), (b, y) in pairs:
            self._add(terms, f"2 * {a} * {b}", 2 * x * y)
        self.terms = terms
        return terms

    def solve(self, wanted, quick=False):
        """Returns an expression for a vector of dimensions, or None; with `quick`, only a short one."""
        if not len(wanted) or (wanted == wanted[0]).all():
            return str(wanted[0]) if len(wanted) else None
        if not self.single:
            return None
        names = list(self.single.values())
        if found := self.single.get(wanted.tobytes()):
            return found[0]
        terms = self._terms()
        if found := terms.get(wanted.tobytes()):
            return found[0]
        for text, values in list(terms.values()):
            for sign, rest in (("+", wanted - values), ("-", wanted + values)):
                other = terms.get(rest.tobytes())
                if other and " if " not in text + other[0]:
                    return f"{text} + {other[0]}" if sign == "+" else f"{other[0]} - {text}"
        for name, values in names:
            if (values > 0).all() and (wanted % values == 0).all():
                found = terms.get((wanted // values).tobytes()) or self._sum(wanted // values, terms)
                if found:
                    return f"{product(found[0])} * {name}"
        if quick:
            return None
        # A key that is absent or 0 leaves the choice to another one.
        for (a, x), (b, y), (c, z) in itertools.permutations(names, 3):
            if not (x == 0).any():
                continue
            for text, values in ((f"{b} / {c}", divide(y, z)), (f"{b} * {c}", y * z)):
                if (otherwise(x, values) == wanted).all():
                    return f"{a} if {a} > 0 else {text}"
                if (otherwise(x, y) * z == wanted).all():
                    return f"({a} if {a} > 0 else {b}) * {c}"
        simple = [(text, values) for text, values in names] + [(f"2 * {text}", 2 * values) for text, values in names]
        for (a, x), (b, y) in itertools.combinations_with_replacement(simple, 2):
            other = terms.get((wanted - x - y).tobytes())
            if other and " if " not in other[0]:
                return f"{a} + {b} + {other[0]}"
        return None

    def _sum(self, wanted, terms):
        for text, values in self.single.values():
            for sign, rest in (("+", wanted - values), ("-", values - wanted)):
                other = terms.get(rest.tobytes())
                if other and " if " not in other[0]:
                    return f"{text} {sign} {other[0]}", wanted
        return None


class Conditions:
    """Finds conditions from atoms: texts with vectors of truth values."""

    def __init__(self, atoms):
        self.atoms = {}
        atoms = list(atoms)
        columns = np.array([values for _, values in atoms], dtype=bool)
        # Points at which all atoms agree are one.
        _, self.first, self.group = np.unique(np.packbits(columns, axis=0), axis=1, return_index=True, return_inverse=True)
        self.group = self.group.reshape(-1)
        for text, values in atoms:
            values = values[self.first]
            if values.any() and not values.all():
                self.atoms.setdefault(values.tobytes(), (text, values))
        self.solved = {}

    def solve(self, wanted, without=None):
        """Returns a condition that is true exactly at the wanted points, or None.

        No atom names the tensor `without`.
        """
        key = wanted.tobytes(), without if any(f'("{without}")' in text for text, _ in self.atoms.values()) else None
        if key not in self.solved:
            points = wanted[self.first]
            agree = (points[self.group] == wanted).all()
            self.solved[key] = self._solve(points, without) if agree else None
        return self.solved[key]

    def _solve(self, wanted, without):
        if wanted.all():
            return "true"
        if not wanted.any():
            return "false"
        atoms = [one for one in self.atoms.values() if f'("{without}")' not in one[0]]
        for text, values in atoms:
            if (values == wanted).all():
                return text
        above = [(text, values) for text, values in atoms if values[wanted].all()]
        below = [(text, values) for text, values in atoms if not values[~wanted].any()]
        for many, joined, word in ((above, np.logical_and, "and"), (below, np.logical_or, "or")):
            for size in (2, 3):
                if len(many) > (400, 60)[size - 2]:
                    continue
                for some in itertools.combinations(many, size):
                    if (joined.reduce([values for _, values in some]) == wanted).all():
                        return f" {word} ".join(operand(text, word) for text, _ in some)
        # a and (b or c)
        for text, values in above[:40]:
            rest = wanted[values]
            parts = [(other, one) for other, one in atoms if not one[values][~rest].any()]
            for (b, x), (c, y) in itertools.combinations(parts[:80], 2):
                if ((x | y)[values] == rest).all():
                    return f"{operand(text, 'and')} and ({operand(b, 'or')} or {operand(c, 'or')})"
        # a or (b and c)
        for text, values in below[:40]:
            rest = wanted & ~values
            parts = [(other, one) for other, one in atoms if one[rest].all()]
            for (b, x), (c, y) in itertools.combinations(parts[:80], 2):
                if (((x & y) | values) == wanted).all():
                    return f"{operand(text, 'or')} or ({operand(b, 'and')} and {operand(c, 'and')})"
        return None
