"""Compares a source tree of llama.cpp with the tables of this project.

  facts.py [--root FOLDER] DIR

DIR is a checkout of llama.cpp, or a git directory.  Prints how the tables
differ, as rows to paste or to act on; with history, also the first builds.
Exits with 0 if nothing differs, with 1 otherwise.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import os
import subprocess
import sys
import tempfile

import history
import sources
import tables

GIT_PATHS = ("src", "include", "llama.cpp", "llama.h", "ggml.h",
             "ggml/include", "tools/mtmd", "tools/llava", "examples/llava")


def number_of(first):
    """Returns a number that grows with the version, as build.h does."""
    if first.startswith("v"):
        parts = [int(part) for part in first[1:].split(".")]
        return 10**9 + (parts[0] * 1000 + parts[1]) * 1000 + parts[2]
    return int(first[1:]) if first.startswith("b") else 0


# Keys that have rules of their own instead of types in the table.
EXEMPT_KEYS = {"general.architecture"}


class Report:
    """The differences, by table."""

    def __init__(self):
        self.lines = {}
        self.newer = {}

    def add(self, kind, mark, text):
        self.lines.setdefault(tables.ROWS[kind][0], []).append(f"{mark} {text}")

    def add_row(self, kind, name, first="?", types="?"):
        row = tables.ROWS[kind][1]
        if kind in ("file type", "tensor type"):
            name = name.replace(" ", "\t")
        self.add(kind, "+", row.format(name=name, first=first, types=types))

    def print(self):
        for kind, names in self.newer.items():
            print(f"newer than this source, {kind}: {', '.join(names)}")
        for table, lines in self.lines.items():
            print(f"\n{table}")
            print("\n".join(lines))
        if not self.lines:
            print("the tables agree with this source")


def compare_names(kind, tree, ours, build, builds, report):
    """Compares the names of one kind; `builds` is {name: number} or empty."""
    theirs = kind.find(*[tree.all(group) for group in kind.files])
    known = ours.first_builds(kind.name)
    for name in sorted(theirs - set(known)):
        first = f"b{builds[name]}" if name in builds else "?"
        report.add_row(kind.name, name, first)
    newer = []
    for name in sorted(set(known) - theirs):
        if build and number_of(known[name]) > build:
            newer.append(name)
        else:
            report.add(kind.name, "-", f"{name}: not in this source")
    if newer:
        report.newer[kind.name] = newer
    for name in sorted(theirs & set(known)):
        if name in builds and known[name] != f"b{builds[name]}":
            report.add(kind.name, "!", f"{name}: first is {known[name]}, the "
                       f"history has b{builds[name]}")


def compare_unloaded(tree, ours, report):
    """Compares the architectures that llama.cpp knows but does not load."""
    names = sources.architecture_names(tree.all(sources.ARCH))
    loaded = sources.architectures(tree.all(sources.ARCH),
                                   tree.all(sources.LOADER))
    for name in sorted(names - loaded - ours.known_architectures()):
        report.add("architecture", "+", f"{name}.tsv: group\tknown\t\t\t")


def compare_keys(tree, ours, report):
    theirs, known = sources.keys(tree), ours.keys()
    for key, read in sorted(theirs.items()):
        if key in EXEMPT_KEYS:
            continue
        text = ",".join(sorted(read)) or "?"
        if key not in known:
            report.add_row("key", key, types=text)
        elif not all(tables.covers(known[key][0], one) for one in read):
            report.add("key", "!", f"{key}: the source reads {text}, the row "
                       f"has {','.join(sorted(known[key][0])) or '-'}")
    for key, (_, is_read) in sorted(known.items()):
        if is_read and key not in theirs:
            report.add("key", "-", f"{key}: no loader of this source reads it")


def compare_tensors(tree, ours, report):
    theirs, known = sources.tensors(tree), ours.tensors()
    for name in sorted(set(theirs) - known):
        report.add_row("tensor", name)
        report.add("tensor", " ", "requested in " +
                   ", ".join(sorted(theirs[name])))
    for name in sorted(known - set(theirs)):
        report.add("tensor", "-", f"{name}: not requested in this source")


def check_out(git_dir, folder):
    """Writes the files that sources.py reads into the folder."""
    for path in GIT_PATHS:
        archive = subprocess.run(
            ["git", "--git-dir", git_dir, "archive", "HEAD", path],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if archive.returncode == 0:
            subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout,
                           check=True)


def compare(path, ours):
    """Returns (a line about the source, a Report)."""
    report = Report()
    past = history.History(path)
    build, builds, about = 0, {}, "a source without history"
    if past.exists():
        build = past.build()
        about = f"llama.cpp b{build} of {past.date()}"
        builds = history.first_builds(path)
    tree = sources.Folder(path)
    with tempfile.TemporaryDirectory() as folder:
        if not tree.all(sources.ARCH).strip() and past.exists():
            check_out(path, folder)
            tree = sources.Folder(folder)
        if not tree.all(sources.ARCH).strip():
            raise SystemExit(f"{path}: no sources of llama.cpp")
        for kind in sources.KINDS:
            compare_names(kind, tree, ours, build, builds.get(kind.name, {}),
                          report)
        compare_unloaded(tree, ours, report)
        compare_keys(tree, ours, report)
        compare_tensors(tree, ours, report)
    return about, report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", default=os.path.join(
        os.path.dirname(os.path.realpath(__file__)), "..", ".."))
    parser.add_argument("dir", metavar="DIR")
    arguments = parser.parse_args()
    ours = tables.Tables(arguments.root)
    about, report = compare(arguments.dir, ours)
    print(f"{about}; the tables follow {ours.version()}")
    report.print()
    return 1 if report.lines else 0


if __name__ == "__main__":
    sys.exit(main())
