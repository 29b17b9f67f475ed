"""Compiles tables of facts (.tsv) into C++ constants, or reports the wrong cell.

    table_compiler.py tables FOLDER PACKAGE UNIT SYMBOLS TENSOR_TYPES TABLE=ROW... ARCHITECTURE...
    table_compiler.py vocabulary FOLDER SYMBOLS ARCHITECTURE...
    table_compiler.py tensor_types FOLDER TENSOR_TYPES FOREIGN_TYPES

`tables` writes into FOLDER, for each TABLE, a header with the struct ROW, its enums and the
declaration of a Table<ROW> (table.h), and UNIT.cc with all rows.  PACKAGE is the path under
which the headers are included.  Each ARCHITECTURE is the file of an architecture or, in a folder
`groups`, of a group; their rows are joined to rows of TABLE, which is a file, or the name of a
table that has no other rows.  `vocabulary` writes ids.h and vocabulary.cc, `tensor_types`
tensor_types.inc, foreign_types.inc and foreign_scales.inc.  conformance/tables/README.md describes the columns,
expr.h the expressions.

A wrong cell ends the program with "file:line:column: name of the column: what is wrong".

SPDX-License-Identifier: Apache-2.0
"""

import ast
import difflib
import graphlib
import itertools
import os
import re
import sys

INTRODUCTION = "// Written by table_compiler.py.\n//\n// SPDX-License-Identifier: Apache-2.0\n\n"
MOST_ON_STACK = 16  # kMostOnStack of expr.h; a static_assert compares.
VALUE_TYPES = "u8 i8 u16 i16 u32 i32 f32 bool str arr u64 i64 f64".split()  # By id.
ARRAY_BIT = 16  # kArrayBit of table.h.
NO_BUILD, RELEASES = 0, 1_000_000_000  # build.cc has the inverse of parse_build().


# Reading --------------------------------------------------------------------------------------


class Mistake(Exception):
    """A wrong cell."""


def split(text, separator):
    """Returns the parts with their offsets."""
    parts = text.split(separator)
    return list(zip(parts, itertools.accumulate((len(part) + 1 for part in parts), initial=0)))


class Cell:
    """A cell with its place in a file, for messages."""

    def __init__(self, text, path, line, column, name):
        self.text, self.path, self.line, self.column, self.name = text, path, line, column, name

    def fail(self, why, offset=0):
        raise Mistake(f"{self.path}:{self.line}:{self.column + offset}: {self.name}: {why}")

    def place(self):
        return f"{self.path}:{self.line}"

    def part(self, text, offset=0):
        """Returns the cell of another table whose text stands here, or is derived from this."""
        return Cell(text, self.path, self.line, self.column + offset, self.name)

    def items(self):
        """Returns the comma-separated texts with their offsets; none of an empty cell."""
        items = split(self.text, ",") if self.text else []
        for text, offset in items:
            if not text:
                self.fail("an empty item; one text between two commas is expected", offset)
        return items

    def find(self, what, word, known, offset=0):
        """Returns known[word], or reports what is unknown and the words that are not."""
        if word not in known:
            nearest = ", ".join(difflib.get_close_matches(word, known, 3, 0))
            self.fail(f"unknown {what} '{word}'; the nearest known ones are {nearest}", offset)
        return known[word]


class Tsv:
    """A tab-separated table.  A line that begins with # is a comment; the first other line
    names the columns, as `name`, `name:type` or `name!:type`.  With a header, only its columns."""

    def __init__(self, path, columns=None, header=None):
        self.path, self.header, self.rows = path, [], []
        if header:
            self._add(1, split(header, " "))
            return
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                line = line.rstrip("\n")
                if line and not line.startswith("#"):
                    self._add(number, split(line, "\t"))
        if not self.header:
            raise Mistake(f"{path}: no header; a line of columns, name:type, is expected")
        for cell, name in itertools.zip_longest(self.header, columns or []):
            if columns and (not cell or cell.text != name):
                wrong = cell or self.header[-1]
                wrong.fail(f"the columns are expected to be {' '.join(columns)}")

    def _add(self, number, texts):
        names = [cell.name for cell in self.header] or [re.split("[!:]", t)[0] for t, _ in texts]
        cells = [Cell(text, self.path, number, offset + 1, name)
                 for (text, offset), name in zip(texts, names)]
        if not self.header:
            self.header = cells
        elif len(texts) != len(self.header):
            cells[-1].fail(f"the row has {len(texts)} cells, the header {len(self.header)}")
        else:
            self.rows.append(cells)


def parse_build(cell):
    """Returns the number of b1234, v1.2.3 or "-" (build.h)."""
    if cell.text == "-":
        return NO_BUILD
    build = re.fullmatch(r"b([1-9]\d{0,8})", cell.text)
    release = re.fullmatch(r"v(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})", cell.text)
    if release:
        major, minor, patch = map(int, release.groups())
        return RELEASES + (major * 1000 + minor) * 1000 + patch
    if not build:
        cell.fail("a build (b1234), a release (v1.2.3) or - is expected")
    return int(build[1])


def parse_number(cell, least=-(2**31), most=2**31 - 1):
    if not re.fullmatch(r"-?\d{1,10}", cell.text) or not least <= int(cell.text) <= most:
        cell.fail(f"not a number; {least} to {most} is expected")
    return int(cell.text)


def parse_flag(cell):
    if cell.text not in ("yes", "no"):
        cell.fail("yes or no is expected")
    return cpp_bool(cell.text == "yes")


# C++ ------------------------------------------------------------------------------------------


def cpp_bool(value):
    return "true" if value else "false"


def braces(*values):
    return "{" + ", ".join(map(str, values)) + "}"


def cpp_string(text):
    escapes = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "'": "\\'", "\\": "\\\\"}
    letters = (chr(byte) for byte in text.encode())
    return '"' + "".join(escapes.get(c) or (c if " " <= c <= "~" else f"\\{ord(c):03o}")
                         for c in letters) + '"'


def enumerator(word):
    """n_embd: kNEmbd, llama-server: kLlamaServer"""
    parts = re.split("[^A-Za-z0-9]+", word)
    return "k" + "".join(part[:1].upper() + part[1:] for part in parts)


def array(kind, name, values, in_line=1):
    """Returns the definition of an array; nothing if it has no values."""
    lines = [values[i : i + in_line] for i in range(0, len(values), in_line)]
    text = "".join(f"    {', '.join(map(str, line))},\n" for line in lines)
    return f"const {kind} {name}[] = {{\n{text}}};\n" if values else ""


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        out.write(text)


# Expressions ----------------------------------------------------------------------------------

INT, BOOL, TEXT = "a number", "a truth value", "a text"
OPERATORS = {  # The operation, the type of its operands and of its value.
    ast.And: ("kAnd", BOOL), ast.Or: ("kOr", BOOL), ast.Not: ("kNot", BOOL),
    ast.USub: ("kNegate", INT), ast.Add: ("kAdd", INT), ast.Sub: ("kSubtract", INT),
    ast.Mult: ("kMultiply", INT), ast.Div: ("kDivide", INT), ast.Mod: ("kRemainder", INT)}
COMPARISONS = {  # The operation, and whether its operands are swapped: a > b is b < a.
    ast.Eq: ("kEqual", False), ast.NotEq: ("kUnequal", False),
    ast.Lt: ("kLess", False), ast.LtE: ("kLessOrEqual", False),
    ast.Gt: ("kLess", True), ast.GtE: ("kLessOrEqual", True)}
FUNCTIONS = {  # The operation, the type of the value, the number of arguments.
    "present": ("kPresent", BOOL, 1), "absent": ("kPresent", BOOL, 1), "type": ("kTypeIs", TEXT, 1),
    "ne": ("kNe", INT, 2), "set": ("kIsSet", BOOL, 1), "is_array": ("kIsArray", BOOL, 1),
    "is_square": ("kIsSquare", BOOL, 1), "min": ("kMin", INT, 2), "max": ("kMax", INT, 2), "any_block": ("kAnyBlock", BOOL, 1)}
# How many values an operation adds to the stack; others replace two with one.
PUSHES = {"kNumber": 1, "kIndex": 1, "kScalar": 1, "kElement": 0, "kIsSet": 1, "kIsArray": 1,
          "kTextIs": 1, "kPresent": 1, "kTypeIs": 1, "kNe": 1, "kAnyBlock": 0, "kNot": 0,
          "kNegate": 0, "kIsSquare": 0, "kSelect": -2}


def parse(cell, begin=0):
    """Returns the syntax tree of a cell's text from `begin` on."""
    try:
        return ast.parse(cell.text[begin:], mode="eval").body
    except SyntaxError as error:
        return cell.fail(f"{error.msg}; an expression as in expr.h is expected",
                         begin + max((error.offset or 1) - 1, 0))


class Code:
    """The operations, (OpCode, number, text) in postfix order, of an expression of a cell."""

    def __init__(self, words, cell, begin, has_index):
        self.words, self.cell, self.begin, self.has_index = words, cell, begin, has_index
        self.ops = []

    def compile(self, tree, wanted):
        self._value(tree, wanted)
        if max(itertools.accumulate(PUSHES.get(op, -1) for op, _, _ in self.ops)) > MOST_ON_STACK:
            self._fail(tree, f"the expression is too deep; {MOST_ON_STACK} values are allowed")
        return self.ops

    def _fail(self, node, why):
        self.cell.fail(why, self.begin + node.col_offset)

    def _find(self, node, what, word, known):
        return self.cell.find(what, word, known, self.begin + node.col_offset)

    def _emit(self, op, number=0, text=""):
        self.ops.append((op, number, text))

    def _value(self, node, *wanted):
        """Emits the operations of a node, which shall have a wanted type; returns its type."""
        found = self._emit_value(node)
        if wanted and found not in wanted:
            self._fail(node, f"{' or '.join(wanted)} is wanted, not {found}")
        return found

    def _emit_value(self, node):
        match node:
            case ast.BoolOp(op, operands):
                return self._operation(node, op, operands)
            case ast.BinOp(left, op, right):
                return self._operation(node, op, [left, right])
            case ast.UnaryOp(op, operand):
                return self._operation(node, op, [operand])
            case ast.Compare(left, [op], [right]):
                return self._compare(node, left, op, right)
            case ast.Compare(_, _, [_, second, *_]):
                self._fail(second, "only two values are compared; join with `and`")
            case ast.IfExp(test, body, orelse):
                self._value(test, BOOL)
                kind = self._value(body, INT, BOOL)
                self._value(orelse, kind)
                self._emit("kSelect")
                return kind
            case ast.Name("true" | "false" as word):
                self._emit("kNumber", int(word == "true"))
                return BOOL
            case ast.Name("i"):
                self._need_index(node)
                self._emit("kIndex")
                return INT
            case ast.Name():
                symbol = self._symbol(node)
                if symbol.per_block:  # That of block 0.
                    self._emit("kNumber")
                self._emit("kTextIs" if symbol.kind == TEXT else
                           "kElement" if symbol.per_block else "kScalar", symbol.id)
                return symbol.kind
            case ast.Subscript(ast.Name(name) as value, index):
                symbol = self._symbol(value)
                if not symbol.per_block:
                    self._fail(node, f"{name} has one value only; no [index] is expected")
                self._value(index, INT)
                self._emit("kElement", symbol.id)
                return symbol.kind
            case ast.Call(ast.Name(name), arguments, []):
                return self._call(node, name, arguments)
            case ast.Constant(int(number)) if number is not True and number is not False:
                if number >= 2**63:
                    self._fail(node, "a number below 2^63 is expected")
                self._emit("kNumber", number)
                return INT
        return self._fail(node, f"'{ast.unparse(node)}' is not an expression as in expr.h")

    def _operation(self, node, operator, operands):
        if type(operator) not in OPERATORS:
            self._fail(node, "unknown operator; + - * / % and or not are expected")
        op, kind = OPERATORS[type(operator)]
        for number, operand in enumerate(operands):
            self._value(operand, kind)
            if number > 0 or len(operands) == 1:
                self._emit(op)
        return kind

    def _compare(self, node, left, operator, right):
        if type(operator) not in COMPARISONS:
            self._fail(node, "unknown comparison; == != < <= > >= are expected")
        op, swapped = COMPARISONS[type(operator)]
        begin = len(self.ops)
        kind = self._value(left)
        if op not in ("kEqual", "kUnequal") and kind != INT:
            self._fail(left, f"a number is wanted, not {kind}; == and != compare others")
        if kind == TEXT:
            self._compare_text(right)
            if op == "kUnequal":
                self._emit("kNot")
            return BOOL
        middle = len(self.ops)
        self._value(right, kind)
        if swapped:
            self.ops[begin:] = self.ops[middle:] + self.ops[begin:middle]
        self._emit(op)
        return BOOL

    def _compare_text(self, node):
        """Adds the literal, which stands nowhere else, to the last operation."""
        literal = self._literal(node)
        op, number, text = self.ops.pop()
        if op == "kTypeIs":
            number = self._find(node, "tensor type", literal, self.words.tensor_types)
        else:
            text = literal
        self._emit(op, number, text)

    def _call(self, node, name, arguments):
        op, kind, count = self._find(node, "function", name, FUNCTIONS)
        if len(arguments) != count:
            self._fail(node, f"{name}() with {count} argument{'s'[:count - 1]} is expected")
        first, last = arguments[0], arguments[-1]
        match op:
            case "kPresent" | "kTypeIs":
                self._emit(op, 0, self._tensor(first))
                if name == "absent":
                    self._emit("kNot")
            case "kNe":
                if ast.unparse(last) not in ("0", "1", "2", "3"):
                    self._fail(last, "a dimension, 0 to 3, is expected")
                self._emit(op, last.value, self._tensor(first))
            case "kIsSet" | "kIsArray":
                self._emit(op, self._symbol(first).id)
            case "kAnyBlock":
                inner = Code(self.words, self.cell, self.begin, has_index=True)
                inner._value(first, BOOL)
                self._emit(op, len(inner.ops))
                self.ops += inner.ops
            case "kIsSquare":
                self._value(first, INT)
                self._emit(op)
            case "kMin" | "kMax":
                self._value(first, INT)
                self._value(last, INT)
                self._emit(op)
        return kind

    def _symbol(self, node):
        if not isinstance(node, ast.Name):
            self._fail(node, "a symbol is expected")
        return self._find(node, "symbol", node.id, self.words.symbols)

    def _literal(self, node):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            self._fail(node, 'a "text" is expected')
        return node.value

    def _tensor(self, node):
        if "%d" in self._literal(node):
            self._need_index(node)
        return node.value

    def _need_index(self, node):
        if not self.has_index:
            self._fail(node, "a block index is not available here; see any_block()")


class Expressions:
    """The expressions of a table, each once, as C++ initializers and their arrays."""

    def __init__(self, words):
        self.words, self.exprs, self.lists, self.code, self.dims = words, {}, {}, [], []

    def add(self, cell, kind, has_index):
        """Returns the initializer of an Expr; of an empty one for an empty cell."""
        if not cell.text:
            return braces("nullptr", 0, '""')
        return self._add(cell, 0, cell.text, parse(cell), kind, has_index)

    def _add(self, cell, begin, source, tree, kind, has_index):
        # Checked each time: the same text may be invalid in another column.
        ops = Code(self.words, cell, begin, has_index).compile(tree, kind)
        if source not in self.exprs:
            self.exprs[source] = braces(f"kCode + {len(self.code)}", len(ops), cpp_string(source))
            self.code += [braces("OpCode::" + op, number, cpp_string(text))
                          for op, number, text in ops]
        return self.exprs[source]

    def add_dims(self, cell, has_index):
        """Returns the initializer of a Dims, for a cell such as [n_embd, any, n_expert]."""
        if not cell.text:
            return braces("nullptr", 0, "false")
        begin = len("elements ") if cell.text.startswith("elements ") else 0
        text = cell.text[begin:]
        tree = parse(cell, begin) if text.startswith("[") else None
        if not isinstance(tree, ast.List) or not tree.elts:
            cell.fail("[dimension, ...] is expected")
        if len(tree.elts) > 4:
            cell.fail("a tensor has 4 dimensions at most")
        dims = []
        for node in tree.elts:
            source = text[node.col_offset : node.end_col_offset]
            is_any = isinstance(node, ast.Name) and node.id == "any"
            dims.append(braces("nullptr", 0, '"any"') if is_any else
                        self._add(cell, begin, source, node, INT, has_index))
        if cell.text not in self.lists:
            self.lists[cell.text] = braces(f"kDims + {len(self.dims)}", len(dims),
                                           cpp_bool(begin > 0))
            self.dims += dims
        return self.lists[cell.text]

    def definitions(self):
        return array("Op", "kCode", self.code) + array("Expr", "kDims", self.dims)


# Architectures --------------------------------------------------------------------------------

FACT_COLUMNS = "what name value required when".split()
FACTS = {  # What a row says of an architecture: the columns that it fills, and those that it may.
    "first": ("name value", ""), "blocks": ("name value", ""), "symbol": ("name value", ""),
    "group": ("name", ""), "without": ("name value", ""), "tiny": ("name", "value"),
    "key": ("name", "value required when"), "size": ("name required", "value"),
    "tensor": ("name", "value required when"), "graph": ("name required", "")}
JOINED = {  # The tables that have no rows but those of architectures.
    "array_lengths": "key!:text length:int or_more:flag reason:text",
    "conditional_keys": "key!:text when:bool",
    "first_builds": "what:FirstOf(prediction|key|tensor) name!:text first:build",
    "graph_tensors": "name!:text required:bool[i]",
    "key_types": "key!:text types:value_types",
    "stacks": "prefix!:text count:int loops:int",
    "tensors": "name!:text shape:dims[i] required:bool[i] when!:bool[i]"}
ALL = "every"  # The group of all architectures, including names that have no file.
LENGTHS = {"n_layer_all": "one for each block", "n_adapters": "one for each adapter",
           "n_tensor_extra": "one for each tensor that general.tensor_extra.name names",
           "n_layer": "one for each block that predicts the next token"}
KEY_VALUE = re.compile(r"([^ \[]\S*)?(?:(?:^| )\[(.*?)( or more)?\])?(?:(?:^| )or (\S+))?")
SYMBOL_VALUE = re.compile(r"(?:((?:\w+\()?\{arch\}[^ ()]*\)?)(?: or |$))?(.*)")


class Architectures:
    """The files of architectures and of projectors, joined to the rows of tables.

    names: sorted; the number of an architecture is its place, the next one is of other names
    projectors: sorted, as "clip/NAME"; their numbers follow
    numbers: of both, by name
    groups: {name: the numbers of the architectures that name it}
    readers: {key: the numbers of the architectures whose rows have it}
    first_builds: by number
    tables: {table: [(cells, {architecture: place among its rows})]}
    """

    def __init__(self, paths, standard_keys=None):
        self.standard, self.files, self.group_files, self.projectors = None, {}, {}, []
        if standard_keys:
            tsv = Tsv(standard_keys)
            names = [re.split("[!:]", cell.text)[0] for cell in tsv.header]
            self.standard = {row[0].text: dict(zip(names, row)) for row in tsv.rows}
        for path in paths:
            folder, name = os.path.split(path.removesuffix(".tsv"))
            if os.path.basename(folder) == "groups":
                self.group_files[name] = facts_of(path)
                continue
            if os.path.basename(folder) == "projectors":
                name = "clip/" + name
                self.projectors.append(name)
            self.files[name] = facts_of(path)
        self.projectors.sort()
        self.names = sorted(self.files.keys() - set(self.projectors))
        self.numbers = {name: number for number, name in enumerate([*self.names, None, *self.projectors])}
        self.groups = {name: set() for name in sorted(self.group_files) if name != ALL}
        self.readers, self.first_builds = {}, [NO_BUILD] * len(self.numbers)
        self._rows, self._place = {}, itertools.count()
        for name, number in self.numbers.items():
            groups = set()
            rows = self.expanded(name, groups)
            for group in groups:
                self.groups[group].add(number)
            self._join(number, rows)
        self.tables = {table: list(rows.values()) for table, rows in self._rows.items()}

    def expanded(self, name, groups=None):
        """Returns the rows of an architecture, with those of the groups in place of their names, which join `groups`."""
        of_all = [] if name in self.projectors else self.group_files.get(ALL, [])
        rows = of_all + self.files.get(name, [])
        return self._expand(rows, set() if groups is None else groups)

    def _expand(self, rows, groups):
        """Returns the rows, with those of a group in place of its name, which joins `groups`."""
        found = []
        for row in rows:
            what, name, value = row[:3]
            if what.text == "group":
                name.find("group", name.text, self.groups)
                if name.text in groups:
                    name.fail(f"'{name.text}' is named twice, perhaps by another group")
                groups.add(name.text)
                found += self._expand(self.group_files[name.text], groups)
            elif what.text == "without":
                removed = value.text, name.text
                rest = [one for one in found if (one[0].text, one[1].text) != removed]
                if len(rest) == len(found):
                    name.fail(f"no row above is about this {value.text}")
                found = rest
            else:
                found.append(row)
        return found

    def _join(self, number, rows):
        conditions, seen = {}, {}
        for row in rows:
            what, name, value, required, when = row
            texts = tuple(cell.text for cell in row)
            same = seen.setdefault(texts if what.text in ("key", "tensor", "graph") else texts[:2], row)
            if same is not row:
                name.fail(f"duplicate row: {same[0].place()} is about the same")
            match what.text:
                case "first" if name.text == "model":
                    self.first_builds[number] = parse_build(value)
                case "first":
                    kinds = ["prediction"] if name.text == "prediction" else [
                        one[0].text for one in rows if one[0].text in ("key", "tensor") and one[1].text == name.text]
                    if not kinds:
                        name.fail("model, prediction, or the key or tensor of another row is expected")
                    self._add("first_builds", number, what.part(kinds[0]), name, value)
                case "blocks":
                    count, _, loops = value.text.partition(" looped ")
                    loops = value.part(loops, len(value.text) - len(loops))
                    self._add("stacks", number, name, value.part(count), loops)
                case "symbol":
                    parts = SYMBOL_VALUE.fullmatch(value.text)
                    self._add("symbols", number, name, value.part(parts[1] or ""),
                              value.part(parts[2], parts.start(2)))
                case "tensor":
                    self._add("tensors", number, name, value, required, when)
                case "graph":
                    self._add("graph_tensors", number, name, required)
                case "tiny":
                    kind = what.part("key" if value.text else "tensor")
                    self._add("tiny_models", number, kind, name, value)
                case "key":
                    self.readers.setdefault(name.text, set()).add(number)
                    conditions.setdefault(name.text, []).append((name, when))
                    self._add_key(number, "loader", name, value, required, when)
                case "size":
                    self._add_key(number, "tensors", name, value, required, when)
        for name, when in filter(None, map(condition_of, conditions.values())):
            self._add("conditional_keys", number, name, when)

    def _add(self, table, number, *cells):
        texts = tuple(cell.text for cell in cells)
        _, places = self._rows.setdefault(table, {}).setdefault(texts, (cells, {}))
        places[number] = next(self._place)

    def _add_key(self, number, by, name, value, required, when):
        standard = self.standard and name.find("key", name.text, self.standard)
        parts = KEY_VALUE.fullmatch(value.text)
        if not parts:
            value.fail("types, [length], or another key are expected, as in u32 [n_layer_all]")
        types, length, or_more, other = parts.groups()
        if by == "loader" and types and standard:  # Others only say which of the types to write.
            if type_bits(value.part(types)) & ~type_bits(standard["loader"]):
                self._add("key_types", number, name, value.part(types))
        if length:
            symbol = re.match(r"\w*", length)[0]
            reason = LENGTHS.get(symbol, "as this architecture has them")
            self._add("array_lengths", number, name, value.part(length, parts.start(2)),
                      value.part("yes" if or_more else "no"), value.part(reason))
        if required.text:
            if required.text == "true":
                required = when
            elif when.text:
                required = required.part(f"({when.text}) and ({required.text})")
            text = value.part(words_of(value, types, standard), parts.start(1) if types else 0)
            self._add("required_keys", number, name.part(by), name, text, value.part(other or ""),
                      required)


def facts_of(path):
    """Returns the rows of a file, whose cells are checked against FACTS."""
    rows = Tsv(path, FACT_COLUMNS).rows
    for row in rows:
        needed, allowed = row[0].find("fact", row[0].text, FACTS)
        for cell in row[1:]:
            if not cell.text and cell.name in needed.split():
                cell.fail(f"an empty cell; a {row[0].text} has a {cell.name}")
            if cell.text and cell.name not in f"{needed} {allowed}".split():
                cell.fail(f"a {row[0].text} has no such cell; an empty one is expected")
    return rows


def condition_of(rows):
    """Returns the key and the condition on which it is read; nothing if one row has none."""
    if not all(when.text for _, when in rows):
        return None
    for _, when in rows:
        if when.text != rows[0][1].text:
            when.fail(f"another condition than in {rows[0][1].place()}")
    return rows[0]


def words_of(value, types, standard):
    """Returns the words for types of a key, or for those that llama.cpp's loader accepts."""
    if types:
        value_types(value.part(types))
    elif not standard:
        return ""
    scalars, arrays = [], []
    for item in (types or standard["loader"].text).split(","):
        elements = re.fullmatch(r"arr\[(.*)\]", item)
        if elements:
            arrays += elements[1].split("|")
        else:
            scalars.append(item)
    elements = " or ".join(filter(None, [", ".join(arrays[:-1]), *arrays[-1:]]))
    count = standard["array_length"].text if standard else "0"
    if scalars and arrays:
        elements = f"array of {count} integers" if count != "0" else f"{elements} per block"
    elif arrays:
        elements = f"array of {elements}"
    return ", or ".join([*scalars, elements] if arrays else scalars)


# Vocabulary -----------------------------------------------------------------------------------


class Symbol:
    """A symbol of the expressions: the type of its value, and whether each block has one."""

    def __init__(self, cell):
        self.id, kinds = None, {"int": INT, "bool": BOOL, "text": TEXT}
        text = cell.text.removesuffix("[i]")
        self.per_block = text != cell.text
        if text not in kinds or (text == "text" and self.per_block):
            cell.fail("a symbol is int, bool, int[i], bool[i] or text")
        self.kind = kinds[text]


class Vocabulary:
    """The words that all tables share: architectures, their groups, symbols, tensor types.

    A symbol's number is its position among the names.
    """

    def __init__(self, architectures, symbols, tensor_types=None):
        self.joined = architectures
        self.architectures = {name: number for name, number in architectures.numbers.items() if name}
        self.sets = {**architectures.groups, **architectures.readers}
        self.symbol_rows = Tsv(symbols, "symbol type key otherwise".split()).rows
        self.symbols = {}
        for row in self.symbol_rows:
            if row[0].text in self.symbols:
                row[0].fail("duplicate row: an earlier one is for the same symbol")
            self.symbols[row[0].text] = Symbol(row[1])
        self.symbols = dict(sorted(self.symbols.items()))
        for number, symbol in enumerate(self.symbols.values()):
            symbol.id = number
        self.tensor_types = tensor_type_ids(tensor_types) if tensor_types else {}

    def all_architectures(self):
        return set(self.joined.numbers.values())

    def architectures_of(self, cell):
        """Returns the numbers for a cell such as "llama,qwen2", "@loader,-clip", "@{arch}.key"
        for those that read the key, or "*"."""
        found = set()
        for item, offset in cell.items():
            name = item.removeprefix("-")
            if name == "*":
                these = self.all_architectures()
            elif name.startswith("@"):
                these = cell.find("group", name[1:], self.sets, offset)
            else:
                these = {cell.find("architecture", name, self.architectures, offset)}
            if (item != name and not these <= found) or (item == name and these & found):
                cell.fail(f"'{item}' changes nothing, or only a part; leave it out", offset)
            found = found - these if item != name else found | these
        return found or cell.fail("no architecture is left; names, @group or * are expected")


def index(rows, count):
    """Returns arrays of the rows of each architecture; `rows` has, for each row, its place among
    those of its architectures."""
    begins, order = [0], []
    for one in range(count):
        order += sorted((row for row, places in enumerate(rows) if one in places),
                        key=lambda row: rows[row][one])
        begins.append(len(order))
    return array("uint16_t", "kIndex", order or [0], 20) + array("uint32_t", "kBegins", begins, 20)


def table_constants(name, row_type, constant, definitions, rows, architectures, words):
    """Returns the C++ of a table: its arrays in a namespace, and the Table<row_type>."""
    return (f"namespace {name} {{\n\n{definitions}{array(row_type, 'kRows', rows)}"
            f"{index(architectures, len(words.joined.numbers))}\n}}  // namespace {name}\n\n"
            f"const Table<{row_type}> {constant} = "
            + braces(f"{name}::kRows", len(rows), f"{name}::kIndex", f"{name}::kBegins") + ";\n\n")


def compile_symbols(words):
    exprs, rows, architectures = Expressions(words), [], []
    everywhere = dict.fromkeys(words.all_architectures(), -1)
    general = [((symbol, key, otherwise), everywhere)
               for symbol, _, key, otherwise in words.symbol_rows]
    for (symbol, key, otherwise), places in general + words.joined.tables.get("symbols", []):
        kind = symbol.find("symbol", symbol.text, words.symbols)
        part = re.fullmatch(r"(?:(floor|length|sign)\()?([^()]*)(\)?)", key.text)
        if not part or bool(part[1]) != bool(part[3]):
            key.fail("a key, floor(key), length(key), sign(key) or nothing is expected")
        if kind.kind == TEXT and otherwise.text:
            otherwise.fail("a text has no default; an empty cell is expected")
        kinds = {INT: "kInt", BOOL: "kBool", TEXT: "kText"}
        rows.append(braces("Symbol::" + enumerator(symbol.text), cpp_bool(places is everywhere),
                           cpp_string(symbol.text), "ExprType::" + kinds[kind.kind],
                           cpp_bool(kind.per_block), "KeyPart::" + enumerator(part[1] or "value"),
                           cpp_string(part[2]), exprs.add(otherwise, kind.kind, kind.per_block)))
        architectures.append(places)
    check_cycles(words)
    return table_constants("symbols", "SymbolRow", "kSymbolRows", exprs.definitions(), rows,
                           architectures, words)


def check_cycles(words):
    """Reports a symbol that depends on itself.  Combines all rows of a symbol, which is
    slightly stricter than needed."""
    cells = {}
    joined = [row for row, _ in words.joined.tables.get("symbols", [])]
    for symbol, *_, otherwise in words.symbol_rows + joined:
        for name in re.findall(r"\w+", otherwise.text):
            if name in words.symbols:
                cells.setdefault(symbol.text, {})[name] = otherwise
    try:
        graphlib.TopologicalSorter(cells).prepare()
    except graphlib.CycleError as error:
        needed, symbol = error.args[1][:2]
        cells[symbol][needed].fail(f"the symbol is defined by itself, through {needed}")


def write_vocabulary(folder, symbols, *paths):
    joined = Architectures(paths)
    words = Vocabulary(joined, symbols)
    ids = "".join(f"  {enumerator(name)},\n" for name in words.symbols)
    groups = "".join(f"  {enumerator(name)},\n" for name in joined.groups)
    write(folder, "ids.h", f"""{INTRODUCTION}#ifndef GGUF_CONFORMANCE_TABLES_IDS_H_
#define GGUF_CONFORMANCE_TABLES_IDS_H_

#include <cstdint>

namespace gguf {{

// Rows of symbols.tsv.
enum class Symbol : uint16_t {{
{ids}}};
constexpr int kSymbols = {len(words.symbols)};

// Files of architectures/groups.
enum class Group {{
{groups}}};

}}  // namespace gguf

#endif
""")
    rows = []
    for number, name in enumerate(joined.names):
        build = joined.first_builds[number]
        bits = sum(1 << bit for bit, group in enumerate(joined.groups.values()) if number in group)
        rows.append(braces(cpp_string(name), bits, build))
    write(folder, "vocabulary.cc", f"""{INTRODUCTION}#include "conformance/tables/architectures.h"
#include "conformance/tables/symbols.h"

namespace gguf {{

static_assert(kMostOnStack == {MOST_ON_STACK}, "and MOST_ON_STACK of table_compiler.py");
static_assert({len(joined.groups)} <= 64, "groups, a bit for each");

{array("ArchitectureRow", "kArchitectureRows", rows)}\
const uint16_t kArchitectures = {len(rows)};
{array("absl::string_view", "kProjectorNames", [cpp_string(name.removeprefix("clip/")) for name in joined.projectors])}\
const uint16_t kProjectors = {len(joined.projectors)};

{compile_symbols(words)}}}  // namespace gguf
""")


# Tables ---------------------------------------------------------------------------------------

MEMBERS = {  # The type of a column: that of its member.
    "bool": "Expr", "build": "int32_t", "dims": "Dims", "flag": "bool", "int": "Expr",
    "names": "const char*", "number": "int32_t", "symbol": "Symbol", "text": "const char*",
    "tensor_types": "uint64_t", "texts": "Texts", "value_types": "TypeSet", "key": "const char*",
    "architectures": None, "comment": None, "index": None}


class Column:
    """A column: its type without [i] and without the words of an enum, which it may declare."""

    def __init__(self, number, table):
        self.cell = table.header[number]
        match = re.fullmatch(r"(\w+)(!?):([^:].*)", self.cell.text)
        if not match:
            self.cell.fail("name:type or name!:type is expected")
        self.name, self.is_key, self.type = match[1], bool(match[2]), match[3]
        self.enum = self.declares = None
        outer = re.fullmatch(r"(set|names)\((.*)\)", self.type)
        enum = re.fullmatch(r"([A-Z]\w*)(?:\((.+)\))?", outer[2] if outer else self.type)
        if enum:
            self.type, self.enum = outer[1] if outer else "word", enum[1]
            if self.type == "names":
                self.declares = [row[number].text for row in table.rows]
            elif enum[2]:
                self.declares = enum[2].split("|")
        self.has_index = self.type in ("bool[i]", "int[i]", "dims[i]")
        self.type = self.type.removesuffix("[i]") if self.has_index else self.type
        if not enum and self.type not in MEMBERS:
            self.cell.fail(f"unknown column type '{self.type}'; expected "
                           f"{', '.join(MEMBERS)}, bool[i], int[i], dims[i], Enum(a|b), "
                           "set(Enum) or Enum")
        self.member = MEMBERS.get(self.type, self.enum)
        if self.type == "set":
            self.member = f"EnumSet<{self.enum}>"


class Enum:
    """An enum that a column of the table with this name declares."""

    def __init__(self, table, name, words):
        self.table, self.name, self.words = table, name, words

    def member(self, cell, word, offset=0):
        if word not in self.words:
            cell.fail(f"'{word}' is none of {', '.join(self.words)}", offset)
        return f"{self.name}::{enumerator(word)}"

    def declaration(self):
        members = "".join(f"  {enumerator(word)},\n" for word in self.words)
        words = "".join(f"      {cpp_string(word)},\n" for word in self.words)
        return (f"enum class {self.name} : uint8_t {{\n{members}}};\ntemplate <>\n"
                f"struct EnumWords<{self.name}> {{\n"
                f"  static constexpr const char* kWords[] = {{\n{words}  }};\n}};\n\n")


class Table:
    """A table to compile: NAME.tsv, whose rows become structs `row_type`, or the name of a table
    of JOINED; and what the files of architectures say."""

    def __init__(self, path, row_type, words):
        self.row_type, self.words = row_type, words
        self.name = os.path.basename(path).removesuffix(".tsv")
        self.tsv = Tsv(path, header=JOINED.get(path))
        self.joined = words.joined.tables.get(self.name, [])
        self.source = "architectures" if path in JOINED else self.tsv.path
        self.constant = enumerator(self.name)
        self.columns = [Column(number, self.tsv) for number in range(len(self.tsv.header))]
        self.exprs, self.texts = Expressions(words), []

    def header(self, package, enums):
        """Returns the text of the header."""
        includes = {"conformance/tables/expr.h", "conformance/tables/table.h"}
        declarations, members = "", ""
        for column in self.columns:
            if column.type == "symbol":
                includes.add("conformance/tables/ids.h")
            if column.declares:
                declarations += enums[column.enum].declaration()
            elif column.enum and enums[column.enum].table != self.name:
                includes.add(f"{package}/{enums[column.enum].table}.h")
            if column.member:
                members += f"  {column.member} {column.name};\n"
        guard = "GGUF_" + re.sub("[^A-Z0-9]", "_", f"{package}/{self.name}.h".upper()) + "_"
        lines = "".join(f'#include "{include}"\n' for include in sorted(includes))
        return f"""// The rows of {self.source}, as its comments or README.md describe them.
{INTRODUCTION}#ifndef {guard}
#define {guard}

#include <cstdint>

{lines}
namespace gguf {{

{declarations}struct {self.row_type} {{
{members}}};

extern const Table<{self.row_type}> {self.constant};

}}  // namespace gguf

#endif
"""

    def constants(self, enums):
        rows, architectures, seen = [], [], {}
        own = [(row, None) for row in self.tsv.rows]
        for number, (row, places) in enumerate(own + self.joined):
            these, members, keys = places or {}, [], [""]
            if self.joined and not places:
                these = self.words.all_architectures()
            for cell, column in zip(row, self.columns):
                if column.is_key:  # A row with lists has a key for each of their items.
                    is_list = column.type in ("texts", "tensor_types")
                    items = [item for item, _ in cell.items()] if is_list else [cell.text]
                    keys = [key + item + "\t" for key in keys for item in items]
                if column.type == "architectures":
                    these = self.words.architectures_of(cell)
                elif column.type == "key":
                    these = self.words.joined.readers.get(cell.text, set())
                elif column.type == "index" and cell.text != str(number):
                    cell.fail(f"{number} is expected: the number of the row")
                if column.member:
                    members.append(self._member(cell, column, enums))
            for key, one in itertools.product(filter(None, keys), these or {None}):
                if (key, one) in seen:
                    other = seen[key, one]
                    where = f"line {other.line}" if other.path == row[0].path else other.place()
                    row[0].fail(f"duplicate row: {where} has the same key"
                                + (" for an architecture" if these else ""))
                seen[key, one] = row[0]
            rows.append(braces(*members))
            architectures.append(self._places(row, number, these, places, enums))
        if len(rows) > 0xFFFF:
            self.tsv.header[0].fail("too many rows; 65,535 are allowed")
        definitions = self.exprs.definitions() + array("char* const", "kTexts", self.texts)
        return table_constants(self.name, self.row_type, self.constant, definitions, rows,
                               architectures, self.words)

    def _places(self, row, number, these, places, enums):
        """Returns the place of a row among those of each architecture: by the word that it begins
        with, if it is joined with others; then in the order of the table, then of the files."""
        first = self.columns[0]
        word = enums[first.enum].words.index(row[0].text) if self.joined and first.enum else 0
        return {one: (word, bool(places), places[one] if places else number) for one in these}

    def _member(self, cell, column, enums):
        """Returns the initializer of a member."""
        simple = {"number": parse_number, "build": parse_build, "flag": parse_flag,
                  "value_types": value_types}
        if column.type in ("text", "names", "key"):
            return cpp_string(cell.text)
        if column.type in simple:
            return simple[column.type](cell)
        if column.type in ("bool", "int"):
            return self.exprs.add(cell, BOOL if column.type == "bool" else INT, column.has_index)
        if column.type == "dims":
            return self.exprs.add_dims(cell, column.has_index)
        if column.type == "symbol":
            cell.find("symbol", cell.text, self.words.symbols)
            return "Symbol::" + enumerator(cell.text)
        if column.type == "word":
            return enums[column.enum].member(cell, cell.text)
        if column.type == "set":
            return braces(*(enums[column.enum].member(cell, *item) for item in cell.items()))
        if column.type == "tensor_types":
            types = {cell.find("tensor type", name, self.words.tensor_types, offset)
                     for name, offset in cell.items()}
            return f"{sum(1 << one for one in types)}u"
        texts, begin = [cpp_string(text) for text, _ in cell.items()], len(self.texts)
        self.texts += texts
        return braces(f"kTexts + {begin}" if texts else "nullptr", len(texts))


def value_types(cell):
    """Returns the set of types such as "u32,arr[i32|bool]", "count", "scalar" and "array"."""
    types = type_bits(cell)
    return f"{types}u" if types else "0"


def type_bits(cell):
    """Returns a bit for each of these types."""
    known = {name: 1 << number for number, name in enumerate(VALUE_TYPES) if name != "arr"}
    sets = {"count": known["u32"] | known["u64"], "array": (1 << 32) - (1 << ARRAY_BIT),
            "scalar": (1 << ARRAY_BIT) - 1 - (1 << VALUE_TYPES.index("arr")), "-": 0, **known}
    types = 0
    for item, offset in cell.items():
        elements = re.fullmatch(r"arr\[(.*)\]", item)
        if elements:
            for name in elements[1].split("|"):
                types |= cell.find("type", name, known, offset) << ARRAY_BIT
        elif item == "arr":
            cell.fail("an array needs an element type, such as arr[u32]", offset)
        else:
            types |= cell.find("type", item, sets, offset)
    return types


def write_tables(folder, package, unit, symbols, tensor_types, *args):
    pairs = [arg.split("=") for arg in args if "=" in arg]
    standard = [path for path, _ in pairs if os.path.basename(path) == "standard_keys.tsv"]
    joined = Architectures([arg for arg in args if "=" not in arg], *standard)
    words = Vocabulary(joined, symbols, tensor_types)
    tables = [Table(path, row_type, words) for path, row_type in pairs]
    enums = {}
    for table, column in ((table, column) for table in tables for column in table.columns):
        if column.declares:
            if column.enum in enums:
                column.cell.fail(f"{enums[column.enum].table}.tsv declares {column.enum}, too")
            enums[column.enum] = Enum(table.name, column.enum, column.declares)
    for column in (column for table in tables for column in table.columns):
        if column.enum and column.enum not in enums:
            column.cell.fail(f"no column declares {column.enum}; {column.enum}(a|b) is expected")
    includes = "".join(f'#include "{package}/{table.name}.h"\n' for table in tables)
    constants = "".join(table.constants(enums) for table in tables)
    for table in tables:
        write(folder, table.name + ".h", table.header(package, enums))
    write(folder, unit + ".cc",
          f"{INTRODUCTION}{includes}\nnamespace gguf {{\n\n{constants}}}  // namespace gguf\n")


# Tensor types ---------------------------------------------------------------------------------

LEGACY_IDS = "qnt0 qnt1 qnt2 rwkv100 rwkv101".split()  # By TypeScheme.
TENSOR_COLUMNS = ["name", "gguf", *LEGACY_IDS] + (
    "elements bytes removed in_spec since scale at count overflows fields first".split())
FOREIGN_COLUMNS = "id program name elements bytes row_bytes size scales".split()
FIRST_OLD = 0x10000  # The first id of a type that only legacy files have.


def tensor_types_of(path):
    """Returns {id: {column: cell}} of the types of GGUF, and then of legacy files."""
    types, gguf = {}, 0
    for cells in Tsv(path, TENSOR_COLUMNS).rows:
        row = dict(zip(TENSOR_COLUMNS, cells))
        if row["gguf"].text == "-":
            types[FIRST_OLD + len(types) - gguf] = row
        elif row["gguf"].text == str(gguf) and len(types) == gguf:
            types[gguf], gguf = row, gguf + 1
        else:
            row["gguf"].fail(f"{gguf} is expected, the number of the row, or - in the last rows")
    return types


def tensor_type_ids(path):
    return {row["name"].text: number
            for number, row in tensor_types_of(path).items() if number < FIRST_OLD}


def compile_fields(cell, size):
    """Returns the initializers of the runs of numbers, such as "1x2 16x1"."""
    runs = [re.fullmatch(r"(\d+)x([1248])", run) for run in cell.text.split(" ")]
    if not all(runs) or sum(int(run[1]) * int(run[2]) for run in runs) != size:
        cell.fail(f"runs, count x width, of {size} bytes are expected")
    return braces(*(braces(run[1], run[2]) for run in runs))


def write_tensor_types(folder, path, foreign):
    enumerators, fields, rows = "", "", []
    types = tensor_types_of(path)
    for number, row in types.items():
        name, removed = row["name"].text, row["removed"].text
        elements, size = parse_number(row["elements"], 1), parse_number(row["bytes"], 1, 0xFFFF)
        if removed == "-":
            enumerators += f"  k{name} = {number},\n"
        runs = "{}"
        if row["fields"].text != "-":
            runs = "kFieldsOf" + name
            values = compile_fields(row["fields"], size)
            fields += f"inline constexpr NumberRun {runs}[] = {values};\n"
        ids = [-1 if cell.text == "-" else parse_number(cell, 0, 127)
               for cell in (row[column] for column in LEGACY_IDS)]
        scales = braces("ScaleFormat::k" + row["scale"].text, parse_number(row["at"], 0, size),
                        parse_number(row["count"], 0, size), parse_flag(row["overflows"]))
        parse_build(row["first"])
        rows.append(braces(number, cpp_string(name), elements, size, cpp_bool(elements > 1),
                           "nullptr" if removed == "-" else cpp_string(removed),
                           parse_flag(row["in_spec"]), braces(*ids), runs, scales,
                           cpp_string(row["first"].text)))
    table = array("TensorTypeInfo", "kTensorTypes", rows).removeprefix("const ")
    write(folder, "tensor_types.inc", f"""enum class TensorType : uint32_t {{
{enumerators}  kFirstOld = {FIRST_OLD:#x},
}};

{fields}
inline constexpr {table}\
inline constexpr uint32_t kGgufTensorTypes = {sum(number < FIRST_OLD for number in types)};
""")
    sizes, scales = foreign_types_of(foreign)
    write(folder, "foreign_types.inc", sizes)
    write(folder, "foreign_scales.inc", scales)


def foreign_types_of(path):
    """Returns the initializers of SizedType, and those of their ScaleFields."""
    sizes, all_scales, last = "", "", 0
    for number, program, name, *blocks, size, scales in Tsv(path, FOREIGN_COLUMNS).rows:
        last = parse_number(number, last)
        texts = ["" if name.text == "-" else name.text, program.text]
        numbers = braces(*(parse_number(cell, 0) for cell in blocks))
        expression = cpp_string("" if size.text == "-" else size.text)
        sizes += f"    {braces(last, *map(cpp_string, texts), numbers, expression)},\n"
        all_scales += f"    {scale_fields_of(scales)},\n"
    return sizes, all_scales


def scale_fields_of(cell):
    """Returns the initializer of ScaleFields."""
    if cell.text == "-":
        return "{}"
    found = re.fullmatch(
        r"(f16|bf16|f32) x([1-9]\d?) at (-?\d{1,3}) per (?:(\d\d?) (block|row)s?|tensor)", cell.text)
    if not found or (found[4] is None) != (int(found[3]) < 0):
        cell.fail("a text such as 'f16 x4 at 0 per 4 blocks' is expected")
    name, count, at, number, unit = found.groups()
    units = [number if unit == each else 0 for each in ("block", "row")]
    return braces(f"ScaleFormat::k{name.capitalize()}", count, at, *units)


def main(command, *args):
    commands = {"tables": write_tables, "vocabulary": write_vocabulary,
                "tensor_types": write_tensor_types}
    try:
        commands[command](*args)
    except Mistake as mistake:
        sys.exit(str(mistake))


if __name__ == "__main__":
    main(*sys.argv[1:])
