"""Asks whether the corpus notices the bugs that readers have.

Breaks the toy reader in one place at a time, and counts the cases whose verdict
or contents then are wrong.  A mutant that no case notices is either equivalent
(EQUIVALENT says why) or a gap of the corpus.

    mutants_test.py GGUFCHECK TOY_READER

SPDX-License-Identifier: Apache-2.0
"""

import ast
import copy
import json
import os
import subprocess
import sys
import tempfile
import types

# The toy reader itself is wrong about these.
KNOWN = {"header/invalid-version-1-with-layout-of-3"}
LEAST = 3  # Cases that notice a mutant.
STEPS = 100_000  # More for a file below 64 KiB is a hang.


class Hang(Exception):
    pass


# Bugs by hand: a name, and texts to replace.  Each is one that readers had.
# The number is that of the cases that must notice it, if more than LEAST.
TAKE = "return self.take(size)"
SIZE = "size = self.length()"
BUGS = [
    # Strings.
    ("strings are slices", 12, [(TAKE, "return self.slice(size)")]),
    ("a string ends with the file", 12, [(SIZE, "size = min(self.length(), len(self.content) - self.at)")]),
    ("a string that does not fit is empty", 3, [(SIZE, SIZE + "\n        size = size if size <= len(self.content) - self.at else 0")]),
    ("negative lengths are 0", 3, [(SIZE, SIZE + "\n        size = size if size < 2**63 else 0")]),
    ("negative lengths move back", 3, [(SIZE, SIZE + "\n        if size >= 2**63:\n            self.at = max(0, self.at + size - 2**64)\n            return b''")]),
    ("lengths have 32 bits", 3, [(SIZE, SIZE + " % 2**32")]),
    ("lengths have 31 bits", 3, [(SIZE, SIZE + " % 2**31")]),
    ("the end of a string wraps at 2^64", 3, [(TAKE, "return self.take(size) if (self.at + size) % 2**64 > len(self.content) else self.slice(size % 2**64)")]),
    ("the end of a string wraps at 2^32", 3, [(TAKE, "return self.take(size) if (self.at + size) % 2**32 > len(self.content) else self.slice(size % 2**32)")]),
    ("a length of all ones wraps with the NUL", 3, [(SIZE, SIZE + "\n        size = 0 if size == 2**64 - 1 else size")]),
    ("strings are cut at a NUL", 3, [(TAKE, TAKE + ".split(b'\\0')[0]")]),
    ("strings lose trailing NULs", 3, [(TAKE, TAKE + ".rstrip(b'\\0')")]),
    ("strings lose the space around them", 3, [(TAKE, TAKE + ".strip()")]),
    ("strings are Latin-1", 3, [(TAKE, TAKE + ".decode('latin-1').encode()")]),
    ("strings are ASCII", 3, [(TAKE, TAKE + ".decode('ascii', 'replace').encode()")]),
    ("strings are normalized", 3, [(TAKE, "import unicodedata\n        return unicodedata.normalize('NFC', self.take(size).decode('utf-8', 'surrogateescape')).encode('utf-8', 'surrogateescape')")]),
    ("names are in lower case", 3, [("name, rank = self.text()", "name, rank = self.text().lower()")]),
    ("an empty string is an error", 3, [(SIZE, SIZE + "\n        if size == 0:\n            raise Reject('empty')")]),
    # Numbers and arrays.
    ("arrays are slices", 12, [("stored = self.take(count * size)", "stored = self.slice(count * size)\n        stored = stored[:len(stored) // size * size]")]),
    ("an array ends with the file", 3, [("stored = self.take(count * size)", "stored = self.take(min(count, (len(self.content) - self.at) // size) * size)")]),
    ("the bytes of an array wrap at 2^64", 3, [("count * size)", "count * size % 2**64)")]),
    ("the bytes of an array wrap at 2^32", 3, [("count * size)", "count * size % 2**32)")]),
    ("the bytes of an array of strings wrap at 2^64", 3, [("for _ in range(count):\n            words", "for _ in range(count * 16 % 2**64 // 16 if kind == 'str' else count):\n            words")]),
    ("counts of elements have 32 bits", 3, [("kind, count = self.kind(), self.length()", "kind, count = self.kind(), self.length() % 2**32")]),
    ("negative counts of elements are 0", 3, [("kind, count = self.kind(), self.length()", "kind, count = self.kind(), self.length()\n        count = count if count < 2**63 else 0")]),
    ("strings of an array are read while they fit", 3, [("for _ in range(count):\n            words", "for _ in range(count):\n            if self.at == len(self.content):\n                break\n            words")]),
    ("an unknown element type has no size", 3, [("kind, count = self.kind(), self.length()", "kind, count = self.number('u32'), self.length()\n        if kind >= 13:\n            return ['u8', 0]\n        kind = protocol.TYPES[kind]")]),
    ("an empty array is an error", 3, [("words = [kind, count]", "words = [kind, count]\n        if count == 0:\n            raise Reject('empty')")]),
    ("an empty array has no type", 3, [("words = [kind, count]", "words = [kind if count else 'u8', count]")]),
    ("integers are doubles", 3, [("words.append(str(int.from_bytes(bits, \"big\", signed=kind[0] == \"i\")))", "words.append(str(int(float(int.from_bytes(bits, \"big\", signed=kind[0] == \"i\")))))")]),
    ("integers are signed", 3, [("signed=kind[0] == \"i\"", "signed=True")]),
    ("integers are unsigned", 3, [("signed=kind[0] == \"i\"", "signed=False")]),
    ("integers have 32 bits", 3, [("bits = stored[at : at + size]", "bits = stored[at : at + size][:4] + bytes(4 if size == 8 and kind != 'f64' else 0)\n            bits = stored[at : at + size] if kind == 'f64' else bits")]),
    ("numbers have the other order", 3, [("bits = bits[::-1]", "pass")]),
    ("f64 is rounded to a float", 3, [("words.append(bits.hex())", "words.append(bits.hex() if size == 4 else (bits[:4] + bytes(4)).hex())")]),
    ("minus zero is zero", 3, [("words.append(bits.hex())", "words.append((bytes(size) if bits[0] == 128 and not any(bits[1:]) else bits).hex())")]),
    ("subnormal numbers are zero", 3, [("words.append(bits.hex())", "words.append((bytes(size) if bits[0] & 127 == 0 and bits[1] < (128 if size == 4 else 16) else bits).hex())")]),
    ("a bool has four bytes", 3, [("size = struct.calcsize(\"<\" + FORMATS[kind])", "size = 4 if kind == 'bool' else struct.calcsize('<' + FORMATS[kind])")]),
    ("value types have 8 bits", 3, [("number = self.number(\"u32\")", "number = self.number(\"u32\") % 2**8")]),
    ("value types have 16 bits", 3, [("number = self.number(\"u32\")", "number = self.number(\"u32\") % 2**16")]),
    ("value types are signed", 3, [("number = self.number(\"u32\")", "number = self.number(\"i32\")")]),
    ("value types have 31 bits", 3, [("number = self.number(\"u32\")", "number = self.number(\"u32\") % 2**31")]),
    # Header.
    ("counts have 32 bits", 3, [("tensors, keys = self.length(), self.length()", "tensors, keys = self.length() % 2**32, self.length() % 2**32")]),
    ("negative counts are 0", 3, [("tensors, keys = self.length(), self.length()", "tensors, keys = (n if n < 2**63 else 0 for n in (self.length(), self.length()))")]),
    ("keys are read while there are any", 3, [("            self.read_key()", "            if self.at == len(self.content):\n                break\n            self.read_key()")]),
    ("tensors are read while there are any", 3, [("            self.read_tensor()", "            if self.at == len(self.content):\n                break\n            self.read_tensor()")]),
    ("the memory for keys wraps", 3, [("for _ in range(keys):", "for _ in range(keys * 48 % 2**64 // 48):")]),
    ("the memory for tensors wraps", 3, [("for _ in range(tensors):", "for _ in range(tensors * 88 % 2**64 // 88):")]),
    ("the version has 16 bits", 3, [("if self.version > 3:", "self.version %= 2**16\n        if self.version > 3:")]),
    ("the version is a lower bound", 3, [("if self.version > 3:", "if False:")]),
    ("newer versions are read as 3", 3, [("if self.version > 3:", "self.version = min(self.version, 3)\n        if False:")]),
    ("the magic has three bytes", 3, [("self.take(4) != b\"GGUF\"", "self.take(4)[:3] != b\"GGU\"")]),
    ("the magic has any case", 3, [("self.take(4) != b\"GGUF\"", "self.take(4).upper() != b\"GGUF\"")]),
    ("the magic is searched for", 3, [("self.take(4) != b\"GGUF\"", "not self.slice(max(0, self.content.find(b\"GGUF\")) + 4).endswith(b\"GGUF\")")]),
    ("a short header is filled with zeros", 3, [("self.content, self.at, self.steps = content,", "self.content, self.at, self.steps = content + bytes(max(0, 24 - len(content))),")]),
    ("numbers behind the end are 0", 3, [("struct.unpack(code, self.take(struct.calcsize(code)))", "struct.unpack(code, (self.slice(struct.calcsize(code)) + bytes(8))[:struct.calcsize(code)])")]),
    ("the file is text", 3, [("self.content, self.at, self.steps = content,", "self.content, self.at, self.steps = content.decode('utf-8', 'replace').encode(),")]),
    ("line ends are changed", 3, [("self.content, self.at, self.steps = content,", "self.content, self.at, self.steps = content.replace(b'\\r\\n', b'\\n'),")]),
    # Alignment.
    ("the alignment is 32", 3, [("alignment = int(word)", "alignment = 32")]),
    ("the alignment is of any type", 3, [("if kind != \"u32\":", "word = word if word.isdigit() else '32'\n        if False:")]),
    ("an alignment of another type is ignored", 3, [("if kind != \"u32\":", "word = word if kind == 'u32' else '32'\n        if False:")]),
    ("an alignment of 0 is 32", 3, [("if alignment == 0:", "alignment = alignment or 32\n        if False:")]),
    ("an alignment of 0 is 1", 3, [("if alignment == 0:", "alignment = alignment or 1\n        if False:")]),
    ("the data begin a block too late when aligned", 3, [("(self.at + alignment - 1) // alignment", "(self.at + alignment) // alignment")]),
    ("the data begin behind the table", 3, [("(self.at + alignment - 1) // alignment * alignment", "self.at")]),
    ("the alignment matters only for tensors", 3, [("alignment = self.alignment()", "if not self.tensors:\n            return []\n        alignment = self.alignment()")]),
    # Tensors.
    ("offsets count from the start of the file", 3, [("begin = self.data_begin + offset", "begin = offset")]),
    ("offsets are ignored", 3, [("size = self.size(kind, dims)", "size = self.size(kind, dims)\n            offset = -(-used[-1][1] // alignment) * alignment if used else 0")]),
    ("offsets are signed", 3, [("self.number(\"u32\"), self.number(\"u64\")", "self.number(\"u32\"), self.number(\"i64\")"), ("last = 0", "last = -2**63"), ("return self.content[begin:end]", "return self.content[max(0, begin) : max(0, end)]")]),
    ("offsets have 32 bits", 3, [("self.number(\"u32\"), self.number(\"u64\")", "self.number(\"u32\"), self.number(\"u64\") % 2**32")]),
    ("data are slices", 12, [("if end > len(self.content):", "if False:")]),
    ("only the begin of data is checked", 3, [("if end > len(self.content):", "if begin > len(self.content):")]),
    ("only the end of data is checked, and wraps at 2^64", 3, [("if end > len(self.content):", "if end % 2**64 > len(self.content):")]),
    ("data wrap at 2^64", 3, [("begin = self.data_begin + offset", "begin = (self.data_begin + offset) % 2**64"), ("end = begin + size", "end = (begin + size) % 2**64")]),
    ("data wrap at 2^32", 3, [("begin = self.data_begin + offset", "begin = (self.data_begin + offset) % 2**32"), ("end = begin + size", "end = (begin + size) % 2**32")]),
    ("negative sizes of data are 0", 3, [("end = begin + size", "end = begin + (size if size < 2**63 else 0)")]),
    ("dimensions are reversed", 3, [("dims))", "dims[::-1]))")]),
    ("dimensions have 32 bits", 3, [("dims = [self.length() for", "dims = [self.length() % 2**32 for")]),
    ("dimensions are signed", 3, [("dims = [self.length() for", "dims = [(self.length() + 2**63) % 2**64 - 2**63 for")]),
    ("there are two dimensions at most", 3, [("if rank > 4:", "if rank > 2:")]),
    ("dimensions beyond four are skipped", 3, [("if rank > 4:", "if False:"), ("dims))", "dims[:4]))")]),
    ("the rank has 16 bits", 3, [("if rank > 4:", "rank %= 2**16\n        if rank > 4:")]),
    ("the rank is signed", 3, [("name, rank = self.text(), self.number(\"u32\")", "name, rank = self.text(), self.number(\"i32\")")]),
    ("weights wrap at 2^64", 3, [("weights = weights * dim", "weights = weights * dim % 2**64")]),
    ("weights wrap at 2^63", 3, [("weights = weights * dim", "weights = weights * dim % 2**63")]),
    ("weights wrap at 2^32", 3, [("weights = weights * dim", "weights = weights * dim % 2**32")]),
    ("bytes wrap at 2^64", 3, [("weights // block * size", "weights // block * size % 2**64")]),
    ("bytes wrap at 2^64 before the division", 3, [("weights // block * size", "weights * size % 2**64 // block")]),
    ("bytes wrap at 2^32", 3, [("weights // block * size", "weights // block * size % 2**32")]),
    ("padding wraps at 2^64", 3, [("end = begin + size", "end = begin + (0 if -(-size // 32) * 32 % 2**64 == 0 else size)")]),
    ("the sum of sizes wraps at 2^64", 3, [("end = begin + size", "end = begin + (size if size + 2**16 < 2**63 else 0)")]),
    ("whole blocks are asked of the tensor, not of its rows", 3, [("if row % block != 0:", "import math\n        if math.prod(dims) % block != 0:")]),
    ("rows are rounded down to whole blocks", 3, [("if row % block != 0:", "if False:")]),
    ("types that were removed have no size", 3, [("if kind not in BLOCKS:", "if kind not in BLOCKS and kind > 38:"), ("block, size = BLOCKS[kind]", "block, size = BLOCKS.get(kind, (1, 0))")]),
    ("unknown types are F32", 3, [("if kind not in BLOCKS:", "if False:"), ("block, size = BLOCKS[kind]", "block, size = BLOCKS.get(kind, (1, 4))")]),
    ("types have 8 bits", 3, [("if kind not in BLOCKS:", "kind %= 2**8\n        if kind not in BLOCKS:")]),
    ("types have 16 bits", 3, [("if kind not in BLOCKS:", "kind %= 2**16\n        if kind not in BLOCKS:")]),
    ("types from 39 on are unknown", 3, [("if kind not in BLOCKS:", "if kind not in BLOCKS or kind >= 39:")]),
    ("types from 16 on are unknown", 3, [("if kind not in BLOCKS:", "if kind not in BLOCKS or kind >= 16:")]),
]  # fmt: skip

# Mutants that read every file as the toy reader does, or only files that no case
# may contain.  By operator and the text of the line.
EQUIVALENT = {
    "never: kind not in ('str', 'arr') in if kind not in (\"str\", \"arr\"):": "numbers are read one by one",
    "slice: self.take(4) in if self.take(4) != b\"GGUF\":": "fewer bytes are not the magic, either",
    "one more: 4 in if rank > 4:": "a reader may know more than four dimensions",
}


def is_number(node):
    return isinstance(node, ast.Constant) and type(node.value) is int


def is_call(node, name):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == name


def wrapped(node, modulus):
    return ast.BinOp(node, ast.Mod(), ast.Constant(modulus))


def mutations(node):
    """Yields a name, and what replaces the node."""
    if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
        yield "no check", ast.If(ast.Constant(False), node.body, node.orelse)
    if isinstance(node, ast.Compare):
        other = {ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Lt: ast.LtE}.get(type(node.ops[0]))
        if other:
            yield "off by one", ast.Compare(node.left, [other()], node.comparators)
        else:
            yield "always", ast.Constant(True)
            yield "never", ast.Constant(False)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.BitAnd):
        yield "only the left operand", node.left
    if is_call(node, "number") and isinstance(node.args[0], ast.Constant):
        yield "16 bits", wrapped(node, 2**16)
    if is_call(node, "take"):
        yield "slice", ast.Call(ast.Attribute(node.func.value, "slice", ast.Load()), node.args, [])
    if is_number(node) and node.value > 1:
        yield "one more", ast.Constant(node.value + 1)
        yield "one less", ast.Constant(node.value - 1)


SLICE = '''
def slice(self, size):
    self.step()
    self.at += size
    return self.content[self.at - size : self.at]
'''


def load(tree):
    """Returns the class of a toy reader."""
    tree = ast.fix_missing_locations(copy.deepcopy(tree))
    module = types.ModuleType("toy")
    module.__file__ = sys.argv[2]
    exec(compile(tree, "toy_reader.py", "exec"), module.__dict__)
    exec(SLICE, module.__dict__)

    def step(toy):
        toy.steps += 1
        if toy.steps > STEPS:
            raise Hang

    module.Toy.slice, module.Toy.step = module.slice, step
    return module


def generated(text):
    """Yields a name and the tree of each mutant of the class."""
    tree = ast.parse(text)
    lines = text.splitlines()
    toy = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Toy")
    for parent in ast.walk(toy):
        for field, value in ast.iter_fields(parent):
            for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if not isinstance(node, ast.AST):
                    continue
                if "A reader may" in lines[getattr(node, "lineno", 1) - 1]:
                    continue  # No case asks for it.
                for name, other in mutations(node):
                    if place is None:
                        setattr(parent, field, other)
                    else:
                        value[place] = other
                    line = lines[node.lineno - 1].strip()
                    yield f"{name}: {ast.unparse(node).splitlines()[0]} in {line}", tree
                    if place is None:
                        setattr(parent, field, node)
                    else:
                        value[place] = node


def by_hand(text):
    for name, least, changes in BUGS:
        changed = text
        for old, new in changes:
            assert changed.count(old) == 1, f"{name}: {old!r} is {changed.count(old)} times in the toy reader"
            changed = changed.replace(old, new)
        yield name, least, ast.parse(changed)


def outcome(module, content):
    try:
        keys, tensors, data = module.Toy(content).read()
        return "valid", (list(keys.items()), tensors, data)
    except module.Reject:
        return "invalid", None
    except (Hang, Exception) as error:
        return type(error).__name__, None


def notices(case, content, expected, module):
    """Whether the answer about a case is wrong."""
    verdict, contents = outcome(module, content)
    if verdict not in ("valid", "invalid"):
        return True  # It crashes or hangs.
    if case["verdict"] == "either" or case["level"] == "may":
        return False
    return verdict != case["verdict"] or (verdict == "valid" and contents != expected)


def main():
    ggufcheck, toy = sys.argv[1:]
    with open(toy, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ggufcheck, "corpus", "export", folder], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
            cases = json.load(file)["cases"]
        # Others are about models, or too large to be read hundreds of times.
        cases = [case for case in cases if case["scope"] == "container" and case["file"]]
        contents = []
        for case in cases:
            with open(os.path.join(folder, case["file"]), "rb") as file:
                contents.append(file.read())
    whole = load(ast.parse(text))
    expected = [outcome(whole, content)[1] for content in contents]
    failures = 0

    def noticing(tree):
        module = load(tree)
        return [
            case["id"]
            for case, content, answer in zip(cases, contents, expected)
            if notices(case, content, answer, module) and case["id"] not in KNOWN
        ]

    def judge(name, least, tree):
        nonlocal failures
        found = noticing(tree)
        print(f"{len(found):4} {name}")
        if name in EQUIVALENT:
            if found:
                print(f"FAILED: {name}: not equivalent: {found[:3]}")
                failures += 1
        elif len(found) < least:
            print(f"FAILED: {name}: only {len(found)} cases notice it, not {least}: {found}")
            failures += 1

    mutants = 0
    assert not noticing(ast.parse(text)), "the toy reader is wrong"
    for name, least, tree in by_hand(text):
        judge(name, least, tree)
        mutants += 1
    for name, tree in generated(text):
        judge(name, LEAST, tree)
        mutants += 1
    print(f"{'FAILED' if failures else 'PASSED'}: {mutants} mutants, {len(EQUIVALENT)} of them equivalent, {len(cases)} cases")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
