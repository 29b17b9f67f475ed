"""Compares the sizes of contexts in reports with those in llama.cpp's log.

SPDX-License-Identifier: Apache-2.0
"""

import json
import os
import re
import subprocess

import consistent
import loader

LENGTH = 262144
SIZE = re.compile(r"(recurrent)?: .*\bsize = +([0-9.]+) MiB")
ROUNDING = 0.006  # The log has two digits of a MiB.


def logged(messages):
    """Returns the MiB of the cache and of the recurrent state, and the number of lines about them."""
    sizes = [0.0, 0.0]
    lines = [line for line in messages if " layers" in line and SIZE.search(line)]
    for line in lines:
        sizes["recurrent" in line] += float(SIZE.search(line)[2])
    return sizes, len(lines)


def reported(ggufcheck, path):
    command = [ggufcheck, "check", "--no-config", "--format", "json", path]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
    return report["files"][0].get("context")


def compare(ggufcheck, tiny_models, llama_cpp, names, folder):
    """Prints the architectures whose sizes differ; returns whether there are any."""
    paths = {os.path.join(folder, f"{name}.gguf"): name for name in names}
    changes = {"{arch}.context_length": f"u32 {LENGTH}"}
    consistent.write_variants(tiny_models, [(name, path, changes) for path, name in paths.items()])
    verdicts = loader.load_all(llama_cpp, list(paths), flags=["--messages", "--own-length"])
    equal, unknown, differ = 0, [], False
    for path, name in sorted(paths.items()):
        if verdicts[path].did != "takes":  # A table of so many positions is too large to try.
            continue
        sizes, lines = logged(verdicts[path].messages)
        context = reported(ggufcheck, path)
        if context is None:
            unknown.append(name)
            continue
        found = [context["kv_cache"] / 2**20, context["recurrent_state"] / 2**20]
        if all(abs(a - b) <= ROUNDING * max(lines, 1) for a, b in zip(sizes, found)):
            equal += 1
        else:
            differ = True
            print(f"context of {name}: {found} MiB of cache and state, but llama.cpp logs {sizes}")
    print(f"{equal} contexts of the size in llama.cpp's log; not known: {', '.join(unknown) or 'none'}")
    return differ
