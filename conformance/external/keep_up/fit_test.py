"""Tests the parts of keep_up that need no loader.

SPDX-License-Identifier: Apache-2.0
"""

import unittest

import numpy as np
from agreement import disagreements
from definitions import define
from document import Document
from expressions import Env
from features import stack_of
from fit import Conditions, Sizes, vector
from learn import MOST_WEIGHTS, NOT_REQUIRED, Student, earlier, settle, type_of
from model import Model, block, folded
from observe import Observation, Observer
from wasm_loader import Answer


class SizesTest(unittest.TestCase):
    features = {
        "n_embd": vector([8, 16, 8, 8, 8]),
        "n_ff": vector([12, 12, 20, 12, 12]),
        "n_head": vector([2, 2, 2, 4, 2]),
        "n_ff_exp": vector([0, 0, 0, 0, 6]),
        "unknown": vector([1, 2, None, 4, 5]),
    }

    def solve(self, values):
        return Sizes(self.features).solve(vector(values))

    def test_finds_the_shortest_expression(self):
        self.assertEqual(self.solve([3, 3, 3, 3, 3]), "3")
        self.assertEqual(self.solve([8, 16, 8, 8, 8]), "n_embd")
        self.assertEqual(self.solve([24, 48, 24, 24, 24]), "3 * n_embd")
        self.assertEqual(self.solve([4, 8, 4, 2, 4]), "n_embd / n_head")
        self.assertEqual(self.solve([24, 24, 40, 48, 24]), "n_ff * n_head")
        self.assertEqual(self.solve([20, 28, 28, 20, 20]), "n_embd + n_ff")
        self.assertEqual(self.solve([12, 12, 20, 12, 6]), "n_ff_exp if n_ff_exp > 0 else n_ff")
        self.assertEqual(self.solve([6, 6, 10, 3, 6]), "n_ff / n_head")
        self.assertIsNone(self.solve([1, 5, 17, 31, 1009]))
        self.assertIsNone(Sizes({"n_embd": vector([8, 8])}).solve(vector([1, 2])))

    def test_a_choice_may_be_a_quotient(self):
        features = {**self.features, "n_ff_exp": vector([0, 0, 0, 1, 7])}
        self.assertEqual(Sizes(features).solve(vector([6, 6, 10, 1, 7])), "n_ff_exp if n_ff_exp > 0 else n_ff / n_head")


class ConditionsTest(unittest.TestCase):
    atoms = [
        ("a", np.array([1, 1, 1, 0, 0, 0, 1], bool)),
        ("b", np.array([1, 0, 1, 1, 0, 0, 1], bool)),
        ("c", np.array([0, 0, 1, 0, 1, 0, 1], bool)),
        ('present("x")', np.array([0, 1, 0, 0, 1, 1, 0], bool)),
    ]

    def solve(self, values, without=None):
        return Conditions(self.atoms).solve(np.array(values, bool), without)

    def test_finds_conditions(self):
        self.assertEqual(self.solve([1] * 7), "true")
        self.assertEqual(self.solve([0] * 7), "false")
        self.assertEqual(self.solve([1, 0, 1, 0, 0, 0, 1]), "a and b")
        self.assertEqual(self.solve([1, 1, 1, 0, 1, 0, 1]), "a or c")
        self.assertEqual(self.solve([0, 1, 0, 0, 1, 1, 0]), 'present("x")')

    def test_a_choice_is_enclosed(self):
        atoms = [("a or b", np.array([1, 1, 0, 0], bool)), ("c if d else e", np.array([1, 0, 1, 0], bool))]
        self.assertEqual(Conditions(atoms).solve(np.array([1, 0, 0, 0], bool)), "(a or b) and (c if d else e)")
        self.assertEqual(Conditions(atoms).solve(np.array([1, 1, 1, 0], bool)), "a or b or (c if d else e)")

    def test_no_tensor_depends_on_itself(self):
        self.assertNotEqual(self.solve([0, 1, 0, 0, 1, 1, 0], "x"), 'present("x")')

    def test_points_that_no_atom_tells_apart_are_not_explained(self):
        self.assertIsNone(self.solve([0, 0, 1, 0, 0, 0, 0]))


class ExpressionsTest(unittest.TestCase):
    model = Model(
        {"llama.embedding_length": ("u32", 8), "llama.attention.head_count": ("u32", 2), "llama.block_count": ("u32", 2),
         "llama.feed_forward_length": ("u32", (12, 0))},
        {"blk.1.attn_q.weight": (8, 8)},
    )  # fmt: skip

    def test_evaluates_the_language_of_the_tables(self):
        env = Env("llama", self.model)
        self.assertEqual(env.evaluate("n_embd_head_k * n_head"), 8)
        self.assertEqual([env.evaluate("n_ff[i]", i) for i in (0, 1)], [12, 0])
        self.assertEqual(env.evaluate("n_embd / n_head if set(n_head_kv) or n_ff[i] > 0 else 7", 1), 7)
        self.assertTrue(env.evaluate('present("blk.%d.attn_q.weight") and ne("blk.%d.attn_q.weight", 1) == 8', 1))
        self.assertTrue(env.evaluate("any_block(n_ff[i] == 0)"))
        self.assertEqual(env.evaluate("(n_embd + 1) / n_head"), 4)
        self.assertIsNone(env.evaluate("n_embd / n_expert"))
        self.assertIsNone(env.evaluate("n_ctx_train"))

    def test_given_values_come_before_the_definition(self):
        self.assertIs(Env("llama", self.model, {"is_swa": [False, True]}).evaluate("is_swa[i]", 1), True)


class MessagesTest(unittest.TestCase):
    def student(self, message):
        student = Student.__new__(Student)
        student.name, student.model = "x", Model({"x.block_count": ("u32", 2), "x.a": ("u32", 2), "x.b": ("u32", (1, 2))})
        student.follow(student.model, message, Answer("rejects", [], {"keys": [["x.c", "get_key<float>", 1, 1]]}))
        return student.model.keys

    def test_follows_the_messages(self):
        self.assertEqual(self.student("key not found in model: x.c")["x.c"], ("f32", 0.5))
        self.assertEqual(self.student("array key not found in model: x.a")["x.a"], ("u32", (0, 1)))
        self.assertEqual(self.student("key x.a has wrong type u32 but expected type i32")["x.a"], ("i32", 2))
        self.assertEqual(self.student("key x.b has wrong array length; expected 3, got 2")["x.b"], ("u32", (1, 2, 1)))

    def test_the_message_that_names_the_fault(self):
        lines = ["x: note", "llama_model_load: error loading model: error loading model hyperparameters: no key", "failed"]
        self.assertEqual(Answer("rejects", lines).why(), "no key")

    def test_an_abort_in_an_earlier_line_is_no_progress(self):
        first = Answer("aborts", ["/x/models/a.cpp:10: GGML_ASSERT(b) failed"])
        second = Answer("aborts", ["/x/models/a.cpp:20: GGML_ASSERT(b) failed"])
        self.assertTrue(earlier(first, second))
        self.assertFalse(earlier(second, first))

    def test_a_model_that_is_too_large_is_not_tried(self):
        class Loader:
            def ask(self, data):
                return Answer("rejects", [], {"tensors": [["x", [MOST_WEIGHTS + 1], 0]]})

        class Loaders:
            strict = lenient = Loader()

        _, answer = settle(Loaders(), Model({"general.architecture": ("str", "x")}))
        self.assertEqual(answer.why(), "the tensors are too large to try")

    def test_types_by_getter(self):
        self.assertEqual([type_of("get_key<float>"), type_of("get_key<std::basic...>"), type_of(None)], ["f32", "str", "u32"])


class FusedLoader:
    """Asks for blk.0.qkv.weight, and without it for blk.0.k.weight, whose width is given, if it is."""

    def __init__(self, width, lenient):
        self.width, self.lenient = width, lenient

    def ask(self, data):
        names = [name for name in ("qkv", "k") if f"blk.0.{name}.weight".encode() in data]
        tensors = [["blk.0.qkv.weight", [8, 24], NOT_REQUIRED]]
        tensors += [] if "qkv" in names or self.width is None else [["blk.0.k.weight", [8, self.width], 0]]
        return Answer("loads" if names or self.lenient else "rejects", [], {"tensors": tensors, "keys": [["x.block_count", "get_key<u32>", 1, 1]]})


class PresenceTest(unittest.TestCase):
    def needed(self, width):
        class Loaders:
            strict, lenient = FusedLoader(width, False), FusedLoader(width, True)

        model = Model({"x.block_count": ("u32", 1)}, {"blk.0.qkv.weight": (8, 24)})
        observer = Observer(Loaders(), "x", model, Loaders.strict.ask(model.build()))
        observer.presence(observer.observations[0])
        return observer.needed

    def test_a_tensor_is_needed_if_no_other_may_be_in_its_place(self):
        self.assertEqual(self.needed(None), {"blk.%d.qkv.weight"})
        self.assertEqual(self.needed(8), set())
        self.assertEqual(self.needed(0), set())  # It would have no elements here.


def load(n_embd, n_ff, blocks, fused=False):
    """Returns what a loader looks up in a model of two tensors a block."""
    keys = {"x.embedding_length": ("u32", n_embd), "x.feed_forward_length": ("u32", n_ff), "x.block_count": ("u32", blocks)}
    tensors, trace = {"token_embd.weight": (n_embd, 7)}, [["token_embd.weight", [n_embd, 7], 0]]
    for i in range(blocks):
        both = [[f"blk.{i}.qkv.weight", [n_embd, 3 * n_embd], 1]]
        if not fused:
            both.append([f"blk.{i}.up.weight", [n_embd, n_ff], 0])
        trace += both
        tensors.update({name: tuple(dims) for name, dims, flags in both if fused or not flags})
    return Observation(Model(keys, tensors), Answer("loads", [], {"tensors": trace, "keys": [["x.a", "", 1, 1]]}))


class DocumentTest(unittest.TestCase):
    def test_explains_observations(self):
        loads = [load(8, 12, 2), load(16, 12, 2), load(8, 20, 3), load(8, 12, 2, fused=True), load(24, 30, 4)]
        document = Document("x", loads)
        rows = document.tensors()
        cells = {row["name"]: (row["shape"], row["required"], row["when"]) for row in rows}
        self.assertEqual(cells["token_embd.weight"], ("[n_embd, 7]", "true", "true"))
        self.assertEqual(cells["blk.%d.qkv.weight"], ("[n_embd, 3 * n_embd]", "false", "true"))
        self.assertEqual(cells["blk.%d.up.weight"], ("[n_embd, n_ff]", "true", 'absent("blk.%d.qkv.weight")'))
        self.assertEqual(document.stacks(), [{"prefix": "blk.", "count": "n_layer"}])
        self.assertEqual(document.unexplained, [])
        needed = {row["name"]: row["needed"] for row in Document("x", loads, {"blk.%d.up.weight"}).tensors()}
        self.assertEqual([name for name in needed if needed[name]], ["blk.%d.up.weight"])
        pairs = [(one, Env("x", one.model)) for one in loads]
        self.assertEqual(disagreements(rows, pairs), {})
        wrong = [{**row, "shape": "[n_ff, n_ff]"} if row["name"] == "blk.%d.up.weight" else row for row in rows]
        against = []
        self.assertEqual(list(disagreements(wrong, pairs, against)), ["blk.%d.up.weight"])
        self.assertEqual(against, [one for one in loads if "blk.0.up.weight" in one.tensors])

    def test_what_loads_refute_in_part_keeps_the_rest(self):
        loads = [load(8, 12, 2), load(16, 12, 2), load(8, 20, 3), load(24, 30, 4)]
        document = Document("x", loads)
        name, points = "blk.%d.up.weight", document.points["blk."]
        observed = [loads[o].tensors.get(f"blk.{i}.up.weight") for o, i in points]
        found = [{"what": "tensor", "name": name, "shape": "[n_embd, n_ff]", "required": "true", "when": "true"}]

        def mended(own):
            return next((rows for rows in document._mended(own, found) if document._agrees(rows, name, observed, own=True)), None)

        wider = {**found[0], "shape": "[n_embd, n_ff[i]]"}
        self.assertEqual(mended([{**wider, "required": "false"}]), [wider])
        self.assertEqual(mended([{**wider, "shape": "[n_embd, n_embd]"}]), found)
        split = [{**wider, "when": "i == 0", "required": "false"}, {**wider, "when": "i > 0", "required": "false"}]
        self.assertEqual(mended(split), [{**row, "required": "true"} for row in split])
        self.assertEqual(list(document._mended([], found)), [])
        either = next(document._mended([{**wider, "required": "n_ff > 0 or n_embd > 8"}], found))
        self.assertEqual(either[0]["required"], "(n_ff > 0 or n_embd > 8) if i < n_layer else has_nextn")

    def test_what_the_loader_looks_up_in_vain(self):
        loads = [load(8, 12, 2), load(16, 12, 3)]
        rows = [{"what": "tensor", "name": "blk.%d.qkv.weight", "shape": "[n_embd, 3 * n_embd]", "required": "false", "when": "n_embd == 9"}]
        for refused, expected in (((), False), (("blk.%d.qkv.weight",), True)):
            document = Document("x", loads, refused=refused)
            observed = [loads[o].tensors[f"blk.{i}.qkv.weight"] for o, i in document.points["blk."]]
            self.assertEqual(document._agrees(rows, rows[0]["name"], observed, own=True), expected)

    def test_a_dimension_that_a_tensor_brings(self):
        loads = []
        for n_embd, width in ((8, 1), (16, 1), (8, 3), (24, 5), (8, 5)):
            shapes = {"a.weight": [n_embd, width], "b.weight": [2 * width, width], "blk.0.c.weight": [n_embd]}
            keys = {"x.embedding_length": ("u32", n_embd), "x.block_count": ("u32", 1)}
            trace = {"tensors": [[name, dims, 0] for name, dims in shapes.items()]}
            loads.append(Observation(Model(keys, {name: tuple(dims) for name, dims in shapes.items()}), Answer("loads", [], trace)))
        rows = Document("x", loads, widths=[("a.weight", 1)]).tensors()
        self.assertEqual([row["shape"] for row in rows], [
            "[n_embd, any]", '[2 * ne("a.weight", 1), ne("a.weight", 1)]', "[n_embd]"])  # fmt: skip

    def test_rounds_through_the_blocks(self):
        loads = []
        for blocks, rounds in ((2, 1), (2, 3), (4, 2), (3, 1), (1, 4)):
            names = [f"blk.{i}.up.weight" for i in range(blocks)] + [f"blk.{i}.up.scale" for i in range(blocks * rounds)]
            keys = {"x.block_count": ("u32", blocks), "x.num_loops": ("u32", rounds)}
            trace = {"tensors": [[name, [1], int("scale" in name)] for name in names]}
            loads.append(Observation(Model(keys, {name: (1,) for name in names if "weight" in name}), Answer("loads", [], trace)))
        document = Document("x", loads)
        self.assertEqual(document.stacks(), [{"prefix": "blk.", "count": "n_layer", "loops": "n_loops"}])
        self.assertEqual([row["when"] for row in document.tensors()], ["true", "true"])

    def test_what_the_loader_tells_of_blocks(self):
        def envs(*models):
            return [Env("x", Model({"x.block_count": ("u32", 4), "x.attention.sliding_window_pattern": value})) for value in models]

        read = {"{arch}.attention.sliding_window_pattern"}
        some = envs(("u32", 2), ("u32", 3), ("u32", (0, 1, 1, 0)))
        rows = define("is_swa", some, [(1, 0, 1, 0), (1, 1, 0, 1), (0, 1, 1, 0)], read)
        self.assertEqual([row["symbol"] for row in rows], ["is_swa"])
        self.assertIn("i % swa_period < swa_period - 1", rows[0]["otherwise"])
        self.assertEqual(define("is_swa", some, [(0,) * 4] * 3, read), [])
        self.assertIsNone(define("is_swa", some, [(1, 1, 1, 0), (0, 0, 0, 0), (0, 0, 1, 0)], read))
        period = define("is_swa", [*some, Env("x", Model({"x.block_count": ("u32", 7)}))],
                        [(1, 0, 1, 0), (1, 1, 0, 1), (0, 1, 1, 0), (1, 1, 1, 1, 1, 0, 1)], read)  # fmt: skip
        self.assertTrue(period[1]["otherwise"].endswith(" else 6"))

    def test_names(self):
        self.assertEqual(folded("dec.blk.12.attn_q.weight"), "dec.blk.%d.attn_q.weight")
        self.assertEqual([block("blk.3.a.weight"), block("output.weight")], [3, None])
        self.assertEqual([stack_of("blk.%d.a"), stack_of("output.weight")], ["blk.", None])


if __name__ == "__main__":
    unittest.main()
