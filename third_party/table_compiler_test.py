"""Wrong tables and the errors that name them: file, line, column, name of the column.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import table_compiler

HERE = os.path.dirname(os.path.abspath(__file__))
VALUE_TYPES = os.path.join(HERE, "../parser/value.cc")

SHARED = {
    "symbols.tsv": "symbol\ttype\tkey\totherwise\n"
                   "n_embd\tint\t{arch}.embedding_length\t\n"
                   "n_ff\tint[i]\t{arch}.feed_forward_length\t0\n"
                   "is_swa\tbool[i]\t\ti > 0\n"
                   "rope\ttext\t{arch}.rope.type\t\n",
    "tensor_types.tsv": "name\tgguf\tqnt0\tqnt1\tqnt2\trwkv100\trwkv101\telements\tbytes\tremoved\t"
                        "in_spec\tsince\tscale\tat\tcount\toverflows\tfields\tfirst\n"
                        "F32\t0\t0\t0\t0\t0\t0\t1\t4\t-\tyes\t-\tF32\t0\t1\tno\t1x4\tb1\n"
                        "Q9\t1\t-\t-\t-\t-\t-\t32\t6\t2024-12-07\tno\t-\tNone\t0\t0\tno\t1x2 4x1\t-\n"
                        "Q8\t2\t-\t-\t-\t-\t-\t32\t6\t-\tno\t-\tF16\t0\t1\tyes\t1x2 4x1\tb2\n"
                        "Q9\t-\t2\t-\t-\t3\t-\t32\t6\t-\tno\t-\tF16\t0\t1\tno\t-\t-\n",
    "foreign_types.tsv": "id\tprogram\tname\telements\tbytes\trow_bytes\tsize\tscales\n"
                         "2\tA's fork\tX1\t32\t6\t2\t-\tf16 x4 at 0 per 4 rows\n"
                         "66\tB\t-\t0\t0\t0\t-\t-\n"
                         "66\tC\tX2\t1\t0\t0\telements / 4\tf32 x1 at -32 per tensor\n",
}
FACTS = "what\tname\tvalue\trequired\twhen\n"
ARCHITECTURES = {  # The rows of each file, without the cells at the end that are empty.
    "architectures/llama.tsv": ["first\tmodel\tb10", "group\tloader"],
    "architectures/old.tsv": [],
    "architectures/qwen2.tsv": ["first\tmodel\tb20", "group\tloader"],
    "architectures/groups/known.tsv": [],
    "architectures/groups/loader.tsv": ["group\tknown"],
}
SHAPES = "name!:text\tarchs:architectures\tsize:dims[i]\twhen:bool\tkind:Kind(one|two)\n"


class CompilerTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(temporary.name)
        os.makedirs("architectures/groups")
        for name, text in SHARED.items():
            self.write(name, text)
        for name, rows in ARCHITECTURES.items():
            self.facts(name, *rows)

    def facts(self, name, *rows):
        """Writes the file of an architecture or of a group."""
        self.write(name, FACTS + "".join(row + "\t" * (4 - row.count("\t")) + "\n" for row in rows))

    @staticmethod
    def write(name, text):
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    @staticmethod
    def compile(*args):
        """Runs the compiler; returns all that it wrote, by file."""
        table_compiler.main(*args)
        texts = {}
        for name in set(os.listdir()) - {"architectures", "projectors", *SHARED}:
            with open(name, encoding="utf-8") as file:
                texts[name] = file.read()
        return texts

    def mistake(self, *args):
        with self.assertRaises(SystemExit) as raised:
            table_compiler.main(*args)
        return raised.exception.code

    def assert_mistake(self, message, *args):
        found = self.mistake(*args)
        self.assertTrue(found.startswith(message), found)

    def tables(self, *texts):
        """Returns the arguments that compile t0.tsv, t1.tsv, ... with these texts."""
        for number, text in enumerate(texts):
            self.write(f"t{number}.tsv", text)
        names = [f"t{number}.tsv=Row{number}" for number in range(len(texts))]
        return ("tables", ".", "some/package", "unit", *list(SHARED)[:2], *names, *ARCHITECTURES)

    def shapes(self, *rows):
        return self.tables("# a comment\n" + SHAPES + "".join(row + "\n" for row in rows))

    def rows(self, *texts):
        return self.compile(*self.tables(*texts))["unit.cc"]

    def test_a_mistake_ends_the_program(self):
        args = self.shapes("a\tlama\t[1]\t\tone")
        run = subprocess.run([sys.executable, "-I", "-S", "-B", table_compiler.__file__, *args],
                             capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r"^t0.tsv:3:3: archs: unknown architecture 'lama'; .*\n$")
        self.assertFalse(os.path.exists("unit.cc"))

    def test_rows(self):
        def rows(*lines):
            return self.compile(*self.shapes(*lines))["unit.cc"]
        self.assertIn("const Row0 kRows[] = {", rows(
            "a\tllama,qwen2\t[n_embd, any, min(n_ff[i], 2)]\tn_ff > 0\tone"))
        self.assertIn('{"a", {kDims + 0, 1, false}, {nullptr, 0, ""}, Kind::kTwo}',
                      rows("a\t@loader,-llama\t[7]\t\ttwo"))
        self.assertIn('{"a", {kDims + 0, 2, true}, {nullptr, 0, ""}, Kind::kTwo}',
                      rows("a\tllama\telements [7, n_embd]\t\ttwo"))
        text = rows("a\tllama\t[1]\t\tone", "b\t*\t[1]\t\tone", "a\tqwen2\t[1]\t\tone")
        self.assertIn("kIndex[] = {\n    0, 1, 1, 1, 2, 1,\n};", text)
        self.assertIn("kBegins[] = {\n    0, 2, 3, 5, 6,\n};", text)

    def test_mistakes_in_rows(self):
        for message, *rows in [
            ("3:3: archs: unknown architecture 'lama'; the nearest known ones are llama",
             "a\tlama\t[1]\t\tone"),
            ("3:9: archs: unknown architecture 'lama'; the nearest known ones are llama",
             "a\tllama,lama\t[1]\t\tone"),
            ("3:9: archs: an empty item", "a\tllama,\t[1]\t\tone"),
            ("3:3: archs: unknown group 'all'; the nearest known ones are ", "a\t@all\t[1]\t\tone"),
            ("3:9: archs: '-qwen2' changes nothing", "a\tllama,-qwen2\t[1]\t\tone"),
            ("3:11: archs: 'llama' changes nothing", "a\t@loader,llama\t[1]\t\tone"),
            ("3:3: archs: no architecture is left", "a\tllama,-llama\t[1]\t\tone"),
            ("3:18: size: unknown symbol 'n_bed'; the nearest known ones are n_embd",
             "a\tllama\t[n_embd, n_bed]\t\tone"),
            ("3:13: when: a block index is not available here", "a\tllama\t[1]\ti > 0\tone"),
            ("3:13: when: a truth value is wanted, not a number", "a\tllama\t[1]\tn_ff\tone"),
            ("3:10: size: a number is wanted, not a truth value", "a\tllama\t[n_ff > 0]\t\tone"),
            ("3:9: size: [dimension, ...] is expected", "a\tllama\tn_ff\t\tone"),
            ("3:9: size: [dimension, ...] is expected", "a\tllama\t[]\t\tone"),
            ("3:9: size: [dimension, ...] is expected", "a\tllama\telements n_ff\t\tone"),
            ("3:19: size: unknown symbol 'n_bed'", "a\tllama\telements [n_bed]\t\tone"),
            ("3:9: size: a tensor has 4 dimensions at most", "a\tllama\t[1, 2, 3, 4, 5]\t\tone"),
            ("3:14: kind: 'three' is none of one, two", "a\tllama\t[1]\t\tthree"),
            ("4:1: name: duplicate row: line 3 has the same key for an architecture",
             "a\t*\t[1]\t\tone", "a\tllama\t[2]\t\ttwo"),
            ("3:3: archs: the row has 2 cells, the header 5", "a\tllama"),
        ]:
            with self.subTest(message):
                self.assert_mistake("t0.tsv:" + message, *self.shapes(*rows))

    def test_headers(self):
        text = self.compile(*self.tables("name:names(Id)\na\nllama-server\n"))["t0.h"]
        self.assertIn("  kLlamaServer,\n", text)
        self.assertIn('      "llama-server",\n', text)
        self.assertIn("#ifndef GGUF_SOME_PACKAGE_T0_H_\n", text)
        texts = self.compile(*self.tables("kinds:set(Kind(one|gpt-2))\none\n",
                                          "kind:Kind\tabout:symbol\twhen:bool[i]\ngpt-2\tn_ff\ti > 0\n"))
        self.assertIn("  EnumSet<Kind> kinds;\n", texts["t0.h"])
        self.assertIn('#include "some/package/t0.h"\n', texts["t1.h"])
        self.assertIn("struct Row1 {\n  Kind kind;\n  Symbol about;\n  Expr when;\n};", texts["t1.h"])
        self.assertIn("{Kind::kGpt2, Symbol::kNFf, {kCode + 0, 3, \"i > 0\"}},", texts["unit.cc"])

    def test_cells(self):
        for text, row in [
            ("kinds:set(Kind(one|gpt-2))\to:Kind\none,gpt-2\tone\n",
             "{{Kind::kOne, Kind::kGpt2}, Kind::kOne},"),
            ("f:flag\tt:texts\tn:number\nyes\ta,b\t-7\n", "{true, {kTexts + 0, 2}, -7},"),
            ("t:texts\n\n", "Table<Row0> kT0 = {t0::kRows, 0,"),
            ("v:value_types\tt:tensor_types\nu32,arr[u16]\tF32,Q8\n", "{262160u, 5u},"),
            ("v:value_types\nscalar,arr[bool|str]\n", "{25230847u},"),
            ("v:value_types\n-\n", "{0},"),
            ("first:build\nb7990\n", "{7990},"),
            ("first:build\nv0.5.0\n", "{1000005000},"),
            ("first:build\n-\n", "{0},"),
            ('text:text\n\t"é\\\n'.replace("\t", ""), '{"\\"\\303\\251\\\\"},'),
        ]:
            with self.subTest(text):
                self.assertIn(row, self.rows(text))

    def test_mistakes_in_cells(self):
        for message, text in [
            ("t0.tsv:2:1: kinds: 'two' is none of one, gpt-2", "kinds:set(Kind(one|gpt-2))\ntwo\n"),
            ("t0.tsv:2:5: b: 'two' is none of one", "a:Kind(one)\tb:Kind\none\ttwo\n"),
            ("t0.tsv:1:1: a: no column declares Kind; Kind(a|b) is expected", "a:Kind\none\n"),
            ("t0.tsv:2:1: f: yes or no is expected", "f:flag\nmaybe\n"),
            ("t0.tsv:2:1: n: not a number", "n:number\nx\n"),
            ("t0.tsv:2:1: n: not a number", "n:number\n2147483648\n"),
            ("t0.tsv:3:1: i: 1 is expected", "i:index\ta:text\n0\tx\n2\ty\n"),
            ("t0.tsv:2:1: v: unknown type 'u33'; the nearest known ones are ",
             "v:value_types\nu33\n"),
            ("t0.tsv:2:5: v: unknown type 'u33'; the nearest known ones are ",
             "v:value_types\nu16,arr[u33]\n"),
            ("t0.tsv:2:1: v: an array needs an element type", "v:value_types\narr\n"),
            ("t0.tsv:2:5: t: unknown tensor type 'Q7'; the nearest known ones are ",
             "t:tensor_types\nF32,Q7\n"),
            ("t0.tsv:2:3: s: unknown symbol 'n_f'; the nearest known ones are n_ff",
             "a:text\ts:symbol\nx\tn_f\n"),
            ("t0.tsv:2:3: t: an empty item", "t:texts\na,,b\n"),
            ("t0.tsv:3:1: a: duplicate row: line 2 has the same key", "a!:text\nx\nx\n"),
            ("t0.tsv:4:1: a: duplicate row: line 2 has the same key", "a!:texts\nx,y\nz\nw,y\n"),
            ("t0.tsv:2:1: a: duplicate row: line 2 has the same key", "a!:texts\nx,y,x\n"),
            ("t0.tsv:1:8: b: t0.tsv declares A, too", "a:A(x)\tb:A(y)\nx\ty\n"),
            ("t0.tsv:2:1: first: a build (b1234), a release (v1.2.3) or - is expected",
             "first:build\n7990\n"),
            ("t0.tsv:1:1: name: unknown column type 'words'; expected ", "name:words\na\n"),
            ("t0.tsv:1:8: b: name:type", "a:text\tb\nx\ty\n"),
            ("t0.tsv: no header", "# a comment\n"),
        ]:
            with self.subTest(message):
                self.assert_mistake(message, *self.tables(text))

    def test_builds(self):
        for text in ["", "b", "b0", "b01", "b-1", "b+1", "b1 ", "b1000000000", "B1", "1", "v",
                     "v1", "v1.2", "v1.2.3.4", "v1.2.1000", "v1..3", "v01.2.3", "--"]:
            with self.subTest(text):
                self.assert_mistake("t0.tsv:2:3: b: a build",
                                    *self.tables(f"a:text\tb:build\nx\t{text}\n"))

    def test_operations(self):
        """The operations in postfix order, without kNumber 1 and 2."""
        for source, operations in [
            ("1 + 2 * 3 - 4", "1 2 3 Multiply Add 4 Subtract"),
            ("-(n_embd % 2) / n_ff[i - 1]",
             "Scalar(1) 2 Remainder Negate Index 1 Subtract Element(2) Divide"),
            ("1 if not is_swa[i] and 1 <= n_ff or false else max(2, 3)",
             "Index Element(0) Not 1 0 Element(2) LessOrEqual And 0 Or 1 2 3 Max Select"),
            ('1 if i > n_embd else ne("blk.%d.x", 3)', "Scalar(1) Index Less 1 Ne(3,blk.%d.x) Select"),
            ('1 if rope != "yarn" else 0', "TextIs(3,yarn) Not 1 0 Select"),
            ('1 if type("x") == "Q8" else 0', "TypeIs(2,x) 1 0 Select"),
            ('1 if absent("x") == (set(n_ff) != is_array(n_ff)) else 0',
             "Present(0,x) Not IsSet(2) IsArray(2) Unequal Equal 1 0 Select"),
            ("1 if any_block(i >= 2) else 0", "AnyBlock(3) 2 Index LessOrEqual 1 0 Select"),
        ]:
            with self.subTest(source):
                text = self.rows(f"a:int[i]\n{source}\n")
                code = text[text.index("kCode[]"):text.index("kRows")]
                found = []
                for name, number, literal in re.findall(r'OpCode::k(\w+), (\d+), "(.*)"\}', code):
                    inside = ",".join(filter(None, [number, literal]))
                    has_number = number != "0" or literal or name in ("Element", "Scalar")
                    found.append(number if name == "Number" else
                                 f"{name}({inside})" if has_number else name)
                self.assertEqual(" ".join(found), operations)

    def test_mistakes_in_expressions(self):
        deep = "1 + (" * 16 + "1" + ")" * 16
        for kind, source, message in [
            ("int", "n_ff + n_bed",
             "8: e: unknown symbol 'n_bed'; the nearest known ones are n_embd"),
            ("bool", "n_ff", "1: e: a truth value is wanted, not a number"),
            ("int", "1 + (2 > 1)", "6: e: a number is wanted, not a truth value"),
            ("int", "1 if n_ff else 2", "6: e: a truth value is wanted, not a number"),
            ("int", "1 if true else false", "16: e: a number is wanted, not a truth value"),
            ("int", "n_embd[0]", "1: e: n_embd has one value only"),
            ("bool", "2 > 1 == true", "10: e: only two values are compared"),
            ("bool", "1 in 2", "1: e: unknown comparison; == != < <= > >= are expected"),
            ("bool", "true > false",
             "1: e: a number is wanted, not a truth value; == and != compare others"),
            ("int", "2 ** 3", "1: e: unknown operator; + - * / % and or not are expected"),
            ("int", "1.5", "1: e: '1.5' is not an expression as in expr.h"),
            ("int", "9223372036854775808", "1: e: a number below 2^63 is expected"),
            ("bool", "True", "1: e: 'True' is not an expression as in expr.h"),
            ("bool", "is_swa[0](1)", "1: e: 'is_swa[0](1)' is not an expression as in expr.h"),
            ("int", "[1]", "1: e: '[1]' is not an expression as in expr.h"),
            ("bool", "rope", "1: e: a truth value is wanted, not a text"),
            ("bool",
             'rope < "a"', "1: e: a number is wanted, not a text; == and != compare others"),
            ("bool", "rope == yarn", '9: e: a "text" is expected'),
            ("bool",
             'type("a") == "Q7"', "14: e: unknown tensor type 'Q7'; the nearest known ones are "),
            ("int", "size(1)", "1: e: unknown function 'size'; the nearest known ones are "),
            ("int", "min(1)", "1: e: min() with 2 arguments is expected"),
            ("int", 'ne("a", 4)', "9: e: a dimension, 0 to 3, is expected"),
            ("bool", "set(1)", "5: e: a symbol is expected"),
            ("bool", 'present("blk.%d.x")', "9: e: a block index is not available here"),
            ("int", deep, "1: e: the expression is too deep"),
        ]:
            with self.subTest(source):
                self.assert_mistake("t0.tsv:2:" + message, *self.tables(f"e:{kind}\n{source}\n"))
        self.rows("e:bool\nany_block(i == 1)\n")

    def test_syntax(self):
        """Python words these messages."""
        for source in ["n_ff[1", "(1", "1 2", "1 +", "n_ff > 0 && true", "1 ? 2 : 3", " 1",
                                   "!true"]:
            with self.subTest(source):
                self.assertRegex(self.mistake(*self.tables(f"e:int\n{source}\n")),
                                 r"^t0.tsv:2:\d+: e: .+; an expression as in expr.h is expected$")

    def test_vocabulary(self):
        texts = self.compile("vocabulary", ".", "symbols.tsv", *ARCHITECTURES)
        self.assertIn("{\n  kIsSwa,\n  kNEmbd,\n  kNFf,\n  kRope,\n};\nconstexpr int kSymbols = 4;",
                      texts["ids.h"])
        self.assertIn("enum class Group {\n  kKnown,\n  kLoader,\n};", texts["ids.h"])
        self.assertIn('{\n    {"llama", 3, 10},\n    {"old", 0, 0},\n    {"qwen2", 3, 20},\n};',
                      texts["vocabulary.cc"])
        self.assertIn('{Symbol::kNFf, true, "n_ff", ExprType::kInt, true, KeyPart::kValue, '
                      '"{arch}.feed_forward_length", {kCode + 0, 1, "0"}},', texts["vocabulary.cc"])

    def test_mistakes_in_the_vocabulary(self):
        header = "symbol\ttype\tkey\totherwise\n"
        for message, text in [
            ("2:10: otherwise: the symbol is defined by itself, through n_a",
             "n_a\tint\t\tn_a + 1\n"),
            ("3:1: symbol: duplicate row", "n_a\tint\t\t1\nn_a\tint\t\t2\n"),
            ("2:5: type: a symbol is int, bool, int[i], bool[i] or text", "n_a\ttext[i]\t\t\n"),
            ("2:9: key: a key, floor(key), length(key), sign(key) or nothing", "n_a\tint\tlength(a\t\n"),
            ("2:11: otherwise: a text has no default", "n_a\ttext\t\tn_a\n"),
        ]:
            with self.subTest(message):
                self.write("symbols.tsv", header + text)
                self.assert_mistake("symbols.tsv:" + message, "vocabulary", ".", "symbols.tsv",
                                    *ARCHITECTURES)

    def test_a_cycle_of_symbols(self):
        self.write("symbols.tsv", "symbol\ttype\tkey\totherwise\n"
                   "n_a\tint\t\tn_b + 1\nn_b\tint\t{arch}.b\tn_a\n")
        self.assertRegex(self.mistake("vocabulary", ".", "symbols.tsv", *ARCHITECTURES),
                         r"^symbols.tsv:(2:10|3:18): otherwise: the symbol is defined by itself")

    def joined(self, table):
        """Returns the rows of a table that is joined from the files of architectures."""
        text = self.compile(*self.tables(), f"{table}=Row")["unit.cc"]
        return text[text.index("kRows[]"):]

    def test_an_architecture_has_rows_of_its_own_and_of_groups(self):
        self.facts("architectures/groups/every.tsv", "tensor\ta")
        self.facts("architectures/groups/loader.tsv", "tensor\tb\t[1]\ttrue\ti > 0", "tensor\tc")
        self.facts("architectures/llama.tsv", "tensor\td", "group\tloader", "tensor\te")
        self.facts("architectures/qwen2.tsv", "tensor\te", "group\tloader", "without\tc\ttensor",
                   "tensor\td")
        text = self.compile(*self.tables(), "tensors=Row", "architectures/groups/every.tsv")
        self.assertIn("struct Row {\n  const char* name;\n  Dims shape;\n  Expr required;\n"
                      "  Expr when;\n};", text["tensors.h"])
        names = re.findall(r'^    \{"(\w)", ', text["unit.cc"], re.M)
        self.assertIn('{"b", {kDims + 0, 1, false}, {kCode + 1, 1, "true"}, {kCode + 2, 3, "i > 0"}}',
                      text["unit.cc"])
        index = re.search(r"kIndex\[\] = \{\n    (.*),\n", text["unit.cc"])[1].split(", ")
        begins = re.search(r"kBegins\[\] = \{\n    (.*),\n", text["unit.cc"])[1].split(", ")
        begins = list(map(int, begins))
        rows = ["".join(names[int(row)] for row in index[begin:end])
                for begin, end in zip(begins, begins[1:])]
        self.assertEqual(rows, ["adbce", "a", "aebd", "a"])  # llama, old, qwen2 and unknown names.
        self.assertEqual(len(names), 5)

    def test_projectors_are_numbered_behind_other_names(self):
        os.makedirs("projectors")
        self.facts("architectures/groups/every.tsv", "tensor\ta")
        self.facts("projectors/mlp.tsv", "tensor\tb", "graph\tb\t\ttrue")
        files = "architectures/groups/every.tsv", "projectors/mlp.tsv"
        text = self.compile(*self.tables(), "tensors=Row", "graph_tensors=Graph", *files)["unit.cc"]
        # llama, old, qwen2 and other names have `a`; the projector has `b` alone.
        self.assertEqual(re.findall(r'{"([ab])"', text), ["a", "b", "b"])
        self.assertIn("kBegins[] = {\n    0, 1, 2, 3, 4, 5,\n};", text)
        self.assertIn("kBegins[] = {\n    0, 0, 0, 0, 0, 1,\n};", text)
        # A column names it with its prefix; no architecture has such a name.
        rows = self.compile(*self.shapes("x\tclip/mlp\t[1]\t\tone"), *files)["unit.cc"]
        self.assertIn("kBegins[] = {\n    0, 0, 0, 0, 0, 1,\n};", rows)
        texts = self.compile("vocabulary", ".", "symbols.tsv", *ARCHITECTURES, *files)
        self.assertIn('kProjectorNames[] = {\n    "mlp",\n};', texts["vocabulary.cc"])
        self.assertIn("kArchitectures = 3;", texts["vocabulary.cc"])

    def test_facts(self):
        for fact, table, row in [
            ("blocks\tblk.\tn_ff", "stacks", '{"blk.", {kCode + 0, 2, "n_ff"}, {nullptr, 0, ""}}'),
            ("blocks\tblk.\tn_ff looped 7", "stacks",
             '{"blk.", {kCode + 0, 2, "n_ff"}, {kCode + 2, 1, "7"}}'),
            ("first\tprediction\tb5", "first_builds", '{FirstOf::kPrediction, "prediction", 5}'),
            ("key\tx\tf32 [n_embd + 1 or more]", "array_lengths",
             '{"x", {kCode + 0, 3, "n_embd + 1"}, true, "as this architecture has them"}'),
            ("key\tx\t[n_ff]", "array_lengths",
             '{"x", {kCode + 0, 2, "n_ff"}, false, "as this architecture has them"}'),
            ("key\tx\t\t\tn_ff > 1", "conditional_keys",
             '{"x", {kCode + 0, 4, "n_ff > 1"}}'),
        ]:
            with self.subTest(fact):
                self.facts("architectures/old.tsv", fact)
                self.assertIn(f"\n    {row},\n", self.joined(table))

    def test_an_architecture_may_read_more_types_of_a_key(self):
        self.write("standard_keys.tsv", "key!:key\tloader:value_types\tarray_length:number\n"
                   "x\tu32,arr[i32]\t0\ny\tu32\t0\n")
        self.facts("architectures/old.tsv", "key\tx\tu32,arr[i32|bool]\ttrue", "key\ty\tu32")
        text = self.compile(*self.tables(), "standard_keys.tsv=Key", "key_types=Row")["unit.cc"]
        rows = re.findall(r'^    \{"(\w)", (\d+)u\},$', text, re.M)
        self.assertEqual(rows, [("x", str(1 << 4 | 1 << 21 | 1 << 23))])

    def test_a_key_is_read_if_one_row_reads_it(self):
        self.facts("architectures/groups/loader.tsv", "key\tx\t\t\tn_ff > 1", "key\ty\t\t\tn_ff > 2")
        self.facts("architectures/llama.tsv", "group\tloader", "key\tx")
        text = self.joined("conditional_keys")
        self.assertIn("kIndex[] = {\n    0, 1, 0,\n};", text)
        self.assertIn("kBegins[] = {\n    0, 1, 1, 3, 3,\n};", text)
        self.assertIn('{"y", ', text.splitlines()[1])

    def test_required_keys(self):
        own = ("by!:By(spec|loader|tensors|old)\tkey!:text\ttype:text\tor_key:text\twhen:bool\t"
               "archs:architectures\nold\tz\tu32\t\t\tllama\nspec\tz\tu32\t\t\t*\n")
        keys = ("key!:key\tloader:value_types\tarray_length:number\nx\tu32,arr[i32|u32|bool]\t0\n"
                "y\ti32,arr[i32]\t4\nz\tarr[f32]\t0\n")
        self.write("required_keys.tsv", own.replace("z\tu32\t\t\t*", "x\tu32\t\t\t*"))
        self.write("standard_keys.tsv", keys)
        self.facts("architectures/llama.tsv", "size\ty\t\ttrue", "key\tx\t\ttrue\tn_ff > 1",
                   "key\ty\tu8 or w\tn_ff > 2\tn_ff > 3", "key\tz\t\tn_ff > 4")
        args = self.tables()
        text = self.compile(*args, "required_keys.tsv=Row", "standard_keys.tsv=Key")["unit.cc"]
        rows = re.findall(r"^    \{By::k(.*), \{(?:kCode \+ \d+|nullptr), \d+, (.*)\}\},$", text, re.M)
        self.assertEqual(rows, [
            ('Old, "z", "u32", ""', '""'), ('Spec, "x", "u32", ""', '""'),
            ('Tensors, "y", "i32, or array of 4 integers", ""', '""'),
            ('Loader, "x", "u32, or i32, u32 or bool per block", ""', '"n_ff > 1"'),
            ('Loader, "y", "u8", "w"', '"(n_ff > 3) and (n_ff > 2)"'),
            ('Loader, "z", "array of f32", ""', '"n_ff > 4"')])
        self.assertIn("kIndex[] = {\n    1, 3, 4, 5, 2, 0, 1, 1, 1,\n};", text)  # By `by`.
        self.assertIn("kIndex[] = {\n    0, 1, 2,\n};", text)  # Of the standard keys.

    def test_the_smallest_model(self):
        self.write("tiny_models.tsv", "kind!:Kind(value|key|tensor)\tname!:text\tvalue:text\n"
                   "value\tx\tu32 1\n")
        self.facts("architectures/llama.tsv", "tiny\ty", "tiny\tx\tu32 2")
        text = self.compile(*self.tables(), "tiny_models.tsv=Row")["unit.cc"]
        self.assertIn('{Kind::kTensor, "y", ""},\n    {Kind::kKey, "x", "u32 2"},', text)
        self.assertIn("kIndex[] = {\n    0, 2, 1, 0, 0, 0,\n};", text)

    def test_mistakes_between_files(self):
        self.facts("architectures/old.tsv", "symbol\tn_embd\tn_ff", "symbol\tn_ff\tn_embd")
        self.assertRegex(self.mistake("vocabulary", ".", "symbols.tsv", *ARCHITECTURES),
                         r"^architectures/old.tsv:(2:15|3:13): value: the symbol is defined by itself")
        self.facts("architectures/old.tsv", "key\ty")
        self.write("standard_keys.tsv", "key!:key\tloader:value_types\tarray_length:number\n"
                   "x\tu32\t0\n")
        self.assert_mistake("architectures/old.tsv:2:5: name: unknown key 'y'; the nearest known ones "
                            "are x", *self.tables(), "standard_keys.tsv=Key")
        self.facts("architectures/old.tsv", "key\tx\t\ttrue")
        self.write("required_keys.tsv", "by!:By(loader)\tkey!:text\ttype:text\tor_key:text\t"
                   "when:bool\tarchs:architectures\nloader\tx\t\t\t\told\n")
        self.assert_mistake("architectures/old.tsv:2:5: name: duplicate row: required_keys.tsv:2 has",
                            *self.tables(), "standard_keys.tsv=Key", "required_keys.tsv=Row")

    def test_an_architecture_has_its_own_meaning_of_a_symbol(self):
        self.facts("architectures/qwen2.tsv", "symbol\tn_embd\t{arch}.width or n_ff + 1",
                   "symbol\tis_swa\tlength({arch}.swa)", "symbol\tn_ff\ti + 1")
        text = self.compile("vocabulary", ".", "symbols.tsv", *ARCHITECTURES)["vocabulary.cc"]
        rows = re.findall(r"^    \{Symbol::k(\w+), (true|false), .*KeyPart::k(\w+), (.*)\},$", text, re.M)
        self.assertEqual([row for row in rows if row[1] == "false"], [
            ("NEmbd", "false", "Value", '"{arch}.width", {kCode + 4, 4, "n_ff + 1"}'),
            ("IsSwa", "false", "Length", '"{arch}.swa", {nullptr, 0, ""}'),
            ("NFf", "false", "Value", '"", {kCode + 8, 3, "i + 1"}')])

    def test_sets_of_architectures(self):
        self.facts("architectures/groups/loader.tsv", "group\tknown", "key\t{arch}.x")
        self.facts("architectures/old.tsv", "key\t{arch}.x")
        text = self.rows("a:architectures\n@known\n@{arch}.x,-llama\n")
        self.assertIn("kIndex[] = {\n    0, 1, 0, 1,\n};", text)
        self.assertIn("kBegins[] = {\n    0, 1, 2, 4, 4,\n};", text)

    def test_mistakes_in_facts(self):
        for message, *rows in [
            ("2:1: what: unknown fact 'keys'; the nearest known ones are key", "keys\tx"),
            ("2:7: name: an empty cell; a group has a name", "group\t"),
            ("2:13: value: an empty cell; a first has a value", "first\tmodel\t"),
            ("2:11: required: an empty cell; a size has a required", "size\tx\tu8"),
            ("2:19: required: a symbol has no such cell", "symbol\tn_ff\ti > 0\ttrue"),
            ("2:7: name: unknown group 'lader'; the nearest known ones are loader", "group\tlader"),
            ("3:7: name: 'known' is named twice", "group\tloader", "group\tknown"),
            ("2:9: name: no row above is about this tensor", "without\tx\ttensor"),
            ("2:7: name: model, prediction, or the key or tensor of another row is expected",
             "first\tfile\tb1"),
            ("2:13: value: a build (b1234)", "first\tmodel\tlate"),
            ("3:8: name: duplicate row: architectures/old.tsv:2 is about the same",
             "tensor\tx\t[1]", "tensor\tx\t[1]"),
            ("3:8: name: duplicate row: architectures/old.tsv:2 is about the same",
             "symbol\tn_ff\t1", "symbol\tn_ff\t2"),
            ("3:8: name: duplicate row: line 2 has the same key for an architecture",
             "tensor\tx\t[1]", "tensor\tx\t[2]"),
            ("2:19: value: unknown symbol 'n_bed'", "tensor\tx\t[n_embd, n_bed]"),
            ("2:12: when: a truth value is wanted, not a number", "tensor\tx\t\t\tn_ff"),
            ("2:25: value: unknown symbol 'n_bed'", "blocks\tblk.\tn_ff looped n_bed"),
            ("2:7: value: types, [length], or another key are expected", "key\tx\tu32 u32"),
            ("3:9: when: another condition than in architectures/old.tsv:2",
             "key\tx\t\t\tn_ff > 1", "key\tx\t\t\tn_ff > 2"),
        ]:
            with self.subTest(message):
                self.facts("architectures/old.tsv", *rows)
                self.assert_mistake("architectures/old.tsv:" + message, *self.tables(),
                                    "tensors=Row", "stacks=Stack")

    def test_tensor_types(self):
        texts = self.compile("tensor_types", ".", "tensor_types.tsv", "foreign_types.tsv")
        self.assertEqual(texts["foreign_types.inc"], """\
    {2, "X1", "A\\'s fork", {32, 6, 2}, ""},
    {66, "", "B", {0, 0, 0}, ""},
    {66, "X2", "C", {1, 0, 0}, "elements / 4"},
""")
        self.assertEqual(texts["foreign_scales.inc"], """\
    {ScaleFormat::kF16, 4, 0, 0, 4},
    {},
    {ScaleFormat::kF32, 1, -32, 0, 0},
""")
        self.assertEqual(texts["tensor_types.inc"], """\
enum class TensorType : uint32_t {
  kF32 = 0,
  kQ8 = 2,
  kQ9 = 65536,
  kFirstOld = 0x10000,
};

inline constexpr NumberRun kFieldsOfF32[] = {{1, 4}};
inline constexpr NumberRun kFieldsOfQ9[] = {{1, 2}, {4, 1}};
inline constexpr NumberRun kFieldsOfQ8[] = {{1, 2}, {4, 1}};

inline constexpr TensorTypeInfo kTensorTypes[] = {
    {0, "F32", 1, 4, false, nullptr, true, {0, 0, 0, 0, 0}, kFieldsOfF32, \
{ScaleFormat::kF32, 0, 1, false}, "b1"},
    {1, "Q9", 32, 6, true, "2024-12-07", false, {-1, -1, -1, -1, -1}, kFieldsOfQ9, \
{ScaleFormat::kNone, 0, 0, false}, "-"},
    {2, "Q8", 32, 6, true, nullptr, false, {-1, -1, -1, -1, -1}, kFieldsOfQ8, \
{ScaleFormat::kF16, 0, 1, true}, "b2"},
    {65536, "Q9", 32, 6, true, nullptr, false, {2, -1, -1, 3, -1}, {}, \
{ScaleFormat::kF16, 0, 1, false}, "-"},
};
inline constexpr uint32_t kGgufTensorTypes = 3;
""")

    def test_mistakes_in_tensor_types(self):
        for old, new, message in [
            ("Q8\t2", "Q8\t3", "4:4: gguf: 2 is expected, the number of the row"),
            ("Q8\t2", "Q8\t-", None),
            ("Q9\t-\t2", "Q9\t-\t128", "5:6: qnt0: not a number; 0 to 127 is expected"),
            ("F32\t0", "F32\t-", "3:4: gguf: 0 is expected"),
            ("\tyes\t-\tF32", "\tmaybe\t-\tF32", "2:23: in_spec: yes or no is expected"),
            ("1x4", "1x2", "2:40: fields: runs, count x width, of 4 bytes are expected"),
            ("1x4", "4", "2:40: fields: runs, count x width, of 4 bytes are expected"),
            ("\tb1\n", "\tB1\n",
             "2:44: first: a build (b1234), a release (v1.2.3) or - is expected"),
            ("\tb1\n", "\n", "2:40: fields: the row has 17 cells, the header 18"),
            ("\tscale\t", "\tscales\t", "1:79: scales: the columns are expected to be "),
        ]:
            with self.subTest(new):
                self.write("tensor_types.tsv", SHARED["tensor_types.tsv"].replace(old, new, 1))
                args = "tensor_types", ".", "tensor_types.tsv", "foreign_types.tsv"
                if message:
                    self.assert_mistake("tensor_types.tsv:" + message, *args)
                else:
                    self.compile(*args)

    def test_mistakes_in_foreign_types(self):
        for old, new, message in [
            ("66\tB", "1\tB", "3:1: id: not a number; 2 to 2147483647 is expected"),
            ("\t6\t2", "\t6\t-1", "2:20: row_bytes: not a number; 0 to 2147483647 is expected"),
            ("f16 x4", "f64 x4", "2:24: scales: a text such as 'f16 x4 at 0 per 4 blocks' is expected"),
            ("at -32", "at 0", "4:28: scales: a text such as 'f16 x4 at 0 per 4 blocks' is expected"),
            ("\tbytes", "\tcount", "1:26: count: the columns are expected to be id program name "),
        ]:
            with self.subTest(new):
                self.write("foreign_types.tsv", SHARED["foreign_types.tsv"].replace(old, new, 1))
                self.assert_mistake("foreign_types.tsv:" + message, "tensor_types", ".",
                                    "tensor_types.tsv", "foreign_types.tsv")

    def test_value_types_are_those_of_the_parser(self):
        with open(VALUE_TYPES, encoding="utf-8") as source:
            names = re.findall(r'\{ValueType::k\w+, "(\w+)"', source.read())
        self.assertEqual(len(names), 13)
        names.remove("arr")
        for name in names:
            number = names.index(name) + (name in ("u64", "i64", "f64"))  # "arr" is before them.
            self.assertIn(f"{{{1 << number}u}},", self.rows(f"v:value_types\n{name}\n"))


if __name__ == "__main__":
    unittest.main()
