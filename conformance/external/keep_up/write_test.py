"""Tests write_architectures.py on documents as learn_architectures.py writes them.

SPDX-License-Identifier: Apache-2.0
"""

import os
import shutil
import tempfile
import unittest

import expressions
import write_architectures as writing

KEYS = ("general.alignment any", "general.architecture str", "split.count u16",
        "{arch}.context_length u32 true", "{arch}.embedding_length u32 true", "{arch}.block_count u32 true",
        "{arch}.feed_forward_length u32,arr[u32|i32|bool] false needed",
        "{arch}.attention.head_count u32,arr[u32|i32|bool] false needed",
        "{arch}.attention.head_count_kv u32,arr[u32|i32|bool]", "{arch}.attention.key_length u32",
        "{arch}.attention.value_length u32", "{arch}.attention.layer_norm_rms_epsilon f32 true",
        "tokenizer.ggml.model str true", "{arch}.vocab_size u32 false needed")  # fmt: skip
TENSORS = (
    ("token_embd.weight", "[n_embd, n_vocab]", "true", "true"),
    ("output_norm.weight", "[n_embd]", "true", "true"),
    ("output.weight", "[n_embd, n_vocab]", "false", "true"),
    ("blk.%d.attn_norm.weight", "[n_embd]", "true", "true"),
    ("blk.%d.attn_qkv.weight", "[n_embd, n_embd_k_gqa + n_embd_v_gqa + n_embd_head_k * n_head]", "false", "true"),
    ("blk.%d.attn_q.weight", "[n_embd, n_embd_head_k * n_head]", "true", 'absent("blk.%d.attn_qkv.weight")'),
    ("blk.%d.attn_k.weight", "[n_embd, n_embd_k_gqa]", "true", 'absent("blk.%d.attn_qkv.weight")'),
    ("blk.%d.attn_v.weight", "[n_embd, n_embd_v_gqa]", "true", 'absent("blk.%d.attn_qkv.weight")'),
    ("blk.%d.attn_q.bias", "[n_embd_head_k * n_head]", "false", 'absent("blk.%d.attn_qkv.bias")'),
    ("blk.%d.attn_k.bias", "[n_embd_k_gqa]", "false", 'absent("blk.%d.attn_qkv.bias")'),
    ("blk.%d.attn_v.bias", "[n_embd_v_gqa]", "false", 'absent("blk.%d.attn_qkv.bias")'),
    ("blk.%d.attn_output.weight", "[n_head * n_embd_head_k, n_embd]", "true", "true"),
    ("blk.%d.ffn_norm.weight", "[n_embd]", "true", "true"),
    ("blk.%d.ffn_gate.weight", "[n_embd, n_ff]", "true", "true"),
    ("blk.%d.ffn_down.weight", "[n_ff, n_embd]", "true", "true"),
    ("blk.%d.ffn_up.weight", "[n_embd, n_ff]", "true", "true"),
    *((f"blk.%d.{one}.{scale}", "[1]", "false", "true") for one in ("attn_output", "ffn_gate", "ffn_down", "ffn_up")
      for scale in ("scale", "input_scale")),
    *((f"blk.%d.{one}.{scale}", "[1]", "false", f'present("blk.%d.{one}.weight")') for one in ("attn_q", "attn_k", "attn_v", "attn_qkv")
      for scale in ("scale", "input_scale")),
    ("blk.%d.attn_qkv.bias", "[n_embd_k_gqa + n_embd_v_gqa + n_embd_head_k * n_head]", "false", 'present("blk.%d.attn_qkv.weight")'),
)  # fmt: skip
SMALLEST = (("general.architecture", "str", "novel"), ("tokenizer.ggml.model", "str", "no_vocab"), ("{arch}.vocab_size", "u32", 10),
            ("{arch}.context_length", "u32", 32), ("{arch}.embedding_length", "u32", 8), ("{arch}.block_count", "u32", 2),
            ("{arch}.attention.head_count", "u32", 2), ("{arch}.feed_forward_length", "u32", 12),
            ("{arch}.attention.layer_norm_rms_epsilon", "f32", 0.5))  # fmt: skip
BLOCK = (("attn_norm.weight", 8), ("attn_q.weight", 8, 8), ("attn_k.weight", 8, 8), ("attn_v.weight", 8, 8),
         ("attn_output.weight", 8, 8), ("ffn_norm.weight", 8), ("ffn_gate.weight", 8, 12), ("ffn_down.weight", 12, 8),
         ("ffn_up.weight", 8, 12))  # fmt: skip
WRITTEN = """what	name	value	required	when
first	model	b12211		
blocks	blk.	n_layer		
group	loader			

group	feed_forward_length			

group	decoder			
tensor	output.weight	[n_embd, n_vocab]		
group	attention			
tensor	blk.%d.attn_output.weight	[n_embd_head_k * n_head, n_embd]	true	
group	gated_feed_forward			
"""


def key(text, when="true"):
    name, types, *rest = text.split(" ")
    required = rest[0] if rest else "false"
    return {"what": "key", "name": name, "type": types, "required": required, "when": when,
            "needed": required == "true" or "needed" in rest}  # fmt: skip


def tensor(name, shape, required="true", when="true"):
    return {"what": "tensor", "name": name, "shape": shape, "required": required, "when": when, "needed": False}


def learnt(name="novel", **changes):
    """Returns the document of an architecture like llama without experts."""
    tensors = [("token_embd.weight", 8, 10), ("output_norm.weight", 8)]
    tensors += [(f"blk.{i}.{one}", *dims) for i in (0, 1) for one, *dims in BLOCK]
    document = {
        "architecture": name, "build": "b12211", "loads": True,
        "smallest": {"keys": [dict(zip(("name", "type", "value"), row)) for row in SMALLEST],
                     "tensors": [{"name": one, "dims": dims} for one, *dims in tensors]},
        "stacks": [{"prefix": "blk.", "count": "n_layer"}], "symbols": [], "keys": [key(text) for text in KEYS],
        "tensors": [tensor(*row) for row in TENSORS], "unexplained": [], "observations": 9,
    }  # fmt: skip
    return {**document, **changes}


class WriteTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.join(folder.name, "tables")
        shutil.copytree(expressions.TABLES, self.root)

    def write(self, *documents):
        return writing.write(self.root, documents, [one["architecture"] for one in documents])

    def read(self, name="architectures/novel.tsv"):
        with open(os.path.join(self.root, name), encoding="utf-8") as text:
            return text.read()

    def tree(self):
        names = ("standard_keys.tsv", "symbols.tsv", "architectures/groups/loader.tsv", "architectures/novel.tsv")
        return {name: self.read(name) for name in names}

    def test_names_the_groups_that_say_what_was_learnt(self):
        self.assertEqual(self.write(learnt()), (["novel: written"], 0))
        self.assertEqual(self.read(), WRITTEN)

    def test_the_second_time_changes_nothing(self):
        self.write(learnt())
        before = self.tree()
        self.assertEqual(self.write(learnt()), ([], 0))
        self.assertEqual(self.tree(), before)

    def test_a_row_that_differs_breaks_its_group(self):
        document = learnt()
        for row in document["tensors"]:
            if row["name"] == "blk.%d.ffn_up.weight":
                row["shape"] = "[n_embd, 2 * n_ff]"
        for row in document["smallest"]["tensors"]:
            if row["name"].endswith("ffn_up.weight"):
                row["dims"] = [8, 24]
        self.assertEqual(self.write(document), (["novel: written"], 0))
        self.assertNotIn("gated_feed_forward", self.read())
        self.assertIn("tensor\tblk.%d.ffn_up.weight\t[n_embd, 2 * n_ff]\ttrue\t\n", self.read())

    def test_a_condition_on_a_key_is_kept(self):
        """The models need not show what the loader showed."""
        document = learnt()
        document["keys"].append(key("{arch}.attention.q_lora_rank u32"))
        document["tensors"].append(tensor("blk.%d.attn_q_a_norm.weight", "[n_lora_q]", "true", "n_lora_q > 0 and n_lora_q != 77"))
        self.write(document)
        self.assertIn("tensor\tblk.%d.attn_q_a_norm.weight\t[n_lora_q]\ttrue\tn_lora_q > 0 and n_lora_q != 77\n", self.read())

    def test_no_condition_names_a_tensor_that_no_model_had(self):
        document = learnt()
        for row in document["tensors"]:
            if row["name"] == "blk.%d.attn_output.weight":
                row["when"] = "i < 9"
        usual = 'tensor\tblk.%d.attn_output.weight\t[n_embd]\ttrue\ti < 9 and absent("blk.%d.other.weight")\n'
        for name in ("llama", "qwen2", "qwen3"):
            with open(os.path.join(self.root, f"architectures/{name}.tsv"), "a", encoding="utf-8") as out:
                out.write(usual)
        self.write(document)
        self.assertIn("\ttrue\ti < 9\n", self.read())

    def test_new_keys_symbols_and_values(self):
        document = learnt(symbols=[{"symbol": "novel_width", "type": "int", "key": "{arch}.novel_width", "otherwise": "0"}])
        document["keys"][12:12] = [key("{arch}.novel_width u32 true"), key("{arch}.sliding_window f32")]
        document["smallest"]["keys"].append({"name": "{arch}.novel_width", "type": "u32", "value": 3})
        document["tensors"].append(tensor("blk.%d.novel.weight", "[n_embd, novel_width]"))
        for i in (0, 1):
            document["smallest"]["tensors"].append({"name": f"blk.{i}.novel.weight", "dims": [8, 3]})
        lines, faults = self.write(document)
        self.assertEqual((lines, faults), (["standard_keys.tsv: {arch}.novel_width", "standard_keys.tsv: {arch}.sliding_window",
                                            "symbols.tsv: novel_width", "novel: written"], 0))  # fmt: skip
        self.assertIn("\nkey\t{arch}.novel_width\t\ttrue\t\nkey\t{arch}.sliding_window\t\t\t\n", self.read())
        self.assertTrue(self.read().endswith("\n\ntiny\t{arch}.novel_width\tu32 3\t\t\n"))
        names = [line.split("\t")[0] for line in self.read("standard_keys.tsv").splitlines() if line.startswith("{arch}.")]
        self.assertEqual(names, sorted(names))
        self.assertIn("\nnovel_width\tint\t{arch}.novel_width\t0\n# Of the file.\n", self.read("symbols.tsv"))

    def test_a_size_in_some_blocks(self):
        document = learnt()
        document["keys"].append(key("{arch}.leading_dense_block_count u32"))
        document["smallest"]["keys"].append({"name": "{arch}.leading_dense_block_count", "type": "u32", "value": 2})
        for row in document["tensors"]:
            if row["name"].startswith("blk.%d.ffn_") and "norm" not in row["name"] and "scale" not in row["name"]:
                row["when"] = "i < n_layer_dense_lead"
        self.write(document)
        self.assertIn('size\t{arch}.feed_forward_length\tu32,arr[i32|u32]\tany_block(present("blk.%d.ffn_up.weight"))\t\n', self.read())

    def test_a_size_that_the_smallest_model_does_not_need(self):
        document = learnt()
        for text in ("{arch}.expert_count u32", "{arch}.expert_used_count u32", "{arch}.leading_dense_block_count u32 true"):
            document["keys"].append(key(text))
        document["smallest"]["keys"].append({"name": "{arch}.leading_dense_block_count", "type": "u32", "value": 2})
        document["tensors"].append(tensor("blk.%d.ffn_gate_inp.weight", "[n_embd, n_expert]", "true", "i >= n_layer_dense_lead"))
        self.write(document)
        self.assertIn("group\texperts_behind_dense\t", self.read())

    def test_what_all_architectures_have_is_said_once(self):
        documents = [learnt("novel"), learnt("other")]
        for document in documents:
            document["smallest"]["keys"][0]["value"] = document["architecture"]
            document["keys"].append(key("prism.new_key u32"))
        lines, faults = self.write(*documents)
        self.assertEqual((lines[:2], faults), (["standard_keys.tsv: prism.new_key", "groups/loader.tsv: prism.new_key"], 0))
        self.assertNotIn("prism", self.read())
        before = self.tree()
        self.assertEqual(self.write(*documents), ([], 0))
        self.assertEqual(self.tree(), before)
        rows = [line.split("\t") for line in self.read("architectures/groups/loader.tsv").splitlines()]
        optional = [row[1] for row in rows if row[0] == "key" and not row[3]]
        self.assertIn("prism.new_key", optional)
        self.assertEqual(optional, sorted(optional))

    def test_a_fused_tensor_is_as_large_as_its_parts(self):
        document = learnt()
        document["tensors"][4]["shape"] = "[n_embd, 2 * n_embd_k_gqa + n_embd_head_v * n_head]"
        document["tensors"][-1]["shape"] = "[n_embd_v_gqa + 2 * n_embd_head_k + n_embd_k_gqa]"
        lines, _ = self.write(document)
        self.assertEqual([line for line in lines if "fused" in line], [
            f"novel: blk.%d.attn_qkv.{one}: a fused tensor is as large as its parts" for one in ("weight", "bias")])  # fmt: skip
        self.assertEqual(self.read(), WRITTEN)

    def test_experts_that_no_model_had(self):
        document = learnt()
        document["keys"].append(key("{arch}.expert_feed_forward_length u32"))
        lines, faults = self.write(document)
        self.assertEqual(lines[-1], "novel: not written: {arch}.expert_feed_forward_length is read, but no model had experts")
        self.assertEqual(faults, 1)
        self.assertFalse(os.path.exists(os.path.join(self.root, "architectures/novel.tsv")))

    def test_a_dimension_that_never_varied(self):
        document = learnt()
        document["tensors"] += [tensor("a.weight", "[n_embd, 1]"), tensor("b.weight", "[2 * n_embd, n_ff]")]
        document["tensors"].append(tensor("b.scale", "[1]", "false"))
        document["smallest"]["tensors"] += [{"name": "a.weight", "dims": [8]}, {"name": "b.weight", "dims": [16, 12]}]
        document["tensors"].append(tensor("c.weight", "[n_embd / 2]", "false"))
        self.assertEqual(self.write(document), (["novel: written", "novel: a.weight: a dimension of [n_embd, 1] never varied"], 0))

    def test_widths_that_no_row_tells_apart(self):
        document = learnt()
        document["keys"].append(key("{arch}.rope.dimension_count u32"))
        document["tensors"].insert(3, tensor("rope_freqs.weight", "[n_embd_head_k / 2]", "false"))
        self.write(document)
        self.assertIn("tensor\trope_freqs.weight\t[n_rot / 2]\t\t\n", self.read())

    def test_blocks_whose_number_never_varied(self):
        lines, _ = self.write(learnt(stacks=[{"prefix": "blk.", "count": "2"}]))
        self.assertIn("novel: blk.: their number never varied, n_layer is assumed", lines)
        self.assertEqual(self.read(), WRITTEN)

    def falsify(self, old, new, name="architectures/novel.tsv"):
        text = self.read(name)
        self.assertEqual(text.count(old), 1)
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as out:
            out.write(text.replace(old, new))

    def test_a_wrong_row_is_restored(self):
        self.write(learnt())
        before = self.tree()
        output = "tensor\toutput.weight\t[n_embd, n_vocab]\t\t\n"
        weight = "tensor\tblk.%d.attn_output.weight\t[n_embd_head_k * n_head, n_embd]\ttrue\t\n"
        for old, new in ((weight, weight.replace("true", "")), (weight, weight.replace("n_head,", "n_ff,")), (weight, ""), (output, ""),
                         ("blocks\tblk.\tn_layer\t\t\n", "blocks\tblk.\tn_layer_all\t\t\n")):  # fmt: skip
            with self.subTest(new):
                self.falsify(old, new)
                lines, faults = self.write(learnt())
                self.assertEqual((len(lines), faults), (1, 0), lines)
                self.assertEqual(self.tree(), before)
                self.assertEqual(self.write(learnt()), ([], 0))

    def test_a_row_that_the_loader_contradicts_is_removed(self):
        self.write(learnt())
        before = self.tree()
        self.falsify("tensor\toutput.weight", "tensor\tmade_up.weight\t[n_embd]\t\t\ntensor\toutput.weight")
        document = learnt(contradicted=[{"what": "tensor", "name": "made_up.weight"}])
        self.assertEqual(self.write(document), (["novel: tensor made_up.weight: [n_embd]; now: nothing"], 0))
        self.assertEqual(self.tree(), before)

    def test_another_wording_stays(self):
        self.write(learnt())
        self.falsify("[n_embd_head_k * n_head, n_embd]", "[n_head * n_embd_head_k, n_embd]")
        self.assertEqual(self.write(learnt()), ([], 0))

    def test_a_row_that_is_newer_than_its_architecture(self):
        self.write(learnt())
        self.falsify("first\tmodel\tb12211", "first\tmodel\tb9999")
        document = learnt(newer=["output.bias"])
        document["tensors"].insert(3, tensor("output.bias", "[n_vocab]", "false"))
        document["keys"].append(key("{arch}.logit_scale f32"))
        self.assertEqual(len(self.write(document)[0]), 2)
        text = self.read()
        self.assertIn("first\tmodel\tb9999\t\t\nfirst\toutput.bias\tb12211\t\t\n", text)
        self.assertIn("tensor\toutput.weight\t[n_embd, n_vocab]\t\t\ntensor\toutput.bias\t[n_vocab]\t\t\n", text)
        self.assertIn("key\t{arch}.logit_scale\t\t\t\n", text)
        self.assertEqual(self.write(document), ([], 0))

    def test_a_row_of_a_group_is_replaced_in_one_architecture(self):
        self.write(learnt())
        document = learnt()
        for row in document["tensors"]:
            if row["name"] == "blk.%d.ffn_up.weight":
                row["required"] = "false"
        self.write(document)
        self.assertIn("group\tgated_feed_forward\t\t\t\nwithout\tblk.%d.ffn_up.weight\ttensor\t\t\n"
                      "tensor\tblk.%d.ffn_up.weight\t[n_embd, n_ff]\t\t\n", self.read())  # fmt: skip
        self.assertEqual(self.write(document), ([], 0))

    def test_a_row_that_all_have_otherwise_is_replaced_in_the_group(self):
        name = "architectures/groups/a_pair.tsv"
        rows = ["tensor\toutput.weight\t[n_embd, n_vocab]\t\t\n",
                "tensor\tblk.%d.attn_output.weight\t[n_embd_head_k * n_head, n_embd]\ttrue\t\n"]  # fmt: skip
        with open(os.path.join(self.root, name), "w", encoding="utf-8") as out:
            out.write("# Two weights.\nwhat\tname\tvalue\trequired\twhen\n" + "".join(rows))
        documents = [learnt("novel"), learnt("other")]
        documents[1]["smallest"]["keys"][0]["value"] = "other"
        self.write(*documents)
        self.assertIn("group\ta_pair\t", self.read())
        before, group = self.tree(), self.read(name)
        self.falsify(rows[1], rows[1].replace("true", ""), name)
        lines, _ = self.write(*documents)
        self.assertEqual(lines, ["groups/a_pair: tensor blk.%d.attn_output.weight: nothing; now: [n_embd_head_k * n_head, n_embd]  true"])
        self.assertEqual((self.tree(), self.read(name)), (before, group))

    def test_what_the_loader_tells_of_blocks(self):
        rows = [{"symbol": "is_swa", "type": "bool[i]", "key": "", "otherwise": "i < n_swa_pattern and swa_pattern[i] != 0"}]
        document = learnt(symbols=rows)
        document["keys"].append(key("{arch}.attention.sliding_window_pattern arr[u32|i32|bool] true"))
        document["smallest"]["keys"].append({"name": "{arch}.attention.sliding_window_pattern", "type": "u32", "value": [0, 1]})
        self.write(document)
        self.assertIn("group\twindow_flags\t", self.read())
        os.remove(os.path.join(self.root, "architectures/novel.tsv"))
        self.write(learnt(symbols=[{**rows[0], "otherwise": "i % 3 == 1"}]))
        self.assertIn("\nsymbol\tis_swa\ti % 3 == 1\t\t\n", self.read())

    def test_a_file_that_does_not_compile_is_not_written(self):
        document = learnt()
        document["tensors"].append(tensor("blk.%d.x.weight", "[n_embd]", "false", "unknown_symbol > 0"))
        lines, faults = self.write(document)
        self.assertEqual(faults, 1)
        self.assertRegex("\n".join(lines), "not written: .*novel.tsv:[0-9]+:[0-9]+: when: unknown symbol")
        self.assertFalse(os.path.exists(os.path.join(self.root, "architectures/novel.tsv")))


if __name__ == "__main__":
    unittest.main()
