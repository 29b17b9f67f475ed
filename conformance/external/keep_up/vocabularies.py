"""Tries small vocabularies with llama.cpp: what a tokenizer and a pre-tokenizer do.

SPDX-License-Identifier: Apache-2.0
"""

import re

from model import Model
from wasm_loader import WasmLoader

WIDTH, FEED_FORWARD = 8, 12
LLAMA = {
    "general.architecture": ("str", "llama"),
    "llama.context_length": ("u32", 32),
    "llama.embedding_length": ("u32", WIDTH),
    "llama.block_count": ("u32", 1),
    "llama.feed_forward_length": ("u32", FEED_FORWARD),
    "llama.attention.head_count": ("u32", 2),
    "llama.attention.layer_norm_rms_epsilon": ("f32", 1e-5),
}
BLOCK = {
    "attn_norm": (WIDTH,), "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH),
    "attn_output": (WIDTH, WIDTH), "ffn_norm": (WIDTH,), "ffn_gate": (WIDTH, FEED_FORWARD),
    "ffn_up": (WIDTH, FEED_FORWARD), "ffn_down": (FEED_FORWARD, WIDTH),
}  # fmt: skip
TOKENS = ("<unk>", "<s>", "</s>", *(f"t{i}" for i in range(150)))  # The default ids of BERT are above 100.
BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
NORMAL, BYTE = 1, 6  # tokenizer.ggml.token_type.

# The columns of tokenizers.tsv, and llama.cpp's words.
IDS = {"bos": "BOS", "eos": "EOS", "unknown": "UNK", "separator": "SEP", "padding": "PAD", "mask": "MASK"}
ADDED = {"bos": "bos", "eos": "eos", "separator": "seperator"}
NO_VOCABULARY = "no vocab"
KINDS = {NO_VOCABULARY: "none", "SPM": "spm", "BPE": "bpe", "WPM": "wpm", "UGM": "ugm", "RWKV": "rwkv", "PLaMo2": "plamo2"}


def vocabulary(tokenizer, pre="default", with_bytes=False, **ids):
    """Returns a model with a vocabulary, and token ids by the names of their keys."""
    tokens = TOKENS + (BYTES if with_bytes else ())
    keys = {
        **LLAMA,
        "tokenizer.ggml.model": ("str", tokenizer),
        "tokenizer.ggml.pre": ("str", pre),
        "tokenizer.ggml.tokens": ("str", tokens),
        "tokenizer.ggml.scores": ("f32", (0.5,) * len(tokens)),
        "tokenizer.ggml.token_type": ("i32", (NORMAL,) * len(TOKENS) + (BYTE,) * (len(tokens) - len(TOKENS))),
        "tokenizer.ggml.merges": ("str", ("t 1",)),
        **{f"tokenizer.ggml.{name}_token_id": ("u32", value) for name, value in ids.items()},
    }
    tensors = {"token_embd.weight": (WIDTH, len(tokens)), "output_norm.weight": (WIDTH,)}
    tensors.update({f"blk.0.{name}.weight": dims for name, dims in BLOCK.items()})
    return Model(keys, tensors)


class Vocabularies:
    """A loader that also tokenizes."""

    def __init__(self, modules):
        self._loader = WasmLoader(modules, script="load_vocabularies.mjs")

    def close(self):
        self._loader.close()

    def _ask(self, *args, **ids):
        return self._loader.ask(vocabulary(*args, **ids).build())

    def pre_tokenizer(self, name):
        """Returns the cell `bos` of pre_tokenizers.tsv, and what the table cannot say."""
        answer = self._ask("gpt2", name)
        if not answer.loads:
            return None, answer.why()
        added, _ = self._texts("gpt2", name)
        rest = sorted(set(added) - {"bos"})
        unsaid = f"it adds {', '.join(rest)}" if rest else ""
        has_default = any("BOS token" in text for text in answer.messages)
        return "added" if "bos" in added else "default" if has_default else "none", unsaid

    def _texts(self, *args):
        """Returns the tokens that are added to each text, and whether a text that no token has can be tokenized."""
        ids = {name: 3 + i for i, name in enumerate(ADDED)}  # Without one, it may abort.
        texts = self._ask(*args, **{ADDED[name]: value for name, value in ids.items()}).texts
        added = [name for name, value in ids.items() if texts and value in texts[0]]
        return added, len(texts) > 1 and not isinstance(texts[1], str)

    def tokenizer(self, name, rows):
        """Returns the cells of tokenizers.tsv, and what no trial tells; `rows` are those of the table."""
        plain, full = self._ask(name), self._ask(name, with_bytes=True)
        answer, with_bytes = (plain, False) if plain.loads else (full, True)
        text = "\n".join(answer.messages)
        kind = re.search(r"vocab type\s+= (.*)", text)
        if not kind or not (answer.loads or kind[1] == NO_VOCABULARY):
            return None, answer.why()
        cells = {"known_to": "loader", "kind": KINDS.get(kind[1], "other"), "pre": "unread", "byte_tokens": "unread", "adds": ""}
        if kind[1] != NO_VOCABULARY:
            added, has_all = self._texts(name, "default", with_bytes)
            cells["adds"] = ",".join(added)
            if "unknown pre-tokenizer" in self._ask(name, "no-such", with_bytes).why():
                cells["pre"] = "read"
            same = {row["byte_tokens"] for row in rows if row["kind"] == cells["kind"]}
            cells["byte_tokens"] = (
                "required" if not plain.loads else "fatal" if full.did == "aborts" else "needed" if not has_all
                else "read" if same == {"read"} else "unread"
            )  # fmt: skip
        for column, word in IDS.items():
            found = re.search(rf"{word} token\s+= (\d+)", text)
            cells[column] = found[1] if found else "-1"
        unsaid = f"its algorithm is {kind[1]}" if cells["kind"] == "other" else ""
        return cells, unsaid

    def needed_keys(self, name):
        """Returns the keys of a vocabulary without which it does not load."""
        for with_bytes in (False, True):
            model = vocabulary(name, with_bytes=with_bytes)
            keys = [key for key in model.keys if key.startswith("tokenizer.ggml.") and key != "tokenizer.ggml.model"]
            if self._loader.ask(model.build()).loads:
                return [key for key in keys if not self._loader.ask(model.without(key).build()).loads]
        return []
