"""Makes a small copy of a log of `ggufcheck readers run`.

    keep_log.py LOG.ndjson LOG.ndjson.gz [NOTE]

Leaves out what the corpus has (texts, bytes) and what differs from run to run,
and shortens messages.  NOTE says how the reader was built.

SPDX-License-Identifier: Apache-2.0
"""

import gzip
import json
import sys

MOST_TEXT = 160


def shorten(record):
    for name in ("text", "hex", "why", "repro", "stderr"):
        if name in record:
            record[name] = ""
    if "marks" in record:
        record["marks"] = []
    record["seconds"] = round(record["seconds"], 2)
    record["peak_kib"] = 0
    if record["reject"]:
        record["reject"]["text"] = record["reject"]["text"][:MOST_TEXT]
    if record["difference"]:
        for name in ("expected", "observed"):
            record["difference"][name] = record["difference"][name][:MOST_TEXT]
    return record


def main():
    source, target, *note = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if not lines or not lines[-1].get("complete"):
        sys.exit(f"{source}: the run is not complete")
    if note:
        lines[0]["note"] = note[0]
    lines[1:-1] = map(shorten, lines[1:-1])
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    with open(target, "wb") as file:  # No name and no time: equal logs are equal files.
        with gzip.GzipFile("", "wb", 9, file, 0) as packed:
            packed.write(text.encode())


main()
