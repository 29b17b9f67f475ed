"""Tests write_names.py and write_release.py on small tables, without a loader.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import write_names  # noqa: E402
import write_release  # noqa: E402
from model import Model  # noqa: E402
from wasm_loader import Answer  # noqa: E402

TABLES = {
    "pre_tokenizers.tsv": "# A comment.\nname!:text\tsplitting:S(a|b)\ttoken_text:T(a|b)\tbos:Bos(default|added|none)\tarchitectures:architectures\tfirst:build\n"
                          "gpt-2\tgpt-2\tbytes\tdefault\t*\tb10\nllama3\tllama-bpe\tbytes\tdefault\t*\tb20\n",
    "tokenizers.tsv": "model!:text\tknown_to:text\tkind:text\tpre:text\tbyte_tokens:text\tarchitectures:architectures\tfirst:build\n"
                      "llama\tboth\tspm\tunread\tneeded\t*\t-\n",
    "projector_types.tsv": "name!:text\tmerge:number\tarchitectures:architectures\tfirst:build\toutput:text\t"
                           "dim:number\tmore:text\nmlp\t0\t*\tb10\tmm.2.weight\t1\t\n"
                           "voxtral\t0\t*\tb20\tmm.2.weight\t1\t\n",
    "builds.tsv": "build:build\trelease:build\tmonth:text\nb20\t-\t2026-08\n-\tv0.5.0\t2026-09\n",
    "readers.tsv": "name!:text\tversion:text\nllama.cpp\tv0.5.0 of September 2026\nggml\td99724f2\n",
    "standard_keys.tsv": "key!:text\tloader:text\treading:text\n{arch}.gone\tu32\tmodel\n{arch}.read\tu32\tmodel\n",
    "architectures/groups/loader.tsv": "what\tname\tvalue\nfirst\tprism.hadamard.axis\tb40\nfirst\t{arch}.old\tb40\n"
                                       "first\t{arch}.new\tb40\nfirst\tblk.%d.x.weight\tb40\n"
                                       "key\tprism.hadamard.axis\t\nkey\t{arch}.old\t\nkey\t{arch}.new\t\n",
    "architectures/old.tsv": "what\tname\nfirst\tmodel\tb20\t\t\n",
    "architectures/new.tsv": "what\tname\nfirst\tmodel\tb40\t\t\n",
    "architectures/newest.tsv": "what\tname\nfirst\tmodel\tb40\t\t\n",
}  # fmt: skip
CHANGELOG = """# Changelog

## 0.2.0

### Changed

- Something else.
- The tables and the predictions about llama.cpp follow its release v0.5.0: seven more
  architectures.
"""


class Vocabulary:
    """Stands for vocabularies.Vocabularies."""

    def pre_tokenizer(self, name):
        return {"gpt-2": "default", "llama3": "added", "glm5": "none"}.get(name), "refused" if name == "odd" else ""

    def tokenizer(self, name, rows):
        return {"known_to": "loader", "kind": "spm" if name == "llama" else "other", "pre": "unread", "byte_tokens": "read"}, "its algorithm is PLaMo3"

    def needed_keys(self, name):
        return ["tokenizer.ggml.tokens"]


class Versions:
    """Stands for write_names.Versions: b30 knows some names, b40 all."""

    newest = "b40"

    def first(self, file, unknown, base=None, known=None):
        data = file.build()
        return known or ("b30" if any(name in data for name in (b"glm5", b"cohere2v")) else "b40")


class NamesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.tables = os.path.join(self.root, "conformance/tables")
        os.makedirs(os.path.join(self.tables, "architectures/groups"))
        for name, text in TABLES.items():
            self.write(os.path.join(self.tables, name), text)
        self.write(os.path.join(self.root, "CHANGELOG.md"), CHANGELOG)

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def read(self, *names):
        with open(os.path.join(self.tables, *names), encoding="utf-8") as lines:
            return lines.read()

    def run_twice(self, step):
        """Runs a step; the second time it changes nothing. Returns what the first one prints."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            step()
        before = {name: self.read(name) for name in TABLES}
        with contextlib.redirect_stdout(io.StringIO()):
            step()
        self.assertEqual({name: self.read(name) for name in TABLES}, before)
        return printed.getvalue()

    def test_new_pre_tokenizers_get_rows_and_wrong_cells_are_corrected(self):
        names = ["glm5", "gpt-2", "llama3", "odd"]
        printed = self.run_twice(lambda: write_names.write_pre_tokenizers(self.tables, names, Vocabulary(), Versions()))
        self.assertTrue(self.read("pre_tokenizers.tsv").endswith(
            "gpt-2\tgpt-2\tbytes\tdefault\t*\tb10\nllama3\tllama-bpe\tbytes\tadded\t*\tb20\n"
            "glm5\tunknown\tbytes\tnone\t*\tb30\n"))  # fmt: skip
        self.assertIn("pre_tokenizers.tsv: llama3: bos added, not default\n", printed)
        self.assertIn("? odd: ", printed)

    def test_what_the_specification_knows_stays(self):
        step = lambda: write_names.write_tokenizers(self.tables, ["llama", "plamo3"], Vocabulary(), Versions())  # noqa: E731
        self.assertIn("? plamo3: a tokenizer; its algorithm is PLaMo3; it needs tokenizer.ggml.tokens\n", self.run_twice(step))
        self.assertTrue(self.read("tokenizers.tsv").endswith(
            "llama\tboth\tspm\tunread\tread\t*\t-\nplamo3\tloader\tother\tunread\tread\t*\tb40\n"))  # fmt: skip

    def test_new_projectors_are_in_order_and_only_named(self):
        step = lambda: write_names.write_projectors(self.tables, ["mlp", "cohere2v", "soprano"], Versions())  # noqa: E731
        printed = self.run_twice(step)
        rows = self.read("projector_types.tsv").splitlines()[1:]
        self.assertEqual(rows[0], "cohere2v\t0\t*\tb30\t\t0\t")
        self.assertEqual([row.split("\t")[0] for row in rows], ["cohere2v", "mlp", "soprano", "voxtral"])
        self.assertIn("? cohere2v: a projector of which only the name is known (projector_types.tsv)\n", printed)
        self.assertIn("? voxtral: the loader does not know this projector type any more\n", printed)

    def test_an_older_loader_that_knows_an_architecture_is_its_first_version(self):
        class Old(Versions):
            def first(self, file, unknown, base=None, known=None):
                return "b30" if file.keys["general.architecture"][1] == "new" else known

        step = lambda: write_names.write_architectures(self.tables, ["old", "new", "newest", "none"], Old())  # noqa: E731
        self.assertEqual(self.run_twice(step), "new.tsv: first b30, not b40\n? none: an architecture without a file\n")
        self.assertIn("first\tmodel\tb20\t", self.read("architectures", "old.tsv"))
        self.assertIn("first\tmodel\tb40\t", self.read("architectures", "newest.tsv"))

    def test_a_loader_that_refuses_another_type_reads_the_key(self):
        class Loader:
            has_projectors = False

            def load(self, path):
                with open(path, "rb") as file:
                    data = file.read()
                is_read = b"llama.old" in data or (b"hadamard.axis" in data and b"hadamard.version" in data)
                return Answer("rejects", ["key prism.hadamard.axis has wrong type", "llama.old is not a u32"] if is_read else ["no tensor"])

        versions = write_names.Versions(self.tables, "b40", [])
        self.addCleanup(versions.folder.cleanup)
        versions.older = [("b30", Loader())]
        smallest = Model({"general.architecture": ("str", "llama")})
        self.run_twice(lambda: write_names.write_first_keys(self.tables, versions, smallest))
        firsts = [line for line in self.read("architectures/groups/loader.tsv").splitlines() if line.startswith("first")]
        self.assertEqual(firsts, ["first\tprism.hadamard.axis\tb30", "first\t{arch}.old\tb30", "first\t{arch}.new\tb40",
                                  "first\tblk.%d.x.weight\tb40"])  # fmt: skip

    def test_a_key_that_no_architecture_reads_is_never_read(self):
        self.run_twice(lambda: write_names.write_unread_keys(self.tables, {"{arch}.read"}))
        self.assertTrue(self.read("standard_keys.tsv").endswith("{arch}.gone\t-\tnever\n{arch}.read\tu32\tmodel\n"))

    def test_a_first_version_stays_unless_a_loader_contradicts_it(self):
        class Loader:
            has_projectors = False

            def __init__(self, knows):
                self.knows = knows

            def load(self, path):
                return Answer("rejects", [] if self.knows else ["unknown name"])

        def first(known, **loaders):
            versions = write_names.Versions(self.tables, "b40", [])
            versions.older = [("v0.5.0", Loader(loaders["older"])), ("b30", Loader(loaders["newer"]))]
            found = versions.first(Model({}), "unknown name", known=known)
            versions.folder.cleanup()
            return found

        for known, older, newer, expected in (
            (None, True, True, "v0.5.0"), (None, False, True, "b30"), (None, False, False, "b40"),
            ("b10", True, True, "b10"), ("v0.5.0", True, True, "v0.5.0"), ("b25", False, True, "b25"), ("b35", False, False, "b35"),
            ("b10", False, True, "b30"), ("b10", False, False, "b40"), ("b40", False, True, "b30"), ("b25", True, True, "v0.5.0"),
        ):  # fmt: skip
            self.assertEqual(first(known, older=older, newer=newer), expected, (known, older, newer))

    def test_versions_are_in_order_and_the_changelog_names_what_is_new(self):
        def step():
            write_release.write_build(self.tables, "b40", "-", "2026-11")
            write_release.write_build(self.tables, "b30", "v0.7.0", "2026-10")
            write_release.write_followed(self.root)

        self.run_twice(step)
        self.assertTrue(self.read("builds.tsv").endswith(
            "-\tv0.5.0\t2026-09\nb30\tv0.7.0\t2026-10\nb40\t-\t2026-11\n"))  # fmt: skip
        self.assertIn("llama.cpp\tb40 of November 2026\n", self.read("readers.tsv"))
        line = (
            "- The tables and the predictions about llama.cpp follow b40 of November 2026: the architectures new and\n  newest.\n"
        )
        text = self.read("../../CHANGELOG.md")
        self.assertEqual(" ".join(text.split()), " ".join(CHANGELOG.replace("- Something", line + "- Something").split()))


if __name__ == "__main__":
    unittest.main()
