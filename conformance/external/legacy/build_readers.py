"""Builds the readers of readers.tsv from source trees.

SPDX-License-Identifier: Apache-2.0
"""

import glob
import hashlib
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O2", "-DNDEBUG", "-D_GNU_SOURCE", "-w", "-pthread"]


def read(path):
    """Returns the text of a file."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def table():
    """Returns the rows of readers.tsv."""
    lines = [line for line in read(os.path.join(HERE, "readers.tsv")).splitlines() if not line.startswith("#")]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def compile_unit(source, flags, tree, folder, replace=""):
    """Compiles one file unless its object is there; returns the path of the object."""
    language = "c" if source.endswith(".c") else "c++"
    command = ["g++", *(["-std=c++17"] if language == "c++" else []), *FLAGS, *flags]
    text = read(source)
    if replace:
        text = text.replace(*replace.split("=>"))
    header = read(os.path.join(HERE, "child.h")) if source.startswith(HERE) else ""
    digest = hashlib.sha256((text + header + " ".join(command + [tree])).encode()).hexdigest()[:16]
    result = os.path.join(folder, f"{os.path.basename(source)}-{digest}.o")
    if not os.path.exists(result):
        command += ["-I" + os.path.dirname(source), "-x", language, "-c", "-", "-o", result + ".part"]
        subprocess.run(command, cwd=tree, input=text, text=True, check=True)
        os.rename(result + ".part", result)
    return result


def build(row, sources, cache):
    """Returns the path of the program that runs a reader; None without a source tree."""
    tree = os.path.abspath(os.path.join(sources, row["reader"]))
    if not os.path.isdir(tree):
        return None
    folder = os.path.join(os.path.abspath(cache), row["reader"])
    os.makedirs(folder, exist_ok=True)
    flags = row["flags"].split()
    units = [unit for pattern in row["units"].split() for unit in sorted(glob.glob(os.path.join(tree, pattern)))]
    units = [unit for unit in units if unit.endswith((".c", ".cpp"))]
    # Only examples have a main() to rename.
    driver_flags = [flag for flag in flags if not flag.startswith("-Dmain=")] + ["-I" + HERE]
    objects = [compile_unit(unit, flags if unit.endswith("main.cpp") else driver_flags, tree, folder, row["replace"])
               for unit in units]
    objects.append(compile_unit(os.path.join(HERE, row["driver"]), driver_flags, tree, folder))
    program = os.path.join(folder, "run-" + row["formats"].replace(" ", "-"))
    subprocess.run(["g++", *objects, "-pthread", "-ldl", "-o", program], check=True)
    return program
