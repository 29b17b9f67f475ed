"""The first build of llama.cpp that knows a name, from its history in git.

The number of a build is the number of commits of its revision.

SPDX-License-Identifier: Apache-2.0
"""

import contextlib
import os
import subprocess

import sources


class History:
    """The commits of a checkout, or of a git directory without one."""

    def __init__(self, path):
        inside = os.path.join(path, ".git")
        self.git = ["git", "--git-dir",
                    inside if os.path.exists(inside) else path]

    def run(self, *arguments):
        return subprocess.run(self.git + list(arguments), check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def exists(self):
        return os.path.exists(os.path.join(self.git[2], "HEAD"))

    def date(self):
        return self.run("log", "-1", "--format=%cs").decode().strip()

    def build(self, revision="HEAD"):
        return int(self.run("rev-list", "--count", revision))

    def changes(self, paths):
        """Yields (commit, {path: blob or None}), the oldest commit first."""
        log = self.run("log", "--first-parent", "-m", "--reverse", "--no-renames",
                       "--raw", "--no-abbrev", "--format=%H", "HEAD", "--",
                       *paths).decode("utf-8", "replace")
        commit, changed = None, {}
        for line in log.splitlines():
            if line.startswith(":"):
                fields, path = line.split("\t", 1)
                blob = fields.split()[3]
                changed[path] = blob if blob.strip("0") else None
            elif line:
                if commit:
                    yield commit, changed
                commit, changed = line, {}
        if commit:
            yield commit, changed

    @contextlib.contextmanager
    def texts(self):
        """Returns a function from a blob's id to its text."""
        with subprocess.Popen(self.git + ["cat-file", "--batch"],
                              stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:

            def read(blob):
                process.stdin.write(blob.encode() + b"\n")
                process.stdin.flush()
                header = process.stdout.readline().split()
                if header[1:2] != [b"blob"]:
                    return ""  # A history without this file's contents.
                text = process.stdout.read(int(header[2]) + 1)
                return text.decode("utf-8", "replace")

            yield read
            process.stdin.close()


def first_commits(history, kind):
    """Returns {name: the first commit that has it} for one kind of name."""
    paths = sorted({path for group in kind.files for path in group})
    texts, first = {}, {}
    with history.texts() as read:
        for commit, changed in history.changes(paths):
            for path, blob in changed.items():
                texts[path] = read(blob) if blob else ""
            groups = ["\n".join(texts.get(path, "") for path in group)
                      for group in kind.files]
            for name in kind.find(*groups):
                first.setdefault(name, commit)
    return first


def first_builds(path):
    """Returns {kind: {name: number of a build}}.

    No build is older than the first that reads GGUF.
    """
    history = History(path)
    commits = {kind.name: first_commits(history, kind)
               for kind in sources.KINDS}
    builds = {commit: history.build(commit)
              for names in commits.values() for commit in set(names.values())}
    gguf = min((builds[commit] for commit in commits["architecture"].values()),
               default=1)
    return {kind: {name: max(builds[commit], gguf)
                   for name, commit in names.items()}
            for kind, names in commits.items()}
