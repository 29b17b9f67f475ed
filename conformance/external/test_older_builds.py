"""Compares the first builds of the tables with older releases of llama.cpp.

  test_older_builds.py GGUFCHECK TINY_MODELS MODULES...

TINY_MODELS is the program that writes a small model of each architecture.  In
each folder MODULES, npm installed another node-llama-cpp and its library:

  npm install --ignore-scripts --omit=optional node-llama-cpp@3.18.1 \\
    @node-llama-cpp/linux-x64@3.18.1

Lets llama.cpp load a model of each architecture, and small llamas with each
tensor type and each pre-tokenizer.  `check --readers llama.cpp@RELEASE` must
say that a file needs a later build exactly if llama.cpp says that it does not
know the name.  What else an old build refuses is counted, and not compared: it
requires keys and tensors that are optional now.  Exits with 1 if any differs.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "loader"))

import gguf_file as gguf  # noqa: E402
import loader  # noqa: E402

# The last stands for a tensor type: old builds say no more.
UNKNOWN = re.compile(r"unknown (model )?architecture|unknown pre-tokenizer|"
                     r"llama_model_loader: failed to load model from")

# Old builds abort without a token for the line feed, whose spelling is U+010A,
# and without one of the default id 11.
VOCABULARY = [b"a", b"b", b"ab", "\u010a".encode()] + [b"%d" % digit for digit in range(10)]


def release_of(modules):
    """Returns the release of llama.cpp that npm installed, such as b8390."""
    path = os.path.join(modules, "node_modules/node-llama-cpp/llama/binariesGithubRelease.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)["release"]


def column(name):
    """Returns the names in a table's first column."""
    path = os.path.join(HERE, "../tables", name)
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [line.split("\t")[0] for line in lines[1:]]


def write(file, folder, name):
    with open(os.path.join(folder, name + ".gguf"), "wb") as out:
        out.write(file.build())


def write_types(folder):
    """Writes llamas with a tensor of each type; they lack other tensors."""
    for name, kind in gguf.TENSOR_TYPES.items():
        file = gguf.GgufFile()
        file.set("general.architecture", gguf.STR, b"llama")
        file.tensors.append(gguf.Tensor("token_embd.weight", [256, 4], kind))
        write(file, folder, "type-" + name)


def write_pre_tokenizers(folder):
    """Writes llamas with each pre-tokenizer and a small vocabulary."""
    llama = gguf.read(os.path.join(folder, "llama.gguf"))
    for name in column("pre_tokenizers.tsv"):
        file = llama.copy()
        file.keys = [key for key in file.keys if not key.name.startswith("tokenizer.")]
        file.set("tokenizer.ggml.model", gguf.STR, b"gpt2")
        file.set("tokenizer.ggml.pre", gguf.STR, name.encode())
        file.set("tokenizer.ggml.tokens", gguf.ARR, VOCABULARY, gguf.STR)
        file.set("tokenizer.ggml.merges", gguf.ARR, [b"a b"], gguf.STR)
        write(file, folder, "pre-" + name)


def predictions(ggufcheck, release, folder):
    """Returns {path: why it needs a later build, or ""} of files in the tables."""
    command = [ggufcheck, "check", "--no-config", "--format", "ndjson",
               "--readers", "llama.cpp@" + release, folder]  # fmt: skip
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    why = {}
    for line in run.stdout.splitlines():
        record = json.loads(line)
        if record["record"] != "file":
            continue
        reader = next(r for r in record["readers"] if r["reader"] == "llama.cpp")
        if "needs" in record:
            text = reader.get("why", "")
            why[record["path"]] = text if text.startswith("needs llama.cpp") else ""
    if not why:
        sys.exit(f"{ggufcheck} checked nothing: {run.stderr}")
    return why


def compare(ggufcheck, folder, modules):
    """Prints the differences and the numbers; returns whether all agree."""
    release = release_of(modules)
    real = loader.load_all(os.path.abspath(modules), sorted(glob.glob(folder + "/*.gguf")))
    counts = collections.Counter()
    for path, why in sorted(predictions(ggufcheck, release, folder).items()):
        messages = "\n".join(real[path].messages)
        unknown = not real[path].loads and UNKNOWN.search(messages)
        if bool(unknown) == bool(why):
            counts["not known yet" if unknown else
                   "loaded" if real[path].loads else "refused for other reasons"] += 1
            continue
        counts["wrong"] += 1
        name = os.path.basename(path)
        print(f"{release}: {name}: ggufcheck says {why or 'that it is known'}; "
              f"llama.cpp {real[path].did} it: {real[path].why()}")
    print(f"{release}: " + ", ".join(f"{counts[word]} {word}" for word in
                                     ("loaded", "not known yet", "refused for other reasons", "wrong")))
    return counts["wrong"] == 0


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    ggufcheck, tiny_models, *all_modules = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ggufcheck-builds-") as folder:
        subprocess.run([tiny_models, folder], check=True, stdout=subprocess.DEVNULL)
        write_types(folder)
        write_pre_tokenizers(folder)
        agree = [compare(ggufcheck, folder, modules) for modules in all_modules]
    sys.exit(0 if all(agree) else 1)


if __name__ == "__main__":
    main()
