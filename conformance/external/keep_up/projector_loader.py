"""Runs projectors with llama.cpp's libmtmd, beside models whose width fits.

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import subprocess
import threading
import json

import wasm_loader  # For the path of loader.  # noqa: F401

import loader
import projectors

WIDTH = re.compile(r"n_embd = (\d+)\).*n_embd = (\d+)\)")
FIRST_WIDTH, MOST_WIDTH = 32, 512


class Outcome:
    """What llama.cpp did with a projector, and what it asked for.

    keys: {name: type, or "" if it is absent}, tensors: names, both in the order in which they are looked up; op: the operation at which it died, as (number, name, operands).
    """

    def __init__(self, answer):
        self.did, self.stage = answer["did"], answer["stage"]
        self.keys, self.tensors, self.messages = {}, {}, []
        self.op = self.repeats = None
        for line in answer["messages"]:
            words = line.split()
            if line.startswith("trace: key "):
                self.keys[words[2]] = words[3] if len(words) > 3 else self.keys.get(words[2], "")
            elif line.startswith("trace: tensor "):
                self.tensors[words[2]] = None
            elif line.startswith("trace: op "):
                repeats = words[-1] == "repeats"
                op = int(words[2]), words[3], [_operand(word) for word in words[4 : len(words) - repeats]]
                if repeats:
                    self.repeats = self.repeats or op
                else:
                    self.op = op
            else:
                self.messages.append(line)

    @property
    def ok(self):
        return self.did == "ok"

    @property
    def loads(self):
        return self.ok or self.stage != "load"

    def word(self):
        """Returns ok, refuses or dies, and when."""
        return "ok" if self.ok else f"{'refuses' if self.did == 'refuses' else 'dies'} {self.stage}"

    def message(self):
        return self.messages[0] if self.messages else ""


def _operand(word):
    """Returns (name, whether it was computed, dims) of an operand, or a number."""
    if word == "null":
        return None
    if "[" not in word:
        return int(word)
    name, dims = word[:-1].split("[")
    return name.lstrip("~"), name.startswith("~"), tuple(int(one) for one in dims.split(","))


class ProjectorLoader:
    """Runs models of model.py.  `tiny_models` writes the models beside them."""

    def __init__(self, llama_cpp, tiny_models, folder, *flags):
        self.folder, self._tiny_models, self._bases = folder, tiny_models, {}
        self._child = subprocess.Popen(loader.command(llama_cpp, "--trace", *flags), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)  # fmt: skip
        self.loads = 0

    def base(self, width):
        """Returns the path of a model of this width."""
        if width not in self._bases:
            path = os.path.join(self.folder, f"base-{width}.gguf")
            projectors.write_base(self._tiny_models, path, width)
            self._bases[width] = path
        return self._bases[width]

    def run_files(self, jobs):
        """Returns the outcomes for (path, width) of projectors."""
        lines = [loader.line(path, "projector", self.base(width)) for path, width in jobs]
        writer = threading.Thread(target=self._write, args=(lines,))
        writer.start()
        found = []
        while len(found) < len(jobs):
            line = self._child.stdout.readline()
            if line.startswith("{"):
                found.append(Outcome(json.loads(line)))
        writer.join()
        self.loads += len(jobs)
        return found

    def _write(self, lines):
        self._child.stdin.write("".join(lines))
        self._child.stdin.flush()

    def run(self, models):
        """Returns the outcomes for models; one whose vectors have another length is run beside such a model."""
        jobs = []
        for i, model in enumerate(models):
            path = os.path.join(self.folder, f"{i}.gguf")
            with open(path, "wb") as file:
                file.write(model.build())
            jobs.append((path, getattr(model, "width", FIRST_WIDTH)))
        found = self.run_files(jobs)
        again = {}
        for i, one in enumerate(found):
            widths = [WIDTH.search(text) for text in one.messages if WIDTH.search(text)]
            if widths and 0 < int(widths[0][2]) <= MOST_WIDTH and int(widths[0][2]) != jobs[i][1]:
                again[i] = int(widths[0][2])
        for (i, width), one in zip(again.items(), self.run_files([(jobs[i][0], width) for i, width in again.items()])):
            found[i] = one
            models[i].width = width
        return found

    def close(self):
        self._child.stdin.close()
        self._child.wait()
