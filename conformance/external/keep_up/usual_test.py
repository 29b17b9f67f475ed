"""Tests converters.py and learn_usual.py on small sources.

SPDX-License-Identifier: Apache-2.0
"""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from converters import Converters  # noqa: E402
from learn_usual import Usual  # noqa: E402
from shared_tables import Tables  # noqa: E402

CONSTANTS = """
class Keys:
    class General:
        FILE_TYPE = "general.file_type"
    class LLM:
        SCALE = "{arch}.scale"
        WINDOW = "{arch}.window"
        BASE = "{arch}.base"
        PART = "{arch}.{id}.part"
MODEL_ARCH_NAMES: dict = {MODEL_ARCH.ONE: "one", MODEL_ARCH.TWO: "two"}
"""
WRITER = """
class GGUFWriter:
    def add_file_type(self, value):
        self.add_uint32(Keys.General.FILE_TYPE, value)
    def add_scale(self, value):
        self.add_float32(Keys.LLM.SCALE.format(arch=self.arch), value)
    def add_window(self, value):
        if isinstance(value, int):
            self.add_uint32(Keys.LLM.WINDOW.format(arch=self.arch), value)
        else:
            self.add_array(Keys.LLM.WINDOW.format(arch=self.arch), value)
    def add_base(self, value):
        self.add_float32(Keys.LLM.BASE.format(arch=self.arch), value)
    def add_part(self, value):
        self.add_float32(Keys.LLM.PART.format(arch=self.arch, id=1), value)
"""
BASE = """
class ModelBase: pass
class TextModel(ModelBase):
    def set_gguf_parameters(self):
        self.gguf_writer.add_file_type(self.ftype)
class MmprojModel(ModelBase):
    def set_gguf_parameters(self):
        self.gguf_writer.add_base(1)
"""
FILES = {
    "standard_keys.tsv": "key!:text\tloader:text\tarray_length:text\n"
                         "{arch}.scale\tf32\t0\n{arch}.window\tu32\t0\n{arch}.base\tf32\t0\n",
    "architectures/one.tsv": "what\tname\tvalue\trequired\twhen\nfirst\tmodel\tb1\t\t\n"
                             "key\t{arch}.scale\t\t\t\nkey\t{arch}.window\t\ttrue\t\nkey\t{arch}.base\t\t\t\n",
    "architectures/groups/every.tsv": "what\tname\tvalue\trequired\twhen\n",
    "architectures/groups/loader.tsv": "what\tname\tvalue\trequired\twhen\n",
    "usual.tsv": "what\tnames\twhen\twithout\tfirst\tby\tarchitectures\n",
    "exempt_usual.tsv": "key\tarchitectures\treason\n",
    "tiny_models.tsv": "kind\tname\tvalue\n",
}  # fmt: skip


class UsualTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name

    def write(self, files):
        for name, text in files.items():
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as out:
                out.write(text)

    def converters(self, classes):
        self.write({"conversion/base.py": BASE, "conversion/models.py": classes, "gguf-py/gguf/constants.py": CONSTANTS,
                    "gguf-py/gguf/gguf_writer.py": WRITER})  # fmt: skip
        return Converters(self.root)

    def written(self, body, more=""):
        """Returns what a class with these statements writes for every model."""
        text = "@ModelBase.register('A')\nclass A(TextModel):\n    model_arch = gguf.MODEL_ARCH.ONE\n" \
               "    def set_gguf_parameters(self):\n" + "".join(f"        {line}\n" for line in body.split("\n")) + more  # fmt: skip
        return self.converters(text).usual().get("one", [])

    def test_what_every_path_writes(self):
        scale, window = "self.gguf_writer.add_scale(1)", "self.gguf_writer.add_window(1)"
        for body, expected in (
            (scale, ["{arch}.scale"]),
            (f"super().set_gguf_parameters()\n{window}", ["{arch}.window"]),
            (f"if x:\n    {scale}", []),
            (f"if x:\n    {scale}\nelse:\n    {scale}\n    {window}", ["{arch}.scale"]),
            (f"if x:\n    {scale}\nelse:\n    raise ValueError()", ["{arch}.scale"]),
            (f"if x:\n    return\n{scale}", []),
            (f"if x:\n    {scale}\n    return\n{scale}\n{window}", ["{arch}.scale"]),
            (f"if x:\n    raise ValueError()\n{scale}", ["{arch}.scale"]),
            (f"for x in y:\n    {scale}", []),
            (f"with x:\n    {scale}", ["{arch}.scale"]),
            (f"try:\n    {scale}\nexcept E:\n    pass", []),
            (f"try:\n    {scale}\nexcept E:\n    raise", ["{arch}.scale"]),
            ("self.gguf_writer.add_part(1)", []),
            ("self.gguf_writer.add_file_type(1)", []),  # So does the base.
        ):
            self.assertEqual(self.written(body), expected, body)

    def test_methods_of_bases(self):
        more = "    def set_vocab(self):\n        self.helper()\n    def helper(self):\n        self.gguf_writer.add_window(1)\n"
        self.assertEqual(self.written("pass", more), ["{arch}.window"])
        more = "@ModelBase.register('B')\nclass B(A):\n    def set_gguf_parameters(self):\n" \
               "        TextModel.set_gguf_parameters(self)\n        self.gguf_writer.add_window(1)\n"  # fmt: skip
        both = "self.gguf_writer.add_scale(1)\nself.gguf_writer.add_window(1)"
        self.assertEqual(self.written(both, more), ["{arch}.window"])  # What all classes of the architecture write.

    def test_architectures_of_a_class(self):
        classes = "@ModelBase.register('A')\nclass A(TextModel):\n    model_arch = gguf.MODEL_ARCH.ONE\n" \
                  "    def __init__(self):\n        self.model_arch = gguf.MODEL_ARCH.TWO if x else gguf.MODEL_ARCH.ONE\n" \
                  "    def set_vocab(self):\n        self.gguf_writer.add_scale(1)\n" \
                  "@ModelBase.register('P')\nclass P(MmprojModel):\n    model_arch = gguf.MODEL_ARCH.ONE\n"  # fmt: skip
        self.assertEqual(self.converters(classes).usual(), {"one": ["{arch}.scale"], "two": ["{arch}.scale"]})
        self.assertEqual(self.converters(classes).mentioned("two"), {"{arch}.scale", "general.file_type"})

    def test_differences_from_the_table(self):
        self.write(FILES)
        usual = lambda: Usual(Tables(self.root))  # noqa: E731
        written = {"one": ["{arch}.base", "{arch}.scale", "{arch}.window"], "unknown": ["{arch}.scale"]}
        row = "key\t{arch}.%s\t\t?\t-\tconverter\tone"
        # No loader demands scale and base.
        self.assertEqual(usual().differences(written), ["+ " + row % "base", "+ " + row % "scale"])
        self.write({"exempt_usual.tsv": FILES["exempt_usual.tsv"] + "{arch}.base\ttwo,one\treason\n",
                    "usual.tsv": FILES["usual.tsv"] + row % "scale" + "\n"})  # fmt: skip
        self.assertEqual(usual().differences(written), [])
        self.assertEqual(usual().differences({"one": ["{arch}.base"]}),
                         ["- one {arch}.scale: the converters do not write it for every model"])  # fmt: skip
        usual().write_first({("one", "{arch}.scale"): "b30"})
        self.assertEqual(usual().rows[0][4], "b30")


if __name__ == "__main__":
    unittest.main()
