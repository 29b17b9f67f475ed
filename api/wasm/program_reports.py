"""Writes model files and the program's reports on them, for the tests of the module.

    program_reports.py GGUFCHECK OUT FILE-OR-FOLDER...

Makes OUT/reports.json, a list of {file, name, report}; `file` is the path of a copy
in OUT.  Each copy has a folder of its own, so that shards are checked one by one.

SPDX-License-Identifier: Apache-2.0
"""

import json
import pathlib
import shutil
import subprocess
import sys

ENDINGS = (".gguf", ".bin")
# Of a file in a folder.  Larger ones are checked the same way, and take time.
MOST_BYTES = 4 << 20


def model_files(path):
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*")
                  if file.suffix in ENDINGS and file.stat().st_size <= MOST_BYTES)


def write(program, out, paths):
    """Returns the number of files."""
    copies = []
    for path in (file for path in paths for file in model_files(pathlib.Path(path))):
        copies.append(out / str(len(copies)) / path.name)
        copies[-1].parent.mkdir(parents=True)
        shutil.copyfile(path, copies[-1])
    run = subprocess.run(
        [program, "check", "--no-config", "--header-only", "--format", "json", "--files-from", "-"],
        input="".join(f"{copy}\n" for copy in copies), text=True, stdout=subprocess.PIPE, check=False)
    reports = json.loads(run.stdout)["files"]
    if len(reports) != len(copies):
        raise ValueError(f"{len(reports)} reports on {len(copies)} files")
    (out / "reports.json").write_text(json.dumps([
        {"file": copy.relative_to(out).as_posix(), "name": copy.name, "report": report}
        for copy, report in zip(copies, reports)]))
    return len(copies)


if __name__ == "__main__":
    print(write(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]), "files")
