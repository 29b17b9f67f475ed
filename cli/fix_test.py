"""`ggufcheck fix` from end to end: what it writes, refuses, and leaves behind.

Usage: fix_test.py GGUFCHECK GOOD_FILE [KILLS]

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

GGUFCHECK = os.path.abspath(sys.argv[1])
GOOD = os.path.abspath(sys.argv[2])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 200


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def model(keys=(), tensors=1, tensor_bytes=128, version=3, trailing=b"", offset=0):
    """Returns a file whose tensors are numbered bytes."""
    out = b"GGUF" + struct.pack("<IQQ", version, tensors, 2 + len(keys))
    out += text("general.architecture") + struct.pack("<I", 8) + text("llama")
    out += text("general.name") + struct.pack("<I", 8) + text("Tiny")
    for key, kind, value in keys:
        out += text(key) + struct.pack("<I", kind) + value
    for i in range(tensors):
        out += text(f"w{i}") + struct.pack("<IQIQ", 1, tensor_bytes // 4, 0,
                                           offset + i * tensor_bytes)
    out += bytes(-len(out) % 32)
    data = bytes(i % 251 for i in range(tensors * tensor_bytes))
    return out + bytes(offset) + data + trailing


def u32(value):
    return struct.pack("<I", value)


def string(value):
    return text(value)


BAD_FILE_TYPE = [("general.file_type", 4, u32(7))]


class FixTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "model.gguf")
        self.new = os.path.join(self.folder.name, "new.gguf")

    def tearDown(self):
        self.folder.cleanup()

    def write(self, content, path=None):
        with open(path or self.path, "wb") as file:
            file.write(content)

    def read(self, path=None):
        with open(path or self.path, "rb") as file:
            return file.read()

    def run_fix(self, *args, **options):
        return subprocess.run([GGUFCHECK, "fix", *args], capture_output=True, text=True,
                              check=False, **options)

    def fix(self, *args, code=None, path=None, **options):
        """Runs fix, with JSON, and returns the result."""
        done = self.run_fix(path or self.path, "--format", "json", *args, **options)
        if code is not None:
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def refuse(self, why, *args, code=3, path=None, **options):
        before = sorted(os.listdir(self.folder.name))
        done = self.run_fix(path or self.path, *args, **options)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(why, done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder.name)), before)

    def rules(self, path, *args):
        done = subprocess.run([GGUFCHECK, "check", "--no-config", "--format", "json", *args, path],
                              capture_output=True, text=True, check=False)
        return {f["rule"] for f in json.loads(done.stdout)["files"][0]["findings"]}

    def test_a_version_and_the_layout_are_fixed(self):
        self.write(model(version=2, tensors=3, tensor_bytes=36))
        self.assertLessEqual({"header-version-current", "tensor-offset-aligned"},
                             self.rules(self.path))
        result = self.fix("--output", self.new)
        self.assertTrue(result["written"])
        rules = {change["rule"] for change in result["files"][0]["changes"]}
        self.assertLessEqual({"header-version-current", "tensor-offset-aligned"}, rules)
        self.assertFalse({"header-version-current", "tensor-offset-aligned"}
                         & self.rules(self.new))
        old, new = self.read(), self.read(self.new)
        for i in range(3):
            data = bytes(n % 251 for n in range(i * 36, i * 36 + 36))
            self.assertIn(data, old)
            self.assertIn(data, new)
        self.fix("--output", self.new + "2", path=self.new)
        self.assertFalse(os.path.exists(self.new + "2"))

    def test_a_diff_writes_nothing(self):
        self.write(model(BAD_FILE_TYPE))
        before = self.read()
        done = self.run_fix(self.path, "--diff", "--set", "general.file_type=1")
        self.assertIn("general.file_type].value: 7 -> 1  [as asked]", done.stdout)
        self.assertEqual(self.read(), before)
        self.assertEqual(os.listdir(self.folder.name), ["model.gguf"])

    def test_wishes(self):
        self.write(model([("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 2) + string("<s>")
                           + string("</s>"))]))
        template = os.path.join(self.folder.name, "template")
        self.write(b"{{ messages }}", template)
        result = self.fix("--output", self.new, "--set", "llama.context_length=8192",
                          "--set", "general.tags=[\"a\",\"b\"]", "--set-token", "eos=</s>",
                          "--template", template, "--remove", "general.name", "--profile", "safety")
        changes = {change["subject"]: (change["from"], change["to"])
                   for change in result["files"][0]["changes"]}
        self.assertEqual(changes, {
            "kv[llama.context_length].value": ("", "8192"),
            "kv[general.tags].value": ("", '["a", "b"]'),
            "kv[tokenizer.ggml.eos_token_id].value": ("", "1"),
            "kv[tokenizer.chat_template].value": ("", '"{{ messages }}"'),
            "kv[general.name]": ('"Tiny"', "")})
        dump = subprocess.run([GGUFCHECK, "dump", self.new], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn('{"key":"llama.context_length","type":"u32","value":"8192"}', dump)

    def test_usage(self):
        self.write(model())
        self.refuse("one of --output", code=2)
        self.refuse("overwrite", "--output", self.path, code=2)
        link = os.path.join(self.folder.name, "link")
        os.link(self.path, link)
        self.refuse("overwrite", "--output", link, code=2)
        for wish in ("general.name", "nobody.knows=1", "llama.block_count=x"):
            self.refuse("--set", "--diff", "--set", wish, code=2)
        self.refuse("no such token", "--diff", "--set-token", "eos=</s>", code=2)
        self.refuse("no such key", "--diff", "--remove", "nobody.knows", code=2)
        self.fix("--diff", "--set", "nobody.knows=1", "--set-type", "u8", "--profile", "safety")

    def test_a_wish_that_breaks_the_file_is_refused(self):
        self.write(model())
        self.refuse("new findings", "--output", self.new, "--set", "general.type=adapter")
        self.refuse("without the layout", "--output", self.new, "--set", "general.alignment=64",
                    "--set-type", "u32", code=2)

    def test_refusals_in_place(self):
        self.write(model(version=2))
        link = os.path.join(self.folder.name, "link.gguf")
        os.symlink(self.path, link)
        self.refuse("it is a link", "--in-place", path=link)
        hard = os.path.join(self.folder.name, "hard.gguf")
        os.link(self.path, hard)
        self.refuse("several names", "--in-place")
        os.unlink(hard)
        blob = os.path.join(self.folder.name, "sha256-" + "0a" * 32)
        os.rename(self.path, blob)
        self.refuse("by its hash", "--in-place", path=blob)

    def test_refusals(self):
        self.refuse("only files on disk", "--output", self.new, path="-")
        self.refuse("only files on disk", "--output", self.new, path="https://example.org/a.gguf")
        os.mkfifo(self.path)
        self.refuse("only files on disk", "--output", self.new)
        os.unlink(self.path)
        self.write(b"lmgg" + bytes(64))
        self.refuse("convert it first", "--output", self.new)
        self.write(model()[:60])
        self.refuse("cannot be read to its end", "--output", self.new)
        self.write(model() + model())
        self.refuse("begins again", "--output", self.new)
        one = os.path.join(self.folder.name, "m-00001-of-00002.gguf")
        self.write(model([("split.no", 2, b"\0\0"), ("split.count", 2, b"\2\0"),
                          ("split.tensors.count", 5, u32(2))], version=2), one)
        self.refuse("shards", "--output", self.new, path=one)

    def test_a_folder_without_permission(self):
        closed = os.path.join(self.folder.name, "closed")
        os.mkdir(closed)
        self.write(model(version=2))
        os.chmod(closed, 0o555)
        if os.access(closed, os.W_OK):  # As root: a folder that cannot have files.
            closed = "/proc/self"
        self.refuse("cannot write", "--output", os.path.join(closed, "new.gguf"))

    def test_a_full_disk(self):
        self.write(model(version=2, tensors=1, tensor_bytes=1 << 20, trailing=bytes(32)))

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19))

        before = self.read()
        self.refuse("cannot write", "--output", self.new, "--unsafe", preexec_fn=limit)
        self.refuse("cannot write", "--in-place", "--unsafe", preexec_fn=limit)
        self.assertEqual(self.read(), before)

    def test_one_page_is_patched(self):
        self.write(model(version=2, tensor_bytes=8192))
        inode = os.stat(self.path).st_ino
        before = self.read()
        self.fix("--in-place")
        self.assertEqual(os.stat(self.path).st_ino, inode)
        self.assertEqual(self.read(), before[:4] + u32(3) + before[8:])

    def test_more_is_a_new_file_of_the_same_mode(self):
        self.write(model(trailing=bytes(96)))
        os.chmod(self.path, 0o640)
        inode = os.stat(self.path).st_ino
        self.fix("--in-place", "--unsafe")
        self.assertNotEqual(os.stat(self.path).st_ino, inode)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o640)
        self.assertEqual(self.read(), model())

    def test_values_of_the_source(self):
        source = os.path.join(self.folder.name, "source")
        os.mkdir(source)
        with open(os.path.join(source, "config.json"), "w", encoding="utf-8") as file:
            json.dump({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 8,
                       "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 12,
                       "rope_theta": 500000.0, "rms_norm_eps": 1e-5, "max_position_embeddings": 128,
                       "vocab_size": 10}, file)
        keys = [("llama.block_count", 4, u32(2)), ("llama.context_length", 4, u32(32)),
                ("llama.embedding_length", 4, u32(8)), ("llama.feed_forward_length", 4, u32(12)),
                ("llama.attention.head_count", 4, u32(2))]
        self.write(model(keys))
        done = self.fix("--source", source, "--output", self.new)
        changes = {c["subject"]: c["to"] for c in done["files"][0]["changes"]}
        self.assertEqual(changes.get("kv[llama.context_length].value"), "128", changes)
        self.assertEqual(changes.get("kv[llama.rope.freq_base].value"), "500000", changes)
        self.assertNotIn("kv[llama.block_count].value", changes)
        self.refuse("no-folder", "--diff", "--source", "no-folder")

    def test_shards_are_a_set(self):
        for number in range(2):
            keys = [("split.no", 2, struct.pack("<H", number)), ("split.count", 2, b"\2\0"),
                    ("split.tensors.count", 5, u32(2))]
            content = model(keys, version=2).replace(b"w0", b"w%d" % number)
            self.write(content, os.path.join(self.folder.name, f"m-0000{number + 1}-of-00002.gguf"))
        out = os.path.join(self.folder.name, "out")
        first = os.path.join(self.folder.name, "m-00001-of-00002.gguf")
        self.refuse("must exist", "--output", out, path=first, code=2)
        os.mkdir(out)
        result = self.fix("--output", out, path=first)
        self.assertEqual(len(result["files"]), 2)
        self.assertEqual(len(os.listdir(out)), 2)
        for name in os.listdir(out):
            self.assertEqual(self.read(os.path.join(out, name))[4], 3)

    def test_a_changing_input(self):
        content = model(tensors=1, tensor_bytes=48 << 20, trailing=bytes(32))
        self.write(content)
        with subprocess.Popen([GGUFCHECK, "fix", self.path, "--output", self.new, "--unsafe"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            while child.poll() is None:
                with open(self.path, "r+b") as file:
                    file.write(b"GGUF")
            _, errors = child.communicate()
        if child.returncode == 3:
            self.assertRegex(errors.decode(), "changed|shrank|shorter")
            self.assertEqual(os.listdir(self.folder.name), ["model.gguf"])

    def test_a_killed_run_leaves_the_old_file_or_the_new_one(self):
        old, new = model(tensors=4, tensor_bytes=1 << 20, trailing=bytes(32)), model(
            tensors=4, tensor_bytes=1 << 20)
        numbers = random.Random(1)
        begin = time.monotonic()
        self.write(old)
        self.fix("--in-place", "--unsafe")
        usual = time.monotonic() - begin
        killed = 0
        for _ in range(KILLS):
            self.write(old)
            with subprocess.Popen([GGUFCHECK, "fix", self.path, "--in-place", "--unsafe"],
                                  stdout=subprocess.DEVNULL) as child:
                time.sleep(numbers.random() * usual)
                child.kill()
            killed += child.returncode == -signal.SIGKILL
            self.assertIn(self.read(), (old, new))
        self.assertGreater(killed, KILLS // 4)
        self.write(old)
        self.fix("--in-place", "--unsafe")
        self.assertEqual(self.read(), new)
        self.assertEqual(os.listdir(self.folder.name), ["model.gguf"])

    def test_check_names_the_command(self):
        self.write(model(version=2))
        done = subprocess.run([GGUFCHECK, "check", "--no-config", self.path], capture_output=True,
                              text=True, check=False)
        self.assertRegex(done.stdout, r"fix: \d+ findings?: ggufcheck fix .*model.gguf --output NEW")

    def test_a_good_file_stays(self):
        done = self.run_fix(GOOD, "--output", self.new)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("nothing is changed", done.stdout)
        self.assertFalse(os.path.exists(self.new))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
