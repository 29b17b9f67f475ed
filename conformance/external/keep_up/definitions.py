"""Looks up what the tables say, and defines what the loader tells of each block: is_swa and is_recr.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import functools
import re

import expressions
from shared_tables import symbol_cells

TOLD = ("is_swa", "is_recr")
DEFINED = (*TOLD, "swa_period")
PERIODS = range(1, 17)


@functools.lru_cache(None)
def _by_name():
    """Returns the rows of each architecture, with those of its groups, by what they are and about."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for architecture, rows in expressions.expanded().items():
        for row in rows:
            found[row[0], row[1]][architecture].append(tuple(row))
    return found


def own_rows(what, architecture):
    """Returns the rows of an architecture that are of a kind, by name."""
    return {name: rows[architecture] for (kind, name), rows in _by_name().items() if kind == what and architecture in rows}


def known_rows(what, name, architecture):
    """Yields the rows about a name that an architecture has, and then those of others, the ones of most architectures first."""
    of = _by_name().get((what, name), {})
    yield of.get(architecture, [])
    found = collections.Counter(tuple(rows) for rows in of.values())
    yield from sorted(found, key=lambda rows: (-found[rows], rows))


def wordings(symbol):
    """Returns the definitions of a symbol in the files of architectures, those of most files first."""
    return [rows[0][2] for rows in list(known_rows("symbol", symbol, ""))[1:]]


def defining(symbol, text):
    """Returns a row of a document that defines a symbol; the text is that of a row `symbol`."""
    return {"symbol": symbol, "type": "bool[i]" if symbol in TOLD else "int", **symbol_cells(text)}


def candidates(symbol):
    """Yields lists of rows, of which the first one defines the symbol."""
    texts = wordings(symbol)
    texts += [text.replace("i < n_layer and ", "") for text in texts if "i < n_layer and " in text]
    for text in texts:
        yield [defining(symbol, text)]
        if "swa_period" in text:
            for period in PERIODS:
                otherwise = f"swa_pattern if set(swa_pattern) and not is_array(swa_pattern) else {period}"
                yield [defining(symbol, text), defining("swa_period", otherwise)]


def define(symbol, envs, told, read):
    """Returns rows that define a symbol such that it is as the loader told; None if no known wording does.

    `told` are the values of each block, by model; `read` are the keys that the loader reads.
    """
    if all(_agrees(symbol, [], *one) for one in zip(envs, told)):
        return []
    rows = envs[0].rows
    for found in candidates(symbol):
        words = re.findall(r"\w+", found[0]["otherwise"])
        keys = {found[0]["key"], *(re.sub(r"^\w+\((.*)\)$", r"\1", rows[word]["key"]) for word in words if word in rows)}
        if keys - {""} <= read and all(_agrees(symbol, found, *one) for one in zip(envs, told)):
            return found
    return None


def _agrees(symbol, rows, env, values):
    own = expressions.Env(env.architecture, env.model)
    own.rows = with_definitions(env.rows, rows)
    return all(bool(own.evaluate(f"{symbol}[i]", i)) == bool(value) for i, value in enumerate(values))


def with_definitions(rows, changed):
    """Returns rows of symbols, some of which are changed."""
    return {**rows, **{one["symbol"]: {**rows.get(one["symbol"], {}), **one} for one in changed}}
