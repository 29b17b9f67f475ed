"""Tests of learn_conditions.py, without llama.cpp.

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import learn_conditions
from learn_conditions import Row, Run, directed, members, violates
from model import Model

import expressions


def row(stage, holds, names="", about="n_embd", per_block="no"):
    return Row(0, ["graph-hparams-consistent", about, per_block, stage, holds, "", "", "is wrong", names])


def run(stage, *violated):
    return Run({"{arch}.block_count": "u32 3"}, stage, "it dies", set(violated))


class MembersTest(unittest.TestCase):
    def test_gets_a_row_that_explains_runs(self):
        one, other = row("context", "a"), row("context", "b")
        chosen, left = members("llama", [one, other], [run("context", one), run("ok")])
        self.assertEqual(([one], []), (chosen, left))

    def test_gets_no_row_that_runs_contradict(self):
        one = row("context", "a")
        failed = run("context", one)
        chosen, left = members("llama", [one], [failed, run("ok", one)])
        self.assertEqual(([], [failed]), (chosen, left))

    def test_loses_a_row_that_runs_contradict(self):
        one = row("run", "a", "llama")
        self.assertEqual(([], []), members("llama", [one], [run("ok", one)]))

    def test_keeps_a_row_that_no_run_violates(self):
        one = row("run", "a", "llama")
        self.assertEqual(([one], []), members("llama", [one], [run("ok")]))

    def test_gets_no_second_row_for_the_same_runs(self):
        has, new = row("context", "a", "llama"), row("context", "b")
        self.assertEqual(([has], []), members("llama", [new, has], [run("context", has, new)]))

    def test_an_earlier_stage_hides_a_later_one(self):
        first, second = row("context", "a"), row("run", "b")
        runs = [run("context", first, second), run("run", second)]
        self.assertEqual(([first, second], []), members("llama", [second, first], runs))

    def test_a_death_is_no_evidence_against_a_refusal(self):
        one = row("no-context", "a")
        self.assertEqual([one], members("llama", [one], [run("no-context", one), run("context", one)])[0])

    def test_gets_no_row_about_a_key_that_is_not_read(self):
        one = row("context", "a", about="wkv_head_size")
        self.assertEqual([], members("llama", [one], [run("context", one)])[0])


class VariantsTest(unittest.TestCase):
    def test_changes_keys_that_are_read(self):
        changes = list(directed("llama"))
        self.assertIn({"rope.dimension_count": "u32 2"}, changes)
        self.assertIn({"attention.layer_norm_rms_epsilon": "f32 nan"}, changes)
        self.assertIn({"attention.head_count": "-"}, changes)
        self.assertFalse([one for one in changes if "wkv.head_size" in one])

    def test_violates_where_the_key_is_and_a_block_differs(self):
        keys = {"llama.block_count": ("u32", 2), "llama.embedding_length": ("u32", 8)}
        one = row("context", "n_head[i] == n_head[0]", about="n_head", per_block="yes")
        env = expressions.Env("llama", Model(keys))
        self.assertFalse(violates(env, one))
        for heads, expected in (((2, 2), False), ((2, 1), True)):
            model = Model({**keys, "llama.attention.head_count": ("u32", heads)})
            self.assertEqual(expected, violates(expressions.Env("llama", model), one))

    def test_the_table_has_rows(self):
        _, rows = learn_conditions.read_rows()
        self.assertGreater(len(rows), 80)
        self.assertEqual({"no-context", "context", "run"}, {one.stage for one in rows})


if __name__ == "__main__":
    unittest.main()
