"""Lists the names that llama.cpp knows, as JSON.

  list_names.py MODULES >FILE

Architectures, keys, tensors, types and projectors are in lists of the module.
Tokenizers, pre-tokenizers and file types are tried, one small model each.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess
import sys

from model import Model
from wasm_loader import HERE, WasmLoader, node, package

MOST_FILE_TYPES = 200
BASE = {
    "general.architecture": ("str", "llama"),
    "llama.context_length": ("u32", 32),
    "llama.embedding_length": ("u32", 8),
    "llama.block_count": ("u32", 1),
    "llama.feed_forward_length": ("u32", 12),
    "llama.attention.head_count": ("u32", 2),
    "llama.attention.layer_norm_rms_epsilon": ("f32", 1e-5),
    "tokenizer.ggml.tokens": ("str", ("<unk>", "<s>", "</s>", "a", "b")),
    "tokenizer.ggml.merges": ("str", ("a b",)),
}


def main():
    modules = sys.argv[1]
    command = [node(modules), os.path.join(HERE, "list_names.mjs"), package(modules)]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    texts = [text for text in found.pop("texts") if re.fullmatch(r"[a-z0-9][a-z0-9_.+-]*", text)]
    loader = WasmLoader(modules, "--messages")

    def messages(**changed):
        keys = {**BASE, **{name.replace("__", "."): value for name, value in changed.items()}}
        return "\n".join(loader.ask(Model(keys).build()).messages)

    found["tokenizers"] = [
        text for text in texts if "unknown tokenizer" not in messages(tokenizer__ggml__model=("str", text))
    ]
    found["pre_tokenizers"] = [
        text for text in texts
        if "unknown pre-tokenizer type" not in messages(tokenizer__ggml__model=("str", "gpt2"), tokenizer__ggml__pre=("str", text))
    ]  # fmt: skip
    found["file_types"] = {}
    for number in range(MOST_FILE_TYPES):
        text = messages(general__file_type=("u32", number), tokenizer__ggml__model=("str", "no_vocab"))
        kind = re.search(r"file type\s+= (.*)", text)
        if kind and "unknown" not in kind[1]:
            found["file_types"][number] = kind[1].replace("(guessed) ", "")
    loader.close()
    json.dump(found, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
