#!/usr/bin/python3
"""Writes the site.

    build_site.py --program GGUFCHECK --root REPOSITORY --out FOLDER [--module WASM]

Without the WebAssembly module, there is no page on which a file is dropped.

SPDX-License-Identifier: Apache-2.0
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import jinja2

import corpus_pages
import documents
import playground_page
import reader_pages
import rule_pages

HERE = pathlib.Path(__file__).resolve().parent
ASSETS = ("style.css", "filter.js", "menu.js", "icon.svg")
EXAMPLE = "corpus/examples/Example-1K-v1.0-F32.gguf"


class Site:
    """The folder that is written, and what its pages share."""

    def __init__(self, root, out, repository, version, has_playground):
        self.root = root
        self.out = out
        self.repository = repository
        self.version = version
        self.has_playground = has_playground
        self._templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True,
            undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)

    def write(self, page, template, **values):
        """Writes a page; `page` is its path in the site."""
        text = self._templates.get_template(template).render(
            top="../" * page.count("/"), page=page, version=self.version,
            repository=self.repository, has_playground=self.has_playground, **values)
        self.copy(page, text.encode())

    def copy(self, page, data):
        """Writes a file that is no page."""
        path = self.out / page
        if path.exists():
            raise FileExistsError(f"two pages are {page}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def json_of(*command):
    """Returns what a command prints."""
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    parser = argparse.ArgumentParser(description="Write the site.")
    for flag in ("program", "root", "out"):
        parser.add_argument("--" + flag, type=pathlib.Path, required=True)
    parser.add_argument("--module", type=pathlib.Path)
    args = parser.parse_args()
    program = str(args.program.resolve())
    root = args.root.resolve()
    rules = json_of(program, "rules", "--format", "json")
    # SARIF names the tool's own page.
    sarif = json_of(program, "check", "--no-config", "--format", "sarif", root / EXAMPLE)
    site = Site(root, args.out.resolve(), sarif["runs"][0]["tool"]["driver"]["informationUri"],
                rules["tool"]["version"], args.module is not None)
    readers = reader_pages.read(program)
    shutil.rmtree(site.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "corpus", "export", folder], check=True,
                       cwd=site.root, stdout=subprocess.DEVNULL)
        cases = corpus_pages.read_cases(site.root, pathlib.Path(folder))
    corpus_pages.write(site, cases, rules["rules"], readers)
    reader_pages.write(site, readers, cases)
    rule_pages.write(site, rules["rules"], cases)
    documents.write(site)
    if args.module:
        playground_page.write(site, args.module, rules["rules"])
    for name in ASSETS:
        site.copy(name, (HERE / name).read_bytes())
    print(f"wrote {sum(1 for _ in site.out.rglob('*.html'))} pages to {args.out}")


if __name__ == "__main__":
    try:
        main()
    except (documents.BrokenLink, FileExistsError, subprocess.CalledProcessError) as error:
        sys.exit(f"build_site: {error}")
