"""Tests facts.py on a made-up source tree with three commits.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, HERE)

import facts  # noqa: E402
import sources  # noqa: E402
import tables  # noqa: E402

ENVIRONMENT = dict(
    os.environ, HOME="/nonexistent", GIT_CONFIG_GLOBAL="/dev/null",
    GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b.c",
    GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b.c")

ARCH = """
static const std::map<llm_arch, const char *> LLM_ARCH_NAMES = {
    { LLM_ARCH_LLAMA,   "llama"     }, // a comment
    %s
    { LLM_ARCH_UNKNOWN, "(unknown)" },
};
static const std::map<llm_kv, const char *> LLM_KV_NAMES = {
    { LLM_KV_BLOCK_COUNT, "%%s.block_count" },
    { LLM_KV_EPSILON,     "%%s.epsilon"     },
};
static const std::map<llm_tensor, const char *> LLM_TENSOR_NAMES = {
    { LLM_TENSOR_OUTPUT, "output" },
    { LLM_TENSOR_UNUSED, "unused" },
};
"""
LOADER = """
static llama_model * llama_model_mapping(llm_arch arch) {
    switch (arch) {
        case LLM_ARCH_LLAMA: return new llama;
        %s
    }
}

void load() {
    switch (arch) { case LLM_ARCH_NAMED: break; }
    ml.get_key(LLM_KV_BLOCK_COUNT, hparams.n_layer);
    ml.get_key(LLM_KV_EPSILON,     hparams.eps, false);
    create_tensor(tn(LLM_TENSOR_OUTPUT, "weight"), {n_embd, n_vocab}, 0);
}
"""
TREE = {
    "src/llama-arch.cpp": ARCH % "",
    "src/llama-model.cpp": LOADER % "" + "gguf_init_from_file",
    "src/llama-hparams.h": "struct h { uint32_t n_layer = 0; float eps; };\n",
    "src/llama-vocab.cpp": 'if (tokenizer_pre == "old") {}\n',
    "include/llama.h": "LLAMA_FTYPE_ALL_F32 = 0,\n"
                       "// LLAMA_FTYPE_MOSTLY_Q4_2 = 5, // removed\n",
    "ggml/include/ggml.h": "GGML_TYPE_F32 = 0,\n// GGML_TYPE_Q4_2 = 4,\n"
                           "GGML_TYPE_COUNT = 2,\n",
    "tools/mtmd/clip-impl.h":
        '#define KEY_N_EMBD "clip.%s.embedding_length"\n'
        "std::map<projector_type, std::string> PROJECTOR_TYPE_NAMES = {\n"
        '    { PROJECTOR_TYPE_MLP, "mlp"},\n};\n',
    "tools/mtmd/clip.cpp":
        "get_u32(string_format(KEY_N_EMBD, prefix), hparams.n_embd);\n",
}
NAMED = '{ LLM_ARCH_NAMED, "named" },'
# The second commit knows a name, and the third loads it.
SECOND = {"src/llama-arch.cpp": ARCH % NAMED}
THIRD = {
    "src/llama-model.cpp":
        LOADER % "case LLM_ARCH_NAMED: return new named;",
    "src/llama-vocab.cpp": 'if (tokenizer_pre == "old" ||\n'
                           '    tokenizer_pre == "new") {}\n',
    "ggml/include/ggml.h": "GGML_TYPE_F32 = 0,\nGGML_TYPE_X = 1,\n",
}

FACTS = "what\tname\tvalue\trequired\twhen\n"
LLAMA_FILE = "conformance/tables/architectures/llama.tsv"
NAMED_FILE = "conformance/tables/architectures/named.tsv"
TABLES = {
    LLAMA_FILE: FACTS + "first\tmodel\tb1\t\t\ngroup\tloader\t\t\t\n"
                        "tensor\toutput.weight\t[1]\t\t\n",
    NAMED_FILE: FACTS + "first\tmodel\tb3\t\t\ngroup\tloader\t\t\t\n",
    "conformance/tables/architectures/groups/loader.tsv": FACTS + "group\tknown\t\t\t\n",
    "conformance/tables/architectures/groups/known.tsv": FACTS,
    "conformance/tables/pre_tokenizers.tsv":
        "name!:text\tsplitting:S(a|b)\ttoken_text:T(a|b)\tbos:B(a|b)\tarchitectures:architectures\tfirst:build\n"
        "old\tgpt-2\tbytes\tdefault\t*\tb1\nnew\tunknown\tbytes\tdefault\t*\tb3\n",
    "conformance/tables/projector_types.tsv":
        "name!:text\tfirst:build\nmlp\tb1\n",
    "conformance/tables/file_types.tsv":
        "id:index\tname:text\tfirst:build\n0\tF32\tb1\n5\tQ4_2\t-\n",
    "parser/tensor_types.tsv":
        "name\tgguf\tfirst\nF32\t0\tb1\nX\t1\tb3\nQ4_2\t4\t-\n",
    "conformance/tables/standard_keys.tsv":
        "key!:text\tspec:t\tloader:t\twriter:t\treading:r\n"
        "{arch}.block_count\tcount\tu32\tu32\tmodel\n"
        "{arch}.epsilon\t-\tscalar\t-\tmodel\n"
        "clip.vision.embedding_length\t-\tu32\tu32\tprojectors\n"
        "clip.audio.embedding_length\t-\tu32\tu32\tprojectors\n"
        "clip.gen.audio.embedding_length\t-\tu32\tu32\tprojectors\n"
        "imatrix.count\t-\tu32\tu32\timatrices\n",
    "conformance/tables/readers.tsv":
        "name!:names(R)\tversion:text\nllama.cpp\tb3 of today\n",
}


def write(folder, files):
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


class FactsTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = os.path.join(temporary.name, "root")
        self.tree = os.path.join(temporary.name, "llama.cpp")
        write(self.root, TABLES)

    def git(self, *arguments):
        subprocess.run(["git", "-C", self.tree, *arguments], check=True,
                       env=ENVIRONMENT, stdout=subprocess.DEVNULL)

    def commit(self, files):
        write(self.tree, files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "m")

    def make_history(self):
        os.makedirs(self.tree)
        self.git("init", "-q")
        for files in (TREE, SECOND, THIRD):
            self.commit(files)

    def lines(self):
        """Returns the lines of the report."""
        ours = tables.Tables(self.root)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            facts.compare(self.tree, ours)[1].print()
        return out.getvalue().splitlines()

    def change(self, table, old, new):
        text = TABLES[table]
        self.assertIn(old, text)
        write(self.root, {table: text.replace(old, new)})

    def test_nothing_differs(self):
        self.make_history()
        self.assertEqual(self.lines(), ["the tables agree with this source"])

    def test_without_history_nothing_is_known_of_builds(self):
        write(self.tree, {**TREE, **SECOND, **THIRD})
        self.change("conformance/tables/pre_tokenizers.tsv", "b3", "b2")
        self.assertEqual(self.lines(), ["the tables agree with this source"])
        self.change("conformance/tables/pre_tokenizers.tsv",
                    "new\tunknown\tbytes\tdefault\t*\tb3\n", "")
        self.assertEqual(self.lines()[1:], [
            "conformance/tables/pre_tokenizers.tsv", "+ new\tunknown\tbytes\tdefault\t*\t?"])

    def test_rows_for_new_names(self):
        self.make_history()
        os.remove(os.path.join(self.root, NAMED_FILE))
        self.change("parser/tensor_types.tsv", "X\t1\tb3\n", "")
        self.assertEqual([line for line in self.lines() if line], [
            "conformance/tables/architectures", "+ named.tsv: first\tmodel\tb3\t\t",
            "parser/tensor_types.tsv", "+ 1\tX\tb3"])

    def test_wrong_first_builds_and_old_names(self):
        self.make_history()
        self.change("conformance/tables/pre_tokenizers.tsv", "new\tunknown\tbytes\tdefault\t*\tb3",
                    "new\tunknown\tbytes\tdefault\t*\tv0.5.0\ngone\tunknown\tbytes\tdefault\t*\tb2")
        self.assertEqual([line for line in self.lines() if line], [
            "conformance/tables/pre_tokenizers.tsv",
            "- gone: not in this source",
            "! new: first is v0.5.0, the history has b3"])

    def test_an_older_source_lacks_newer_names(self):
        self.make_history()
        self.git("checkout", "-q", "HEAD~")
        self.assertEqual(self.lines(), [
            "newer than this source, architecture: named",
            "newer than this source, tensor type: 1 X",
            "newer than this source, pre-tokenizer: new",
            "the tables agree with this source"])

    def test_a_name_that_is_not_loaded(self):
        self.make_history()
        self.git("checkout", "-q", "HEAD~")
        os.remove(os.path.join(self.root, NAMED_FILE))
        self.assertIn("+ named.tsv: group\tknown\t\t\t", self.lines())

    def test_keys_and_tensors(self):
        write(self.tree, {**TREE, **SECOND, **THIRD})
        self.change("conformance/tables/standard_keys.tsv",
                    "{arch}.block_count\tcount\tu32\tu32\tmodel\n",
                    "{arch}.block_count\t-\ti32\tu16\tmodel\n"
                    "{arch}.other\t-\tu32\tu32\tmodel\n")
        self.change(LLAMA_FILE, "output", "input")
        self.assertEqual([line for line in self.lines() if line], [
            "conformance/tables/standard_keys.tsv",
            "! {arch}.block_count: the source reads u32, the row has i32,u16",
            "- {arch}.other: no loader of this source reads it",
            "conformance/tables/architectures",
            "+ tensor\toutput.weight\t?\t?\t?",
            "  requested in src/llama-model.cpp",
            "- input.weight: not requested in this source"])

    def test_a_folder_without_sources_is_an_error(self):
        os.makedirs(self.tree)
        with self.assertRaisesRegex(SystemExit, "no sources of llama.cpp"):
            self.lines()

    def test_types(self):
        self.assertEqual(tables.types("u32,arr[i32|bool],count,-"),
                         {"u32", "u64", "arr[i32]", "arr[bool]"})
        self.assertTrue(tables.covers({"array"}, "arr[f32]"))
        self.assertFalse(tables.covers({"array"}, "f32"))

    def test_the_first_forms_of_the_sources(self):
        loader = ("static bool llm_load_tensors(llama_model_loader & ml) {\n"
                  "    case LLM_ARCH_FALCON:\n}\n")
        arch = ('std::map<llm_arch, std::string> LLM_ARCH_NAMES = {\n'
                '    { LLM_ARCH_LLAMA, "llama" },\n'
                '    { LLM_ARCH_FALCON, "falcon" },\n};\n')
        self.assertEqual(sources.architectures(arch, loader), {"falcon"})
        self.assertEqual(sources.architectures("", "gguf_init_from_file("),
                         {"llama"})
        self.assertEqual(sources.architectures("", ""), set())


if __name__ == "__main__":
    unittest.main()
