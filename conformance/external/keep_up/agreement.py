"""Compares rows about tensors with what a loader was observed to look up.

SPDX-License-Identifier: Apache-2.0
"""

import collections

import expressions
from learn import NOT_REQUIRED, SKIPPED
from model import block, folded, trimmed

MOST_AGAINST = 20


def table_rows(architecture):
    """Returns the rows about tensors of an architecture."""
    return expressions.rows_of("tensors", architecture)


class Rows:
    """Rows by name, to be evaluated on models; a learnt row has a `when` of true, a table's is empty."""

    def __init__(self, rows):
        self.by_name = collections.defaultdict(list)
        for row in rows:
            self.by_name[row["name"]].append(row)

    def expected(self, env, name, i):
        """Returns shape and need of a tensor in a model; None if it is not looked up."""
        for row in self.by_name.get(name, ()):
            when = row["when"] if row["when"] is not None else "false"
            if when and env.evaluate(when, i) not in (True, 1):
                continue
            cell = row["shape"] or ""
            shape = expressions.shape(cell)
            dims = None
            if shape and not cell.startswith("elements") and "any" not in shape:
                dims = tuple(env.evaluate(one, i) for one in shape)
            need = bool(row["required"]) and env.evaluate(row["required"], i) in (True, 1)
            return dims, need
        return None


def disagreements(rows, pairs, against=None):
    """Returns what is wrong, by name: a Counter of when, shape, required.

    `pairs` are observations with their Env. A tensor that has no row at all is "no row".
    Observations that contradict rows are added to the list `against`, some of each name and kind.
    """
    rows = Rows(rows)
    wrong = collections.defaultdict(collections.Counter)

    def note(name, kind, one):
        wrong[name][kind] += 1
        if against is not None and wrong[name][kind] <= MOST_AGAINST and one not in against:
            against.append(one)

    for one, env in pairs:
        asked = {name: found for name, found in one.tensors.items() if not found[1] & SKIPPED}
        for name, (dims, flags) in asked.items():
            pattern, i = folded(name), block(name) or 0
            if pattern not in rows.by_name:
                note(pattern, "no row", one)
                continue
            expected = rows.expected(env, pattern, i)
            if expected is None:
                note(pattern, "when", one)
                continue
            shape, need = expected
            if shape is not None and trimmed(shape) != trimmed(dims) and min(dims, default=1) > 0:
                note(pattern, "shape", one)
            if need != (not flags & NOT_REQUIRED):
                note(pattern, "required", one)
        counts = collections.Counter()
        for name in one.tensors:
            if "%d" in folded(name):
                stack = folded(name).split("%d")[0]
                counts[stack] = max(counts[stack], block(name) + 1)
        for pattern in rows.by_name:
            for i in range(counts[pattern.split("%d")[0]]) if "%d" in pattern else (0,):
                name = pattern.replace("%d", str(i))
                if name not in one.tensors and rows.expected(env, pattern, i) is not None:
                    note(pattern, "when", one)
    return wrong
