"""Evaluates expressions of the tables (conformance/tables/expr.h) on a model.

SPDX-License-Identifier: Apache-2.0
"""

import ast
import functools
import math
import glob
import os
import re
import sys

import wasm_loader  # For the path of mutate_models.  # noqa: F401

from mutate_models import HERE, table

sys.path.append(os.path.join(HERE, "../../../third_party"))

from table_compiler import Architectures

TABLES = os.path.join(HERE, "../../tables")
COLUMNS = {"symbols": ["symbol", "key", "otherwise"], "tensors": ["name", "shape", "required", "when"]}


class Unknown(Exception):
    """A value that the model does not determine."""


@functools.lru_cache(None)
def rows(name):
    return table(name)


@functools.lru_cache(None)
def _architectures():
    """Returns the facts of all architectures, joined as for the build."""
    return Architectures(sorted(glob.glob(f"{TABLES}/architectures/**/*.tsv", recursive=True)),
                         f"{TABLES}/standard_keys.tsv")


@functools.lru_cache(None)
def expanded():
    """Returns the rows of the file of each architecture, with those of groups in place of their names."""
    known = _architectures()
    return {name: [[cell.text for cell in row] for row in known.expanded(name)] for name in known.names}


def rows_of(name, architecture):
    """Returns the rows of a table that come from the file of an architecture, or of its groups, in order;
    those of names without a file for an architecture that has none."""
    known = _architectures()
    number = known.names.index(architecture) if architecture in known.names else len(known.names)
    found = [(places[number], cells) for cells, places in known.tables[name] if number in places]
    return [dict(zip(COLUMNS[name], (cell.text for cell in cells))) for _, cells in sorted(found, key=lambda x: x[0])]


def symbols(architecture):
    """Returns the rows of symbols.tsv, as the architecture means them, by symbol."""
    found = {row["symbol"]: row for row in rows("symbols")}
    for row in rows_of("symbols", architecture):
        found[row["symbol"]] = found[row["symbol"]] | row
    return found


def _is_square(number):
    return number >= 0 and math.isqrt(number) ** 2 == number


class _Translate(ast.NodeTransformer):
    """Makes symbols and functions of the language calls of an Env."""

    def visit_Name(self, node):
        if node.id in ("true", "false", "i"):
            return ast.parse({"true": "True", "false": "False"}.get(node.id, "i"), mode="eval").body
        return self._call("value", ast.Constant(node.id), ast.Constant(0))

    def visit_Subscript(self, node):
        return self._call("value", ast.Constant(node.value.id), self.visit(node.slice))

    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.Div):
            node.op = ast.FloorDiv()
        return node

    def visit_Call(self, node):
        name = node.func.id
        if name in ("min", "max", "is_square"):
            node.func.id = {"is_square": "_is_square"}.get(name, name)
            node.args = [self.visit(one) for one in node.args]
            return node
        if name in ("set", "is_array"):
            return self._call(name + "_", ast.Constant(node.args[0].id))
        if name == "any_block":
            body = ast.Lambda(
                args=ast.arguments([], [ast.arg("i")], None, [], [], None, []), body=self.visit(node.args[0])
            )
            return self._call("any_block", body)
        return self._call(name, *node.args, ast.Name("i", ast.Load()))

    def _call(self, name, *args):
        return ast.Call(ast.Attribute(ast.Name("env", ast.Load()), name, ast.Load()), list(args), [])


@functools.lru_cache(None)
def compiled(text):
    tree = _Translate().visit(ast.parse(text, mode="eval"))
    body = ast.Expression(
        ast.Lambda(args=ast.arguments([], [ast.arg("env"), ast.arg("i")], None, [], [], None, []), body=tree.body)
    )
    return eval(compile(ast.fix_missing_locations(body), text, "eval"))


@functools.lru_cache(None)
def shape(cell):
    """Returns the expressions of a cell of dimensions; None for no shape."""
    text = cell.removeprefix("elements").strip()
    if not text:
        return None
    node = ast.parse(text, mode="eval").body
    return [ast.unparse(one) for one in node.elts]


class Env:
    """The symbols of one model.

    `given` are values of symbols per block that the loader told.
    """

    def __init__(self, architecture, model, given=None):
        self.rows = symbols(architecture)
        self.architecture, self.model = architecture, model
        self.given = given or {}
        self.known = {}
        self.blocks = int(model.value(architecture + ".block_count", 1))

    def evaluate(self, text, i=0):
        """Returns the value of an expression; None if it is unknown."""
        try:
            return compiled(text)(self, i)
        except (Unknown, ZeroDivisionError, TypeError, RecursionError):
            return None

    def value(self, symbol, i):
        key = (symbol, i)
        if key not in self.known:
            self.known[key] = None
            try:
                self.known[key] = self._value(symbol, i)
            except (Unknown, ZeroDivisionError, TypeError):
                pass
        if self.known[key] is None:
            raise Unknown(symbol)
        return self.known[key]

    def _value(self, symbol, i):
        if symbol in self.given and 0 <= i < len(self.given[symbol]):
            return self.given[symbol][i]
        row = self.rows.get(symbol)
        if row is None:
            raise Unknown(symbol)
        found = self._key(row["key"]) if row["key"] else None
        if found is not None:
            if isinstance(found, tuple):
                if not row["type"].endswith("[i]") or i >= len(found):
                    raise Unknown(symbol)
                found = found[i]
            return bool(found) if row["type"].startswith("bool") else found
        if not row["otherwise"]:
            raise Unknown(symbol)
        return compiled(row["otherwise"])(self, i)

    def _key(self, text):
        function = re.match(r"(floor|length|sign)\((.*)\)", text)
        name = (function[2] if function else text).replace("{arch}", self.architecture)
        value = self.model.value(name)
        if value is None or not function:
            return value
        if function[1] == "length":
            return len(value) if isinstance(value, tuple) else None
        if function[1] == "floor":
            return int(value) if 0 <= value < 2**53 else None
        return 2 if value != value else (value > 0) - (value < 0)  # 2 for NaN.

    def set_(self, symbol):
        row = self.rows[symbol]
        return self._key(row["key"]) is not None if row["key"] else self.value(symbol, 0) is not None

    def is_array_(self, symbol):
        return isinstance(self._key(self.rows[symbol]["key"]), tuple)

    def any_block(self, test):
        return any(test(i) for i in range(self.blocks))

    def present(self, name, i):
        return name.replace("%d", str(i)) in self.model.tensors

    def absent(self, name, i):
        return not self.present(name, i)

    def ne(self, name, at, i):
        dims = self.model.tensors.get(name.replace("%d", str(i)))
        if dims is None:
            raise Unknown(name)
        return dims[at] if at < len(dims) else 1

    def type(self, name, i):
        return "F32"
