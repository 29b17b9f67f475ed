"""The first thing that `check` says of a broken file is what is wrong with it.

    diagnosis_test.py GGUFCHECK TEXT CASE...
    diagnosis_test.py --keep FOLDER GGUFCHECK TEXT CASE...

Breaks sound models in one place each, in ways in which models on the net are broken.  The
first finding or cause of the report must name the fault in words, near its top.  TEXT is
what the vocabulary of the model is made from.  With --keep, the files are left in FOLDER,
under names that do not tell what is wrong, for people to try: a message that they do not
understand within a minute is to be mended.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import itertools
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

BLOCKS, WIDTH, HEADS, KV_HEADS, FORWARD = 4, 256, 4, 2, 512
MERGES = 600
CHATML = ("{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + "
          "message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
          "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
# How Qwen2 splits text of ASCII into words.
WORDS = re.compile(r"'(?:s|t|re|ve|m|ll|d)|[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]|"
                   r" ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def byte_letters():
    """Returns the letter of each byte in a vocabulary of byte-level BPE."""
    shown = [*range(0x21, 0x7f), *range(0xa1, 0xad), *range(0xae, 0x100)]
    others = (byte for byte in range(256) if byte not in shown)
    codes = {byte: byte for byte in shown} | {byte: 256 + i for i, byte in enumerate(others)}
    return [chr(codes[byte]) for byte in range(256)]


def train(text):
    """Returns the tokens and the merges of a vocabulary."""
    letters = byte_letters()
    counts = collections.Counter(WORDS.findall(text))
    words = {tuple(letters[byte] for byte in word.encode()): n for word, n in counts.items()}
    tokens, merges = sorted(letters), []
    while len(merges) < MERGES:
        pairs = collections.Counter()
        for word, n in words.items():
            for pair in itertools.pairwise(word):
                pairs[pair] += n
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(" ".join(best))
        tokens.append("".join(best))
        joined = {}
        for word, n in words.items():
            parts, i = [], 0
            while i < len(word):
                size = 2 if word[i:i + 2] == best else 1
                parts.append("".join(word[i:i + size]))
                i += size
            joined[tuple(parts)] = n
        words = joined
    return tokens, merges


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace(
        "#", "\\x23") + '"'


class Weights:
    """Makes data as trained weights have it."""

    def __init__(self):
        self.random = random.Random(1)

    def q8_0(self, count):
        return b"".join(
            struct.pack("<e", self.random.uniform(1e-4, 4e-4)) + self.random.randbytes(32)
            for _ in range(count // 32))

    def f32(self, count, middle):
        return struct.pack(f"<{count}f",
                           *(self.random.gauss(middle, 0.05) for _ in range(count)))


class Model:
    """The keys and tensors of a GGUF file, as values and fields of the language of cases."""

    def __init__(self):
        self.keys = {}
        self.tensors = {}  # (type, dims, data)

    def copy(self):
        other = Model()
        other.keys, other.tensors = dict(self.keys), dict(self.tensors)
        return other

    def text(self):
        return "gguf 3\n" + "".join(
            f"kv {quoted(key)} {value}\n" for key, value in self.keys.items()) + "".join(
                f'tensor "{name}" {kind} [{" ".join(map(str, dims))}] data {{ x"{data.hex()}" }}\n'
                for name, (kind, dims, data) in self.tensors.items())


def chat_model(text):
    tokens, merges = train(text)
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    vocabulary = tokens + special
    model = Model()
    model.keys = {
        "general.architecture": 'str "qwen2"',
        "general.type": 'str "model"',
        "general.name": 'str "Small Chat"',
        "general.size_label": 'str "2.6M"',
        "general.license": 'str "apache-2.0"',
        "general.file_type": "u32 7",
        "general.quantization_version": "u32 2",
        "qwen2.block_count": f"u32 {BLOCKS}",
        "qwen2.context_length": "u32 32768",
        "qwen2.embedding_length": f"u32 {WIDTH}",
        "qwen2.feed_forward_length": f"u32 {FORWARD}",
        "qwen2.attention.head_count": f"u32 {HEADS}",
        "qwen2.attention.head_count_kv": f"u32 {KV_HEADS}",
        "qwen2.rope.freq_base": "f32 1000000",
        "qwen2.attention.layer_norm_rms_epsilon": "f32 0.000001",
        "tokenizer.ggml.model": 'str "gpt2"',
        "tokenizer.ggml.pre": 'str "qwen2"',
        "tokenizer.ggml.tokens": f"arr str [{' '.join(map(quoted, vocabulary))}]",
        "tokenizer.ggml.token_type": f"arr i32 [repeat {len(tokens)} 1 3 3 3]",
        "tokenizer.ggml.merges": f"arr str [{' '.join(map(quoted, merges))}]",
        "tokenizer.ggml.eos_token_id": f"u32 {vocabulary.index('<|im_end|>')}",
        "tokenizer.ggml.padding_token_id": f"u32 {vocabulary.index('<|endoftext|>')}",
        "tokenizer.ggml.add_bos_token": "bool 0",
        "tokenizer.chat_template": f"str {quoted(CHATML)}",
    }
    weights = Weights()

    def matrix(name, *dims):
        model.tensors[name] = ("Q8_0", dims, weights.q8_0(dims[0] * dims[1]))

    def vector(name, size, middle):
        model.tensors[name] = ("F32", (size,), weights.f32(size, middle))

    matrix("token_embd.weight", WIDTH, len(vocabulary))
    kv_width = WIDTH // HEADS * KV_HEADS
    for block in (f"blk.{i}." for i in range(BLOCKS)):
        vector(block + "attn_norm.weight", WIDTH, 1)
        for name, width in (("q", WIDTH), ("k", kv_width), ("v", kv_width)):
            matrix(f"{block}attn_{name}.weight", WIDTH, width)
            vector(f"{block}attn_{name}.bias", width, 0)
        matrix(block + "attn_output.weight", WIDTH, WIDTH)
        vector(block + "ffn_norm.weight", WIDTH, 1)
        matrix(block + "ffn_gate.weight", WIDTH, FORWARD)
        matrix(block + "ffn_up.weight", WIDTH, FORWARD)
        matrix(block + "ffn_down.weight", FORWARD, WIDTH)
    vector("output_norm.weight", WIDTH, 1)
    return model


def split(model, count):
    """Returns the model as shards."""
    names = list(model.tensors)
    shards = []
    for number in range(count):
        shard = Model()
        shard.keys = (dict(model.keys) if number == 0 else {}) | {
            "split.no": f"u16 {number}",
            "split.count": f"u16 {count}",
            "split.tensors.count": f"i32 {len(names)}",
        }
        share = names[len(names) * number // count:len(names) * (number + 1) // count]
        shard.tensors = {name: model.tensors[name] for name in share}
        shards.append(shard)
    return shards


def with_key(model, key, value):
    other = model.copy()
    if value is None:
        del other.keys[key]
    else:
        assert key in other.keys
        other.keys[key] = value
    return other


def with_nan(model, name):
    other = model.copy()
    kind, dims, data = other.tensors[name]
    other.tensors[name] = (kind, dims, data[:80] + struct.pack("<f", float("nan")) + data[84:])
    return other


class Folder:
    """A folder of files, which the program assembles."""

    def __init__(self, program, cases, path):
        self.program, self.cases, self.path = program, cases, path

    def assemble(self, name, text):
        source = self.path / "text"
        source.write_text(text)
        subprocess.run([self.program, "corpus", "assemble", source, "-o", self.path / name],
                       check=True, stdout=subprocess.DEVNULL)
        source.unlink()

    def add_case(self, name, case):
        subprocess.run([self.program, "corpus", "assemble", self.cases[case], "-o",
                        self.path / name], check=True, stdout=subprocess.DEVNULL)

    def check(self, *arguments):
        """Returns the lines of the report."""
        run = subprocess.run([self.program, "check", "--no-config", *arguments], cwd=self.path,
                             capture_output=True, text=True, check=False)
        assert run.returncode in (0, 1), run.stderr
        return run.stdout.splitlines()


# The arguments of `check`, and what its first finding or cause must say.
Broken = collections.namedtuple("Broken", "arguments says")


def make(folder, text):
    """Makes the sound files and the broken ones; returns the arguments of `check` for each."""
    sound = chat_model(text)
    folder.assemble("sound.gguf", sound.text())
    folder.add_case("sound-projector.gguf", "valid-projector")
    folder.add_case("sound-base.gguf", "valid-tiny-llama")
    for i, shard in enumerate(split(sound, 3), 1):
        folder.assemble(f"sound-0000{i}-of-00003.gguf", shard.text())

    # The token of a frequent word.
    word = sound.keys["tokenizer.ggml.tokens"].split().index('"Ġthe"') - 2
    changes = [
        ("tokenizer.ggml.eos_token_id", f"u32 {word}",
         rf'eos_token_id\]\.value is {word}, the token "Ġthe", .*"<\|im_end\|>" is token'),
        ("tokenizer.ggml.pre", 'str "gpt-2"', r'tokenizer\.ggml\.pre\].* "gpt-2".*"qwen2"'),
        ("qwen2.rope.freq_base", None, r"qwen2\.rope\.freq_base\] is absent"),
        ("qwen2.attention.head_count_kv", "u32 4", r"head_count_kv is 4, but .* a model in which it is 2\b"),
    ]
    broken = []

    def add(model, says, *more):
        name = f"{len(broken) + 1:02}.gguf"
        folder.assemble(name, model.text())
        broken.append(Broken([*more, name], says))

    for key, value, says in changes:
        add(with_key(sound, key, value), says)
    add(sound, "The file is truncated: ")
    whole = (folder.path / "05.gguf").read_bytes()
    (folder.path / "05.gguf").write_bytes(whole[:len(whole) * 2 // 3])
    for place, shard in zip((1, 3, 2), split(sound, 3)):
        folder.assemble(f"06-0000{place}-of-00003.gguf", shard.text())
    broken.append(Broken(["06-00001-of-00003.gguf"],
                         "This is shard 3 of 3, named as shard 2; .*06-00003-of-00003.gguf"))
    add(with_key(sound, "tokenizer.chat_template",
                 f"str {quoted(CHATML.replace('{% endfor %}', ''))}"),
        r'chat_template\]\.value has "for", which begins a block that is never closed')
    add(with_nan(sound, "blk.2.ffn_norm.weight"),
        r"blk\.2\.ffn_norm\.weight\].*1 (weight )?.*NaN", "--weights")
    folder.add_case("09.gguf", "valid-projector")
    broken.append(Broken(["--base", "sound.gguf", "09.gguf"], "vectors of length 8, but the inputs of the base have length 256"))
    add(with_key(sound, "general.file_type", "u32 15"),
        r"file_type\].* 15 \(Q4_K_M\).*Q8_0")
    return broken


SOUND = (["--weights", "sound.gguf"], ["--weights", "sound-00001-of-00003.gguf"],
         ["--base", "sound-base.gguf", "sound-projector.gguf"])
# A finding or cause, and what only introduces it.
FINDING = re.compile(r"  (?:error|warning|note): |    (?:0x\w+  )?[\w.]+[\[.]|    file\.")
MOST_LINES_BEFORE = 4


def main():
    parser = argparse.ArgumentParser(description="Tests what is said first of broken files.")
    parser.add_argument("--keep", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("text", type=pathlib.Path)
    parser.add_argument("cases", type=pathlib.Path, nargs="+")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as temporary:
        path = options.keep or pathlib.Path(temporary)
        path.mkdir(exist_ok=True)
        folder = Folder(options.program.resolve(), {case.stem: case.resolve()
                                                    for case in options.cases}, path)
        broken = make(folder, options.text.read_text())
        failures = 0
        for arguments in SOUND:
            lines = folder.check(*arguments)
            if any(FINDING.match(line) for line in lines):
                failures += 1
                print("\n".join(["sound, but:", *lines]))
        for arguments, says in broken:
            lines = folder.check(*arguments)
            first = next((i for i, line in enumerate(lines) if FINDING.match(line)), len(lines))
            if first > MOST_LINES_BEFORE or not re.search(says, "\n".join(lines[first:first + 1])):
                failures += 1
                print("\n".join([f"{arguments}: does not begin with {says}", *lines]))
    print(f"{len(broken)} broken files, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
