"""Asks the real loader: what llama.cpp does with files, in child processes.

SPDX-License-Identifier: Apache-2.0
"""

import concurrent.futures
import glob
import json
import os
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))

# A llama.cpp is in a folder where npm installed node-llama-cpp, or in a root of Debian.
DEBIAN_LIBRARIES = "usr/lib/x86_64-linux-gnu"
PROGRAM = os.path.join(HERE, "../../../bazel-bin/conformance/external/run_models")


def is_debian(folder):
    return os.path.exists(os.path.join(folder, DEBIAN_LIBRARIES))


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


def has_projectors(folder):
    """Returns whether there is a libmtmd in a folder."""
    return bool(glob.glob(os.path.join(os.path.dirname(library(folder)), "libmtmd.*")))


def linker(folder):
    """Returns the command with which programs use the libraries in a root of Debian."""
    libraries = os.path.join(folder, DEBIAN_LIBRARIES)
    paths = f"{libraries}:{libraries}/llama"
    return [os.path.join(libraries, "ld-linux-x86-64.so.2"), "--library-path", paths]


def command(folder, *flags):
    """Returns the command that runs files, by lines (run_models.cc)."""
    libraries = os.path.dirname(library(folder))
    if not is_debian(folder):
        return [PROGRAM, libraries, libraries, *flags]
    return [*linker(folder), PROGRAM, libraries, os.path.join(libraries, "ggml/backends0"), *flags]


def line(path, kind="", base=""):
    """Returns the line for a file: a model, or a companion of this kind beside its base."""
    return f"{path}\t{kind}\t{base}\n" if kind else path + "\n"


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


DID = {"ok": "takes", "refuses": "refuses", "dies": "dies", "hangs": "dies"}


def _verdict(answer):
    if answer["did"] == "hangs":
        answer["messages"].append("it hangs")
    return Verdict(DID[answer["did"]], answer["stage"], answer["messages"])


class Loader:
    """A child process that runs one file after the other, with all messages."""

    def __init__(self, folder):
        self.has_projectors = has_projectors(folder)
        self._child = subprocess.Popen(command(folder, "--messages"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)  # fmt: skip

    def load(self, *job):
        """Returns the verdict on a file; `job` is as for line()."""
        self._child.stdin.write(line(*job))
        self._child.stdin.flush()
        return next(_verdict(json.loads(text)) for text in self._child.stdout if text.startswith("{"))

    def close(self):
        self._child.stdin.close()
        self._child.stdout.close()
        self._child.wait()


def load_all(folder, files, jobs=os.cpu_count(), progress=lambda done: None, flags=()):
    """Returns the verdicts on many files by path: paths of models, or tuples as for line().

    `flags` are those of run_models.
    """
    verdicts = {}

    def work(part):
        with subprocess.Popen(command(folder, *flags), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as child:  # fmt: skip
            threading.Thread(target=_feed, args=(child.stdin, part), daemon=True).start()
            for text in child.stdout:
                if text.startswith("{"):
                    answer = json.loads(text)
                    verdicts[answer["path"]] = _verdict(answer)
                    progress(len(verdicts))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for worker in [pool.submit(work, files[job::jobs]) for job in range(jobs)]:
            worker.result()
    return verdicts


def _feed(stream, files):
    with stream:
        stream.write("".join(line(*([one] if isinstance(one, str) else one)) for one in files))
