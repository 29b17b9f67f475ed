"""Asks the real loader: whether llama.cpp loads files, in child processes.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import glob
import json
import os
import queue
import subprocess
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = 60  # A file that takes longer hangs the loader.


# A llama.cpp is in a folder where npm installed node-llama-cpp, or in a root of
# Debian with load_models.cc as a program.
DEBIAN_LIBRARIES = "usr/lib/x86_64-linux-gnu"
DEBIAN_PROGRAM = "opt/ggufcheck/load_models"


def is_debian(folder):
    return os.path.exists(os.path.join(folder, DEBIAN_PROGRAM))


def version(folder):
    """Returns the version of llama.cpp in a folder: a build, or a release whose build is unknown."""
    if is_debian(folder):
        with open(os.path.join(folder, "usr/share/doc/libllama0/nightly-tag.txt"), encoding="utf-8") as file:
            return file.read().strip()
    pattern = os.path.join(folder, "node_modules/@node-llama-cpp/linux-x64/bins/*/_nlcBuildMetadata.json")
    with open(glob.glob(pattern)[0], encoding="utf-8") as file:
        return json.load(file)["buildOptions"]["llamaCpp"]["release"]


def library(folder):
    """Returns the path of libllama in a folder."""
    if is_debian(folder):
        return os.path.join(folder, DEBIAN_LIBRARIES, "libllama.so.0")
    return glob.glob(os.path.join(folder, "node_modules/@node-llama-cpp/linux-x64/bins/*/libllama.*"))[0]


def command(folder):
    """Returns the command that loads models, by a path per line."""
    if not is_debian(folder):
        return ["node", os.path.join(HERE, "load_models.mjs"), folder]
    libraries = os.path.join(folder, DEBIAN_LIBRARIES)
    linker = [os.path.join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries]
    return [*linker, os.path.join(folder, DEBIAN_PROGRAM), os.path.join(libraries, "ggml/backends0")]


class Verdict:
    """What the loader did: takes, refuses or dies; and its messages."""

    def __init__(self, did, messages):
        self.did, self.messages = did, messages

    def why(self):
        """Returns the message that names the fault."""
        lines = [line for text in self.messages for line in text.splitlines()]
        for mark in ("GGML_ASSERT", "error loading model", "what():", "signal", "hangs", "fail"):
            for line in lines:
                if mark in line:
                    return line.split("error loading model: ", 1)[-1].strip()
        return lines[-1].strip() if lines else ""


class Loader:
    """A child process that loads one file after the other.

    It is started again after a file on which it died.
    """

    def __init__(self, folder, all_messages=False):
        self.has_projectors = is_debian(folder)
        self._command = command(folder) + (["--messages"] if all_messages else [])
        self._child = None

    def load(self, path):
        """Returns the verdict on a file."""
        if self._child is None:
            self._start()
        try:
            self._child.stdin.write(path + "\n")
            self._child.stdin.flush()
            line = self._answers.get(timeout=SECONDS)
        except (queue.Empty, BrokenPipeError):
            line = None
        if line:
            answer = json.loads(line)
            return Verdict("takes" if answer["takes"] else "refuses", answer["messages"])
        hangs = self._child.poll() is None and not self._ended.is_set()
        code = self._stop()
        self._errors.seek(0)
        messages = [text for text in self._errors.read().splitlines() if text.strip()]
        messages.append("it hangs" if hangs else f"signal {-code}")
        self._errors.close()
        return Verdict("dies", messages)

    def close(self):
        if self._child:
            self._stop()
            self._errors.close()

    def _start(self):
        self._errors = tempfile.TemporaryFile("w+", errors="replace")
        self._child = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self._answers = queue.Queue()
        self._ended = threading.Event()
        threading.Thread(target=self._read, args=(self._child, self._answers, self._ended), daemon=True).start()

    @staticmethod
    def _read(child, answers, ended):
        for line in child.stdout:
            if line.startswith("{"):
                answers.put(line)
        ended.set()
        answers.put(None)

    def _stop(self):
        child, self._child = self._child, None
        if not self._ended.is_set():
            child.kill()
        child.stdin.close()
        return child.wait()


def load_all(folder, paths, jobs=os.cpu_count(), progress=lambda done: None):
    """Returns the verdicts on many files by path."""
    todo = queue.Queue()
    for path in paths:
        todo.put(path)
    verdicts = {}

    def work():
        loader = Loader(folder)
        try:
            while True:
                path = todo.get_nowait()
                verdicts[path] = loader.load(path)
                progress(len(verdicts))
        except queue.Empty:
            loader.close()

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work) for _ in range(jobs)]:
            worker.result()
    return verdicts
