"""The formats of reports agree with each other, by every way in.

    formats_test.py GGUFCHECK CASE...

Assembles a case of each kind of cause and some without one, and checks the files as
paths, as a list, and one by one from a pipe; then merges the JSON and NDJSON reports.  What a
format says of a file (its result, its causes, and the findings of each rule, with the
cause that explains them) must be the same in all formats and ways.

SPDX-License-Identifier: Apache-2.0
"""

import collections
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

FORMATS = ("text", "json", "ndjson", "sarif", "junit", "markdown", "html", "github")
# Markdown leaves out what passes.
HAVE_RESULTS = ("text", "json", "ndjson", "junit", "markdown", "html")
RESULTS = "pass|fail|incomplete"
SEVERITIES = "error|warning|note"

# What a report says of a file.  `causes` has (message, repair, findings), None for what
# the format does not say; `findings` has (rule, severity) -> (count, whether a cause
# explains them).
Said = collections.namedtuple("Said", "result causes findings")


def add(said, rule, severity, count, caused):
    before, same = said.findings.get((rule, severity), (0, caused))
    assert same == caused, f"{rule}: findings with and without a cause"
    said.findings[rule, severity] = (before + count, caused)


def of_file(file):
    said = Said(file["result"],
                [(c["message"], c["repair"], c["findings"]) for c in file.get("causes", [])
                 if c["findings"]], {})
    for finding in file["findings"]:
        add(said, finding["rule"], finding["severity"], 1, "cause" in finding)
    for more in file.get("more", []):
        add(said, more["rule"], more["severity"], more["count"], "cause" in more)
    return said


def of_files(files):
    out = {}
    for file in files:
        out[file["path"]] = of_file(file)
        # The first shard has the verdict on all.
        if result := file.get("shard", {}).get("result"):
            out[re.sub(r"-\d{5}-of-\d{5}\.gguf$", "", file["path"])] = Said(result, [], {})
    return out


def of_json(text):
    return of_files(json.loads(text)["files"])


def of_ndjson(text):
    records = map(json.loads, text.splitlines())
    return of_files(r for r in records if r["record"] == "file")


def of_sarif(text):
    run = json.loads(text)["runs"][0]
    out = collections.defaultdict(lambda: Said(None, [], {}))

    def path_of(entry):
        return entry["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    for result in run["results"]:
        add(out[path_of(result)], result["ruleId"], result["level"], 1,
            "cause" in result.get("properties", {}))
    for notification in run["invocations"][0]["toolExecutionNotifications"]:
        text = notification["message"]["text"]
        assert not re.search("more findings of", text), "a case has fewer findings than the limit"
        if not text.startswith(("not checked", "could not")):
            out[path_of(notification)].causes.append((text.split(": ", 1)[1], None, None))
    return out


def of_junit(text):
    out = {}
    for suite in xml.etree.ElementTree.fromstring(text):
        counts = collections.Counter(int(suite.get(kind)) > 0 and kind
                                     for kind in ("errors", "failures"))
        said = Said("incomplete" if counts["errors"] else "fail" if counts["failures"] else "pass",
                    [], {})
        out[suite.get("name")] = said
        for line in suite.findtext("system-out", "").splitlines():
            if match := re.fullmatch(r"cause: (.*) \((\d+) findings?\)", line):
                said.causes.append((match[1], None, int(match[2])))
        for case in suite.iter("testcase"):
            for element in case:
                if (element.tag not in ("failure", "system-out")
                        or case.get("name") == "all-shards"):  # It only repeats the result.
                    continue
                lines = (element.text or "").splitlines()
                repair = next(i for i, line in enumerate(lines) if line.startswith("repair: "))
                caused = lines[repair - 1].startswith("cause: ")
                add(said, case.get("name"), None, repair - 1 - caused, caused)
    return out


def of_markdown(text):
    out = {}
    for part in text.split("\n### ")[1:]:
        path, result = re.match(rf"` (.*) `: ({RESULTS})", part).groups()
        said = out[path] = Said(result, [], {})
        for message, repair, count in re.findall(
                r"^\*\*[a-z-]+:\*\* ` (.*) ` ` (.*) ` \((\d+) findings?\)$", part, re.M):
            said.causes.append((message, repair, int(count)))
        for row in re.finditer(
                rf"^\| ({SEVERITIES}) \| \[([a-z0-9-]+)\].* \| ` .* `(<br>.*)? \| (\d+) \|$", part, re.M):
            add(said, row[2], row[1], int(row[4]), "<br>Cause: " in (row[3] or ""))
    return out


def of_html(text):
    out = {}
    for part in text.split('<details class="file')[1:]:
        result, path = re.search(rf'<b class="(?:{RESULTS})">({RESULTS})</b> <code>(.*?)</code>',
                                 part).groups()
        said = out[path] = Said(result, [], {})
        if row := re.search(r'<p class="set"><b class="\w+">(\w+)</b> <code>(.*?)</code>', part):
            out[row[2]] = Said(row[1], [], {})
        for row in re.finditer(r'<p class="cause"><b class="\w+">\w+</b> <b>(.*)</b> (.*) '
                               r'<span class="dim">(\d+) findings?</span>', part):
            said.causes.append((html.unescape(row[1]), html.unescape(row[2]), int(row[3])))
        for row in re.finditer(r'<tr class="finding" data-severity="(\w+)" data-rule="([\w-]+)">(.*)',
                               part):
            add(said, row[2], row[1], 1, "Cause: " in row[3])
    return out


def of_github(text):
    out = collections.defaultdict(lambda: Said(None, [], {}))
    levels = {"error": "error", "warning": "warning", "notice": "note"}
    for level, path, title, message in re.findall(r"^::(\w+) file=(.*?),title=(.*?)::(.*)$", text,
                                                  re.M):
        message = message.replace("%25", "%")
        if cause := re.fullmatch(r"(.*) Findings: (\d+)\. Repair: (.*)", message):
            out[path].causes.append((cause[1], cause[3], int(cause[2])))
            continue
        count = re.search(r" (\d+) such findings\.", message)
        add(out[path], title, levels[level], int(count[1]) if count else 1, " Cause: " in message)
    return out


def of_text(text):
    out = {}
    for part in re.split(r"^(?=(?:PASS|FAIL|INCOMPLETE)  )", text, flags=re.M)[1:]:
        lines = part.splitlines()
        result, path = re.match(r"(\w+)  (\S+)", lines[0]).groups()
        said = out[path] = Said(result.lower(), [], {})
        severity = None
        for line, following in zip(lines, lines[1:] + [""]):
            if cause := re.match(rf"  (?:{SEVERITIES}): (.*)", line):
                said.causes.append((cause[1], following.removeprefix("    repair: "), None))
            elif head := re.match(rf"  \d+ ({SEVERITIES})s?$", line):
                severity = head[1]
            elif rule := re.match(r"    \S.*  \[([a-z0-9-]+)\]$", line):
                add(said, rule[1], severity, 1, None)
    return out


# What a format leaves out is not compared.
def agree(expected, said):
    if said.result not in (None, expected.result):
        return False
    if len(said.causes) != len(expected.causes) or any(
            theirs not in (None, ours) for cause, other in zip(said.causes, expected.causes)
            for theirs, ours in zip(cause, other)):
        return False
    findings = {}
    has_severities = all(severity for _, severity in said.findings)
    for (rule, severity), (count, caused) in expected.findings.items():
        key = (rule, severity if has_severities else None)
        findings[key] = (findings.get(key, (0, None))[0] + count, caused)
    return findings.keys() == said.findings.keys() and all(
        count == findings[key][0] and caused in (None, findings[key][1])
        for key, (count, caused) in said.findings.items())


class Test:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.failures = 0
        self.compared = 0

    def reports(self, command, arguments, stdin=None):
        """Runs a command once; returns the text of each format."""
        out = {name: self.folder / f"report.{name}" for name in FORMATS}
        options = [f"--report={name}={path}" for name, path in out.items()]
        # Without --verbose, text does not list what a cause explains.
        subprocess.run([self.program, command, "--verbose", *options, *arguments],
                       cwd=self.folder, stdin=stdin, stdout=subprocess.DEVNULL, check=False)
        return {name: path.read_text() for name, path in out.items()}

    def compare(self, way, expected, texts):
        for name in FORMATS:
            said = globals()[f"of_{name}"](texts[name])
            for path, wanted in expected.items():
                if name == "sarif":  # Message and repair are one text.
                    wanted = wanted._replace(
                        causes=[(f"{c[0]} {c[1]}", *c[1:]) for c in wanted.causes])
                self.compared += 1
                if name in HAVE_RESULTS and (wanted.result != "pass" or name != "markdown"):
                    assert path in said, f"{way}, {name}: nothing about {path}"
                found = said.get(path, Said(None, [], {}))
                if not agree(wanted, found):
                    self.failures += 1
                    print(f"{way}, {name}: {path}\n  {found}\n  JSON: {wanted}")


    def compare_ways(self, files, more_ways=()):
        """Compares what all formats say by several ways in; returns what JSON says."""
        by_path = self.reports("check", ["--no-config", *files])
        expected = of_json(by_path["json"])
        assert set(files) <= set(expected)
        self.compare("paths", expected, by_path)
        (self.folder / "list").write_text("".join(f"{file}\n" for file in files))
        for arguments in (["--files-from", "list"], *more_ways):
            texts = self.reports("check", ["--no-config", *arguments])
            assert of_json(texts["json"]) == expected, arguments
            self.compare(" ".join(arguments), expected, texts)
        for way, name in (("merged JSON", "json"), ("merged NDJSON", "ndjson")):
            (self.folder / "whole").write_text(by_path[name])
            self.compare(way, expected, self.reports("merge-reports", ["whole"]))
        return expected

    def assemble(self, case, name):
        """Returns whether the case has a file."""
        made = subprocess.run([self.program, "corpus", "assemble", case, "-o", self.folder / name],
                              stderr=subprocess.PIPE, check=False)
        return made.returncode == 0

    def compare_sets(self, cases):
        """Compares the verdict on the shards of a model, by all ways to name them."""
        (self.folder / "set").mkdir()
        names = [f"set/m-0000{i}-of-00003.gguf" for i in (1, 2, 3)]
        shards = [next(case for case in cases if case.match(f"shards/valid-{which}.gguft"))
                  for which in ("first", "second", "third")]
        for case, name in zip(shards, names):
            assert self.assemble(case, name)
        last = self.folder / names[2]
        whole = last.read_bytes()
        for bytes_, result in ((whole, "pass"), (whole[:-1], "fail"), (None, "fail")):
            if bytes_ is None:
                last.unlink()
                names.pop()
            else:
                last.write_bytes(bytes_)
            said = self.compare_ways(names, [[names[0]], [names[-1]], ["set"]])
            assert said["set/m"].result == result, said


def main(program, cases):
    with tempfile.TemporaryDirectory() as folder:
        test = Test(pathlib.Path(program).resolve(), pathlib.Path(folder))
        kinds = set()
        files = []
        for case in map(pathlib.Path, cases):
            found = re.search("^upload cause (.*)$", case.read_text(errors="replace"), re.M)
            kind = found and found[1]
            if kind in kinds or case.stem.startswith("valid-"):
                continue
            if test.assemble(case, f"{case.stem}.gguf"):
                kinds.add(kind)
                files.append(f"{case.stem}.gguf")
        test.compare_sets([pathlib.Path(case) for case in cases])
        assert len(kinds) > 2, f"the cases have too few causes: {kinds}"

        # A few files at a time: GitHub shows ten annotations of a severity.
        expected = {}
        for i in range(0, len(files), 2):
            expected.update(test.compare_ways(files[i:i + 2]))

        for file in files:
            with open(test.folder / file, "rb") as stdin:
                texts = test.reports("check", ["--no-config", "-"], stdin)
            piped = of_json(texts["json"])
            test.compare("a pipe", piped, texts)
            # A pipe has no name, thus no shards.
            if not any("shard" in cause[0] for cause in expected[file].causes):
                assert list(piped.values())[0].causes == expected[file].causes, file
    print(f"{test.compared} compared, {test.failures} differ; causes: "
          f"{', '.join(sorted(filter(None, kinds)))}")
    return 1 if test.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
