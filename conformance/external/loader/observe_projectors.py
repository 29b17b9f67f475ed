"""Writes what llama.cpp's libmtmd did with the projectors of the corpus to observed_readers.tsv.

  observe_projectors.py GGUFCHECK TINY_MODELS LLAMA_CPP

Each runs beside a model of the width that it states, or of 32.  Cells of other readers stay if the bytes of the case
are those that they read.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import os
import subprocess
import tempfile

import gguf_file as gguf
import loader
import projectors
import test_loader

TABLE = os.path.join(test_loader.HERE, "../../golden/observed_readers.tsv")
DIGITS = 16  # Of the digest.


def observe(options, folder):
    """Returns what llama.cpp did, by case: (digest, word)."""
    export = os.path.join(folder, "corpus")
    subprocess.run([options.ggufcheck, "corpus", "export", "--cases", projectors.CASES, export], check=True, stdout=subprocess.DEVNULL)
    with open(os.path.join(export, "manifest.json"), encoding="utf-8") as file:
        cases = {os.path.join(export, case["file"]): case for case in json.load(file)["cases"]
                 if "projector" in case["id"] and case["file"] and not case["set"] and "--base" not in case["options"]}  # fmt: skip
    files, bases = [], {}
    for path in cases:
        try:
            width = projectors.width_of(gguf.read(path))
        except Exception:  # Files with faults, of any kind.
            width = 32
        if not isinstance(width, int) or not 0 < width <= 1024:
            width = 32
        if width not in bases:
            bases[width] = os.path.join(folder, f"base-{width}.gguf")
            projectors.write_base(options.tiny_models, bases[width], width)
        files.append((path, "projector", bases[width]))
    verdicts = loader.load_all(options.llama_cpp, files)
    words = {}
    for path, case in cases.items():
        verdict = verdicts[path]
        word = verdict.did if verdict.did == "takes" or verdict.stage == "load" else f"{verdict.did}-{verdict.stage}"
        words[case["id"]] = case["sha256"][:DIGITS], word
    return words


def write(words):
    with open(TABLE, encoding="utf-8") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("case\t")) + 1
    rows = {line.split("\t")[0]: line.split("\t") for line in lines[start:]}
    for name, (digest, word) in words.items():
        row = rows.get(name)
        if row is None or row[1] != digest:
            row = [name, digest] + ["-"] * (lines[start - 1].count("\t") - 1)
        row[2] = word
        rows[name] = row
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("\n".join([*lines[:start], *("\t".join(rows[name]) for name in sorted(rows))]) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ggufcheck")
    parser.add_argument("tiny_models")
    parser.add_argument("llama_cpp")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ggufcheck-projectors-") as folder:
        words = observe(options, folder)
    write(words)
    print(f"{len(words)} projectors of the corpus were run")


if __name__ == "__main__":
    main()
