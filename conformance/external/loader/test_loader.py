"""Compares the predictions of `ggufcheck check --readers` with llama.cpp.

  test_loader.py GGUFCHECK TINY_MODELS LLAMA_CPP [--mutants N] [--consistent N]
                 [--seed N] [--architecture NAME] [--keep FOLDER]

TINY_MODELS is the program that writes a small model of each architecture, and
LLAMA_CPP a folder of loader.py.  Runs these models, mutants of them, and
variants whose tensors fit other hyperparameters: llama.cpp loads each, makes a
context and computes.  Prints where what it does or the stage differs from the
prediction, and the architectures that the tables lack.

Exits with 1 if llama.cpp does not run a small model as predicted, if a context
has another size, if an architecture is missing, if more than one variant in 500
differs, or one mutant in 2,000 while it is loaded, if one that dies passes the
profile upload, or if one that crashes or hangs passes safety.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import fnmatch
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import consistent
import contexts
import gguf_file as gguf
import loader
from mutate_models import HERE, table, variant

MOST = 1 / 500
MOST_AT_LOAD = 1 / 2000
# Messages of a crash or hang, native and in WebAssembly; an assertion is none.
UNSAFE = (
    r"^signal (8|11)$|hangs$|^(free|malloc|corrupted|double free)|invalid next size"
    r"|(divide|remainder) by zero|memory access out of bounds|table index|null function|signature mismatch|unrepresentable"
)
Prediction = collections.namedtuple("Prediction", "verdict stage rules")
PREDICTED = {"accepts": "takes", "degrades": "takes", "newer": "refuses", "rejects": "refuses",
             "crashes": "dies"}


def reader_of(version):
    """Returns the value of --readers for a version of the tables; the newest needs none."""
    older = [cell for row in table("builds")[:-1] for cell in (row["build"], row["release"])]
    return f"llama.cpp@{version}" if version in older else "llama.cpp"


def predictions(ggufcheck, folder, version="", flags=()):
    """Returns the predictions about llama.cpp, by path; that of the first shard of
    a set is about all of them."""
    command = [ggufcheck, "check", "--no-config", "--readers", reader_of(version), *flags]
    command += ["--profile", "llama.cpp", "--format", "ndjson", folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    verdicts = {}
    for line in run.stdout.splitlines():
        record = json.loads(line)
        if record["record"] != "file":
            continue
        reader = next(r for r in record["readers"] if r["reader"] == "llama.cpp")
        rules = {reason["rule"] for reason in reader["because"]}
        verdicts[record["path"]] = Prediction(reader["verdict"], reader.get("stage", "run"), rules)
    if not verdicts:
        sys.exit(f"{ggufcheck} checked nothing: {run.stderr}")
    return verdicts


def agree(prediction, real):
    """Returns whether llama.cpp did as predicted."""
    return PREDICTED.get(prediction.verdict) == real.did and (real.did == "takes" or prediction.stage == real.stage)


def known_differences():
    """Returns the rows of accepted differences: loader/PATTERN, reader, reason."""
    with open(os.path.join(HERE, "../known_differences.tsv"), encoding="utf-8") as text:
        rows = [line.rstrip("\n").split("\t") for line in text if line[0] != "#"]
    return [row for row in rows if row[0].startswith("loader/")]


def _said(prediction):
    return prediction.verdict + (f" at {prediction.stage}" if PREDICTED.get(prediction.verdict) != "takes" else "")


def _loads(prediction):
    return PREDICTED.get(prediction.verdict) == "takes" or prediction.stage != "load"


def _done(real):
    return real.did + (f" at {real.stage}" if real.did != "takes" else "")


class Comparison:
    """Counts agreements, and describes differences."""

    def __init__(self):
        self.counts = collections.Counter()
        self.groups = collections.defaultdict(list)
        self.known = known_differences()

    def add(self, name, what, prediction, real):
        if prediction.verdict == "unknown":
            self.counts["not predicted"] += 1
        elif agree(prediction, real):
            self.counts["as predicted"] += 1
        else:
            kind = f"{_said(prediction)}, but llama.cpp {_done(real)}"
            text = f"{kind}: {','.join(sorted(prediction.rules)) or '-'}: {real.why()}"
            row = next((row for row in self.known if fnmatch.fnmatch(text, row[0][7:])), None)
            self.counts["known to differ" if row else "wrong"] += 1
            self.counts["wrong at load"] += not real.loads or not _loads(prediction)
            if not row:
                self.groups[re.sub(r"\d+|'[^']*'|[\w-]+\.(?=[a-z_]+\.?)", "#", text)].append((name, what, text))

    def print(self):
        for group in sorted(self.groups.values(), key=len, reverse=True):
            print(f"{len(group)} x {group[0][2]}")
            for name, what, _ in group[:4]:
                print(f"    {name}: {what}")


def write_mutants(models, names, folder, count, seed):
    """Writes the variants; returns what each is, by its first file."""
    written = {}
    for index in range(count):
        mutator = variant(models, index, seed)
        name = f"{index:05}-{names[index % len(names)]}"
        files = mutator.files(os.path.join(folder, name))
        for path, data in files:
            with open(path, "wb") as file:
                file.write(data)
        written[files[0][0]] = "; ".join(mutator.what)
    return written


def unknown_architectures(llama_cpp, folder):
    """Returns names in the library that llama.cpp loads and the tables lack."""
    names = [os.path.basename(path)[:-4] for path in glob.glob(os.path.join(HERE, "../../tables/architectures/*.tsv"))]
    known = {name for name in names if any(row["what"] == "first" for row in table("architectures/" + name))}
    with open(loader.library(llama_cpp), "rb") as file:
        data = file.read()
    names = {name.decode() for name in re.findall(rb"\0([a-z][a-z0-9_.-]{2,30})(?=\0)", data)}
    candidates = sorted(name for name in names if name not in known)
    paths = {}
    for name in candidates:
        file = gguf.GgufFile()
        file.set("general.architecture", gguf.STR, name.encode())
        path = os.path.join(folder, name + ".gguf")
        with open(path, "wb") as out:
            out.write(file.build())
        paths[path] = name
    verdicts = loader.load_all(llama_cpp, list(paths))
    refused = ("unknown model architecture", "unsupported model architecture", "CLIP cannot be used")
    return [paths[path] for path, verdict in sorted(verdicts.items())
            if not any(text in verdict.why() for text in refused)]  # fmt: skip


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ggufcheck")
    parser.add_argument("tiny_models")
    parser.add_argument("llama_cpp")
    parser.add_argument("--mutants", type=int, default=10000)
    parser.add_argument("--consistent", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--architecture", default="")
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ggufcheck-loader-") as temporary:
        sys.exit(compare(options, options.keep or temporary))


def compare(options, folder):
    """Returns the exit code."""
    tiny = os.path.join(folder, "tiny")
    mutants = os.path.join(folder, "mutants")
    fitting = os.path.join(folder, "fitting")
    own_length = os.path.join(folder, "own-length")
    names_folder = os.path.join(folder, "names")
    for each in (tiny, mutants, fitting, own_length, names_folder):
        os.makedirs(each, exist_ok=True)
    subprocess.run([options.tiny_models, tiny], check=True, stdout=subprocess.DEVNULL)

    failed, version = False, loader.version(options.llama_cpp)
    real = loader.load_all(options.llama_cpp, sorted(glob.glob(tiny + "/*.gguf")))
    predicted = predictions(options.ggufcheck, tiny, version)
    names = []
    for path, verdict in sorted(real.items()):
        name = os.path.basename(path)[: -len(".gguf")]
        prediction = predicted[path]
        if verdict.did == "takes":
            names.append(name)
        if "ctx_other" in verdict.why():
            print(f"tiny model of {name}: a draft model, which makes a context only beside its target")
        elif not agree(prediction, verdict):
            failed = True
            print(f"tiny model of {name}: {_said(prediction)}, but llama.cpp {_done(verdict)}: {verdict.why()}")
        elif verdict.did != "takes":
            print(f"tiny model of {name}: llama.cpp {_done(verdict)} as predicted: {verdict.why()}")
    print(f"llama.cpp {version}: {len(names)} of {len(real)} tiny models run")

    missing = unknown_architectures(options.llama_cpp, names_folder)
    for name in missing:
        failed = True
        print(f"{name}: llama.cpp loads this architecture, and conformance/tables/architectures lacks it")

    failed |= contexts.compare(options.ggufcheck, options.tiny_models, options.llama_cpp, names, own_length)

    wanted = options.architecture.split(",") if options.architecture else names
    names = [name for name in names if name in wanted]
    models = [gguf.read(os.path.join(tiny, name + ".gguf")) for name in names]

    def run(paths):
        return loader.load_all(options.llama_cpp, paths, progress=show)

    def compared(what, written, variants):
        return compare_variants(what, options.ggufcheck, run, written, {variants: []}, version)

    written = write_mutants(models, names, mutants, options.mutants, options.seed)
    failed |= compared("mutants", written, mutants)
    written = consistent.write(options.tiny_models, models, names, fitting, options.consistent, options.seed)
    failed |= compared("variants that fit", written, fitting)
    return 1 if failed else 0


def compare_variants(what, ggufcheck, run, written, folders, version="", most=MOST):
    """Prints the wrong predictions about files; returns whether they are too many.

    `run` returns what llama.cpp does with files, by path; `folders` are theirs, each
    with the flags of `ggufcheck check` for it.
    """
    predicted = {}
    for folder, flags in folders.items():
        predicted.update(predictions(ggufcheck, folder, version, flags))
    comparison, dead, unsafe = Comparison(), {}, {}
    for path, verdict in sorted(run(sorted(written)).items()):
        comparison.add(os.path.basename(path), written[path], predicted[path], verdict)
        if verdict.did == "dies":
            dead[path] = verdict
            if any(re.search(UNSAFE, text) for text in verdict.messages):
                unsafe[path] = verdict
    comparison.print()
    passed = []
    for profile, paths in (("upload", dead), ("safety", unsafe)):
        for path in passing(ggufcheck, profile, paths, folders):
            passed.append(path)
            print(f"passes {profile}: {os.path.basename(path)}: {written[path]}: {dead[path].messages[-1]}")
    count = comparison.counts
    kinds = ", ".join(f"{count[word]} {word}" for word in ("as predicted", "not predicted", "known to differ", "wrong"))
    print(f"{len(written)} {what}: {kinds} ({count['wrong at load']} at load);"
          f" of {len(dead)} that die, {len(passed)} pass upload or, if they crash or hang, safety", flush=True)  # fmt: skip
    too_many = count["wrong"] + count["known to differ"] > most * len(written)
    at_load = what == "mutants" and count["wrong at load"] > MOST_AT_LOAD * len(written)
    return too_many or at_load or bool(passed)


def passing(ggufcheck, profile, paths, folders):
    """Returns those of the files that a profile passes; a set of shards as a whole, by its first."""
    sets = {path: glob.glob(glob.escape(path.split("-00001-of-")[0]) + "*") for path in paths}
    passed = set()
    for folder, flags in folders.items():
        files = sum((sets[path] for path in sets if os.path.dirname(path) == folder), [])
        if not files:
            continue
        command = [ggufcheck, "check", "--no-config", "--profile", profile, "--format", "ndjson", *flags]
        run = subprocess.run(command + files, capture_output=True, text=True, check=False)
        records = [json.loads(line) for line in run.stdout.splitlines()]
        passed |= {record["path"] for record in records if record["record"] == "file" and record["result"] == "pass"}
    return [path for path, files in sets.items() if passed.issuperset(files)]


def show(done):
    if done % 1000 == 0:
        print(f"{done} files run", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
