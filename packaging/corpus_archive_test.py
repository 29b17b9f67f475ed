"""corpus_archive_test.py ARCHIVE: a reader's test that has the corpus and nothing
else of ggufcheck.  Its reader reads keys; it must read all valid files of the
container as the corpus says, and must reject the headers that are broken.

SPDX-License-Identifier: Apache-2.0
"""

import hashlib
import json
import pathlib
import struct
import sys
import tarfile
import tempfile

# Cases whose fault is before the tensors, which this reader does not read.
BROKEN_HEADERS = (
    "header/invalid-ends-",
    "header/invalid-key-count-2-",
    "header/invalid-magic-",
    "header/invalid-version-2-31",
    "header/invalid-version-4",
)
# What docs/test-your-reader.md tells its readers to open.
NEEDED = (
    "README.md",
    "docs/test-your-reader.md",
    "docs/reader-protocol.md",
    "conformance/readers/adapters/gguf_testee.py",
    "conformance/readers/adapters/testing/toy_reader.py",
    "integrations/github/reader.yml",
)
STRING, ARRAY = 8, 9
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B"}
NUMBERS.update({10: "Q", 11: "q", 12: "d"})


class Reader:
    """Reads the keys of GGUF versions 2 and 3 with bounds checks."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if size > len(self.data) - self.at:
            raise ValueError("the file ends too early")
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, format):
        return struct.unpack("<" + format, self.take(struct.calcsize(format)))[0]

    def value(self, type, depth=0):
        if type == STRING:
            return self.take(self.number("Q"))
        if type == ARRAY and depth < 64:
            element, count = self.number("I"), self.number("Q")
            if count > len(self.data):
                raise ValueError("an array is longer than the file")
            return [self.value(element, depth + 1) for _ in range(count)]
        return self.number(NUMBERS[type])

    def keys(self):
        if self.take(4) != b"GGUF" or self.number("I") not in (2, 3):
            raise ValueError("not GGUF version 2 or 3")
        tensors, keys = self.number("Q"), self.number("Q")
        if max(tensors, keys) > len(self.data):
            raise ValueError("more entries than bytes")
        return [
            (self.value(STRING), self.value(self.number("I"))) for _ in range(keys)
        ]


def read(path):
    """Returns the keys' names, or None if the file is rejected."""
    try:
        return [name for name, _ in Reader(path.read_bytes()).keys()]
    except (ValueError, KeyError, struct.error):
        return None


def main():
    wrong, tried = [], 0
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sys.argv[1]) as archive:
            archive.extractall(folder)
        (root,) = pathlib.Path(folder).iterdir()
        for name in NEEDED:
            if not (root / name).is_file():
                wrong.append(f"{name}: missing")
        for case in json.loads((root / "manifest.json").read_text())["cases"]:
            if not case["file"]:
                continue
            path = root / case["file"]
            if hashlib.sha256(path.read_bytes()).hexdigest() != case["sha256"]:
                wrong.append(f"{case['id']}: not the SHA-256 of the manifest")
            if case["scope"] != "container":
                continue
            if case["verdict"] == "valid" and case["version"] in (2, 3):
                tried += 1
                names = read(path)
                if names is None:
                    wrong.append(f"{case['id']}: is valid and was rejected")
                elif case["dump"]:
                    dump = json.loads((root / case["dump"]).read_text())
                    expected = [kv.get("key", "").encode() for kv in dump["kv"]]
                    if "key_hex" not in str(dump["kv"]) and names != expected:
                        wrong.append(f"{case['id']}: has other keys")
            elif case["id"].startswith(BROKEN_HEADERS):
                tried += 1
                if read(path) is not None:
                    wrong.append(f"{case['id']}: is invalid and was accepted")
    print(f"{tried} cases tried")
    print("\n".join(wrong))
    return bool(wrong) or tried < 200


sys.exit(main())
