"""Checks that the largest file within the default limits of ggufcheck fits into
the memory that the integrations allow.

Usage: worst_file_test.py GGUFCHECK JOB_YAML SERVICE

SPDX-License-Identifier: Apache-2.0
"""

import os
import re
import resource
import struct
import subprocess
import sys
import tempfile

GGUFCHECK, JOB, SERVICE = (os.path.abspath(arg) for arg in sys.argv[1:])
TEMPLATES = 1000  # More are not read.
U8, STRING, ARRAY, F32 = 0, 8, 9, 0
UNITS = {"M": 1 << 20, "Mi": 1 << 20, "G": 1 << 30, "Gi": 1 << 30}


def default_limits():
    """Returns the limits of the numbers of keys, tensors and tokens."""
    text = subprocess.run(
        [GGUFCHECK, "profiles"], capture_output=True, text=True, check=True
    ).stdout
    limits = dict(re.findall(r"--limit-(\S+)\s+(\d+)", text))
    return [int(limits[name]) for name in ("keys", "tensors", "tokens")]


def string(text):
    return struct.pack("<Q", len(text)) + text


def write_largest(path, keys, tensors, tokens):
    """Writes as many entries as are allowed, with the shortest unique names."""
    with open(path, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, tensors, keys))
        for key in (b"general.architecture", b"tokenizer.ggml.model"):
            file.write(string(key) + struct.pack("<I", STRING) + string(b"llama"))
        file.write(string(b"tokenizer.ggml.tokens"))
        file.write(struct.pack("<IIQ", ARRAY, STRING, tokens))
        file.writelines(string(b"%x" % i) for i in range(tokens))
        for i in range(TEMPLATES):
            text = b"".join(b"<|%x-%x|>" % (i, n) for n in range(TEMPLATES))
            file.write(string(b"tokenizer.chat_template.%x" % i))
            file.write(struct.pack("<I", STRING) + string(text))
        for i in range(keys - 3 - TEMPLATES):
            file.write(string(b"%x" % i) + struct.pack("<IB", U8, 0))
        for i in range(tensors):
            file.write(string(b"%x" % i) + struct.pack("<IQIQ", 1, 1, F32, 32 * i))
        file.write(bytes(-file.tell() % 32))
        file.truncate(file.tell() + 32 * tensors)


def memory_limit(path, pattern):
    """Returns the number of bytes that a file of an integration allows."""
    with open(path, encoding="utf-8") as file:
        number, unit = re.search(pattern, file.read()).groups()
    return int(number) * UNITS[unit]


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "largest.gguf")
        write_largest(path, *default_limits())
        run = subprocess.run(
            [GGUFCHECK, "check", "--no-config", "--jobs", "1", path],
            capture_output=True,
            env={**os.environ, "ASAN_OPTIONS": "quarantine_size_mb=0"},  # What is freed is free.
            text=True,
            check=False,
        )
        if run.returncode != 1:
            sys.exit(f"exit {run.returncode}: {run.stdout[:1000]}{run.stderr}")
        # The kernel can reclaim the pages of the file.
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        peak -= os.path.getsize(path)
    with open(JOB, encoding="utf-8") as file:
        jobs = int(re.search(r"--jobs (\d+)", file.read()).group(1))
    failed = 0
    for what, files, limit in (
        ("the Kubernetes Job", jobs, memory_limit(JOB, r"limits:\n\s+memory: (\d+)(\w+)")),
        ("the systemd unit", 1, memory_limit(SERVICE, r"MemoryMax=(\d+)(\w+)")),
    ):
        fits = files * peak < limit
        failed += not fits
        print(f"{what}: {files} x {peak >> 20} MiB of {limit >> 20} MiB{'' if fits else ': TOO MUCH'}")
    sys.exit(failed)


main()
