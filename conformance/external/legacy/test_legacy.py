"""Compares the verdicts on legacy (pre-GGUF) files with the readers of their time.

  test_legacy.py GGUFCHECK CASES SOURCES CACHE [--only PATTERN] [--most N] [--seed N]
                 [--keep FOLDER] [--update] [FILE...]

CASES is the folder of the corpus, SOURCES has a source tree for each reader of readers.tsv,
and CACHE keeps what is built.  FILEs are other valid files.  Makes single edits of every
valid legacy case and FILE, at most N of each; a reader loads each, in a child with limits, and
computes a token or a second of silence.  Prints where ggufcheck is wrong: what passes the profile
upload and the reader refuses, or fails and the reader runs, but for the rules of quality_rules.tsv.

Exits with 1 if more than one edit in 200 is a wrong accept or a wrong reject, if one that kills a
reader passes safety or upload, if a FILE has an error, or if a reader does something else with a
case than valid_cases.tsv says, which --update writes.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import collections
import fnmatch
import glob
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

import build_readers
from single_edits import HERE, LegacyFile, single_edits

MOST = 1 / 200
SECONDS = 2  # Of a processor.
MEMORY = 2048  # MiB; a reader that takes more died.
LOG = os.path.join(HERE, "valid_cases.tsv")
LOG_HEAD = """# What the readers of readers.tsv did with the valid legacy cases; test_legacy.py --update writes it,
# and valid_cases_test.py compares it with the corpus.
#
# SPDX-License-Identifier: Apache-2.0
case	reader	outcome	sha256
"""
# No reader of readers.tsv is for importance matrices or for big endian.
NO_READER = ("valid-imatrix-dat", "valid-rwkv-101-big-endian")
Verdict = collections.namedtuple("Verdict", "result errors")


def table(name):
    """Returns the rows of a table in this folder."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def verdicts(ggufcheck, paths, profile):
    """Returns the verdict on each path."""
    command = [ggufcheck, "check", "--no-config", "--format", "ndjson", "--profile", profile, "--files-from", "-"]
    run = subprocess.run(command, input="\n".join(paths), capture_output=True, text=True, check=False)
    result = {}
    for line in run.stdout.splitlines():
        record = json.loads(line)
        if record["record"] == "file":
            errors = {finding["rule"] for finding in record["findings"] if finding["severity"] == "error"}
            result[record["path"]] = Verdict(record["result"], errors)
    return result


def run_reader(program, family, paths):
    """Returns what a reader did with each path; the same with any bytes in its fresh memory."""
    lines = "".join(f"{family}\t{path}\n" for path in paths)
    command = [program, str(SECONDS)]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
    result = {}
    for line in run.stdout.splitlines():
        outcome, mebibytes, path = line.split("\t")
        result[path] = "died-memory" if int(mebibytes) > MEMORY else outcome
    return result


def quality_rules(family):
    """Returns the rules that files of a family violate which run all the same."""
    rows = [(row["families"].split(","), row["rule"]) for row in table("quality_rules.tsv")]
    return {rule for families, rule in rows if "*" in families or family in families}


def judge(outcome, upload, safety, has_tensors, quality):
    """Returns what is wrong with the verdicts, or nothing."""
    runs = outcome == "ran" or (outcome == "vocabulary" and not has_tensors)
    dies = outcome.startswith("died") or outcome in ("hangs", "exited")
    if dies and "pass" in (upload.result, safety.result):
        return "death accepted by " + ("upload" if upload.result == "pass" else "safety")
    if upload.result == "pass" and not runs:
        return "wrong accept"
    if upload.result == "fail" and runs:
        return "listed reject" if upload.errors & quality else "wrong reject"
    return None


def bases(ggufcheck, cases, folder, files):
    """Yields names and paths of the valid files."""
    for case in sorted(glob.glob(os.path.join(cases, "legacy/valid-*.gguft"))):
        name = os.path.basename(case).removesuffix(".gguft")
        path = os.path.join(folder, name + ".bin")
        subprocess.run([ggufcheck, "corpus", "assemble", case, "-o", path], check=True)
        yield name, path
    for path in files:
        yield os.path.basename(path), path


def compare(ggufcheck, program, base, file, arguments):
    """Runs the edits of a file; returns rows of base, edit, outcome and what is wrong."""
    quality = quality_rules(file.family)
    edits = single_edits(file)
    if len(edits) > arguments.most:
        edits = random.Random(arguments.seed).sample(edits, arguments.most)
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, f"{i:05}.bin") for i in range(len(edits))]
        for path, edit in zip(paths, edits):
            with open(path, "wb") as out:
                out.write(edit.bytes)
        outcomes = run_reader(program, file.family, paths)
        uploads, safeties = (verdicts(ggufcheck, paths, profile) for profile in ("upload", "safety"))
        for path, edit in zip(paths, edits):
            upload = uploads[path]
            wrong = judge(outcomes[path], upload, safeties[path], bool(file.tensors), quality)
            if wrong and arguments.keep:
                name = f"{base}--{edit.name}--{outcomes[path]}.bin".replace("/", "_").replace(" ", "_")
                os.makedirs(arguments.keep, exist_ok=True)
                with open(os.path.join(arguments.keep, name), "wb") as out:
                    out.write(edit.bytes)
            yield base, edit.name, outcomes[path], wrong, ",".join(sorted(upload.errors))


def main():
    parser = argparse.ArgumentParser()
    for name in ("ggufcheck", "cases", "sources", "cache"):
        parser.add_argument(name)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--only", default="*")
    parser.add_argument("--most", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep")
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_intermixed_args()
    programs = {}
    for row in build_readers.table():
        program = build_readers.build(row, arguments.sources, arguments.cache)
        if program is None:
            print(f"NOT RUN: {row['reader']}: no folder {arguments.sources}/{row['reader']}")
            continue
        programs.update({name: (row["reader"], program) for name in row["formats"].split()})

    kept = [] if arguments.update else ["\t".join(row.values()) for row in table("valid_cases.tsv")]
    counts, log, seen, failed = collections.defaultdict(collections.Counter), [], set(), False
    with tempfile.TemporaryDirectory() as folder:
        for base, path in bases(arguments.ggufcheck, arguments.cases, folder, arguments.files):
            if not fnmatch.fnmatch(base, arguments.only):
                continue
            with open(path, "rb") as bytes_of_file:
                digest = hashlib.sha256(bytes_of_file.read()).hexdigest()
            if base in NO_READER:
                log.append(f"{base}\t-\tno reader\t{digest}")
                continue
            file = LegacyFile(arguments.ggufcheck, path)
            if file.format not in programs:
                continue
            reader, program = programs[file.format]
            outcome = run_reader(program, file.family, [path])[path]
            if path not in arguments.files:
                log.append(f"{base}\t{reader}\t{outcome}\t{digest}")
                if kept and log[-1] not in kept:
                    print(f"not in {LOG}: {log[-1]}")
                    failed = True
            elif verdicts(arguments.ggufcheck, [path], "upload")[path].errors:
                print(f"{base}: has errors, and the reader says {outcome}")
                failed = True
            if digest in seen:  # The same file with another name.
                continue
            seen.add(digest)
            for row in compare(arguments.ggufcheck, program, base, file, arguments):
                counts[file.format][row[3] or "right"] += 1
                if row[3] and row[3] != "listed reject":
                    print("\t".join(str(cell) for cell in row), flush=True)
    if arguments.update:
        with open(LOG, "w", encoding="utf-8") as out:
            out.write(LOG_HEAD + "".join(line + "\n" for line in log))
    total = sum(counts.values(), collections.Counter())
    for name, count in [*sorted(counts.items()), ("all", total)]:
        print(name, sum(count.values()), dict(count))
    accepts = sum(count for name, count in total.items() if name == "wrong accept" or name.startswith("death"))
    failed |= accepts > MOST * sum(total.values()) or total["wrong reject"] > MOST * sum(total.values())
    failed |= any(name.startswith("death") for name in total)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
