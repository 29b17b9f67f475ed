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


# A llama.cpp is in a folder where npm installed node-llama-cpp, or in a root of Debian.
DEBIAN_LIBRARIES = "usr/lib/x86_64-linux-gnu"
DEBIAN_PROGRAM = "opt/ggufcheck/load_models"
PROGRAM = os.path.join(HERE, "../../../bazel-bin/conformance/external/run_models")


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
    """Returns the command that runs models, by a path per line."""
    libraries = os.path.dirname(library(folder))
    if not is_debian(folder):
        return [PROGRAM, libraries, libraries]
    return [*_linker(libraries), PROGRAM, libraries, os.path.join(libraries, "ggml/backends0")]


def projector_command(folder):
    """The same for projectors, with their models; None if there is no library for them."""
    if not is_debian(folder):
        return None
    libraries = os.path.join(folder, DEBIAN_LIBRARIES)
    return [*_linker(libraries), os.path.join(folder, DEBIAN_PROGRAM), os.path.join(libraries, "ggml/backends0")]


def _linker(libraries):
    return [os.path.join(libraries, "ld-linux-x86-64.so.2"), "--library-path", libraries]


class Verdict:
    """What llama.cpp did (takes, refuses or dies), at which stage (load, context or run), and its messages."""

    def __init__(self, did, stage, messages):
        self.did, self.stage, self.messages = did, stage, messages

    @property
    def loads(self):
        return self.did == "takes" or self.stage != "load"

    def why(self):
        """Returns the message that names the fault."""
        lines = [line for text in self.messages for line in text.splitlines()]
        for mark in ("GGML_ASSERT", "error loading model", "what():", "signal", "hangs", "fail"):
            for line in lines:
                if mark in line:
                    return line.split("error loading model: ", 1)[-1].strip()
        return lines[-1].strip() if lines else ""


class Loader:
    """A child process that runs one file after the other, or loads projectors.

    run_models survives the death of a file; load_models is started again.
    """

    def __init__(self, folder, all_messages=False):
        flags = ["--messages"] if all_messages else []
        projectors = projector_command(folder)
        self.has_projectors = projectors is not None
        self._models = _Child(command(folder) + flags)
        self._projectors = _Child(projectors + flags) if projectors else None

    def load(self, path):
        """Returns the verdict on a file; that of a projector is followed by a tab and its model's."""
        return (self._projectors if "\t" in path else self._models).load(path)

    def close(self):
        for child in (self._models, self._projectors):
            if child:
                child.close()


DID = {"ok": "takes", True: "takes", False: "refuses", "refuses": "refuses", "dies": "dies", "hangs": "dies"}


def _verdict(answer):
    if answer.get("did") == "hangs":
        answer["messages"].append("it hangs")
    did = DID[answer["did"] if "did" in answer else answer["takes"]]
    return Verdict(did, answer.get("stage", "load"), answer["messages"])


class _Child:
    def __init__(self, command_line):
        self._command, self._child = command_line, None

    def load(self, path):
        if self._child is None:
            self._start()
        try:
            self._child.stdin.write(path + "\n")
            self._child.stdin.flush()
            line = self._answers.get(timeout=SECONDS)
        except (queue.Empty, BrokenPipeError):
            line = None
        if line:
            return _verdict(json.loads(line))
        hangs = self._child.poll() is None and not self._ended.is_set()
        code = self._stop()
        self._errors.seek(0)
        messages = [text for text in self._errors.read().splitlines() if text.strip()]
        messages.append("it hangs" if hangs else f"signal {-code}")
        self._errors.close()
        return Verdict("dies", "load", messages)

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


def load_all(folder, paths, jobs=os.cpu_count(), progress=lambda done: None, flags=()):
    """Returns the verdicts on many models by path; `flags` are those of run_models."""
    verdicts = {}

    def work(part):
        with subprocess.Popen([*command(folder), *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as child:  # fmt: skip
            threading.Thread(target=_feed, args=(child.stdin, part), daemon=True).start()
            for line in child.stdout:
                if line.startswith("{"):
                    answer = json.loads(line)
                    verdicts[answer["path"]] = _verdict(answer)
                    progress(len(verdicts))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work, paths[job::jobs]) for job in range(jobs)]:
            worker.result()
    return verdicts


def _feed(stream, paths):
    with stream:
        stream.write("".join(path + "\n" for path in paths))
