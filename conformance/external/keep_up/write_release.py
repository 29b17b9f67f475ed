"""Writes which versions of llama.cpp the tables follow.

  write_release.py [--root ROOT] [--debian FOLDER] BUILD

BUILD is that of npm's WebAssembly module, from which the tables were learnt;
FOLDER is a root of Debian with llama.cpp (loader.py).  Writes rows of builds.tsv,
the version in readers.tsv, and a line of CHANGELOG.md that names what is new since
the version that the previous such line names.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import datetime
import email.utils
import glob
import gzip
import json
import os
import re
import subprocess

from wasm_loader import HERE
from write_names import Table

import loader

ITEM = re.compile(r"- The tables and the predictions about llama\.cpp follow (?:its release )?(v[\d.]+\d|b\d+)"
                  r"[^\n]*\n(?:  [^\n]*\n)*")  # fmt: skip
LINE = "- The tables and the predictions about llama.cpp follow {version} of {month}"
WIDTH = 128


def wasm_month():
    """Returns the month in which npm published the newest module; this month if npm does not say."""
    command = ["npm", "view", "@wllama/wllama", "version", "time", "--json"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        about = json.loads(found.stdout)
        return about["time"][about["version"]][:7]
    return datetime.date.today().isoformat()[:7]


def debian_release(folder):
    """Returns build, release and month of Debian's llama.cpp."""
    with gzip.open(os.path.join(folder, "usr/share/doc/libllama0/changelog.Debian.gz"), "rt", encoding="utf-8") as lines:
        text = lines.read()
    release = re.match(r"\S+ \((?:\d+:)?([\d.]+\d)", text)[1]
    date = email.utils.parsedate_to_datetime(re.search(r"^ -- .*>  (.*)$", text, re.M)[1])
    return loader.version(folder), "v" + release, date.strftime("%Y-%m")


def number(build):
    return int(build[1:]) if build.startswith("b") else 0


def write_build(tables, build, release, month):
    """Adds a version before the first one that is newer; leaves one that is there."""
    table = Table(tables, "builds.tsv")
    if table.find(build) is None:
        at = next((row for row in table.rows if number(row["build"]) > number(build)), None)
        table.add_before(at, {"build": build, "release": release, "month": month})


def new_names(tables, versions):
    """Returns {kind: names} of what is first known to these versions."""
    found = {}
    for path in sorted(glob.glob(os.path.join(tables, "architectures/*.tsv"))):
        with open(path, encoding="utf-8") as lines:
            first = re.search(r"^first\tmodel\t(\S+)", lines.read(), re.M)
        if first and first[1] in versions:
            found.setdefault("architecture", []).append(os.path.basename(path)[: -len(".tsv")])
    for kind in ("tokenizer", "pre-tokenizer", "projector type"):
        table = Table(tables, re.sub("[- ]", "_", kind) + "s.tsv")
        names = [row[table.columns[0]] for row in table.rows if row["first"] in versions]
        if names:
            found[kind] = sorted(names)
    return found


def wrapped(words, indent="  "):
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append(indent + word)
        else:
            lines[-1] += " " + word
    return "\n".join(lines) + "\n"


def listed(kind, names):
    text = ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]
    return f"the {kind}{'s' if len(names) > 1 else ''} {text}"


def write_changelog(path, tables, version, month):
    """Writes the line about a version under the first heading, in place of an earlier one about it."""
    with open(path, encoding="utf-8") as lines:
        text = lines.read()
    others = [found[1] for found in ITEM.finditer(text) if found[1] != version]
    rows = Table(tables, "builds.tsv").rows
    places = [at for at, row in enumerate(rows) if {row["build"], row["release"]} & set(others)]
    versions = {cell for row in rows[max(places, default=len(rows)) + 1 :] for cell in (row["build"], row["release"])}
    names = new_names(tables, versions - {"-"})
    line = LINE.format(version=version, month=month)
    if names:
        line += ": " + "; ".join(listed(kind, all_of) for kind, all_of in names.items())
    new = wrapped((line + ".").split(" "))
    old = next((found[0] for found in ITEM.finditer(text) if found[1] == version), None)
    changed = text.replace(old, new) if old else re.sub(r"(\n### [^\n]*\n\n)", lambda found: found[1] + new, text, count=1)
    if changed != text:
        with open(path, "w", encoding="utf-8") as out:
            out.write(changed)
        print(f"CHANGELOG.md: {version}")


def write_followed(root):
    """Writes the last version of builds.tsv as the one that the tables follow."""
    tables = os.path.join(root, "conformance/tables")
    newest = Table(tables, "builds.tsv").rows[-1]
    version = newest["build"] if newest["build"] != "-" else newest["release"]
    month = datetime.date.fromisoformat(newest["month"] + "-01").strftime("%B %Y")
    readers = Table(tables, "readers.tsv")
    readers.change(readers.find("llama.cpp"), {"version": f"{version} of {month}"})
    write_changelog(os.path.join(root, "CHANGELOG.md"), tables, version, month)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", default=os.path.join(HERE, "../../.."))
    parser.add_argument("--debian")
    parser.add_argument("build")
    options = parser.parse_args()
    tables = os.path.join(options.root, "conformance/tables")
    if options.debian:
        write_build(tables, *debian_release(options.debian))
    if Table(tables, "builds.tsv").find(options.build) is None:
        write_build(tables, options.build, "-", wasm_month())
    write_followed(options.root)


if __name__ == "__main__":
    main()
