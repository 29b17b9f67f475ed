#!/usr/bin/python3
"""site_test.py GGUFCHECK: the site as a whole, and the dumps of its pages.

SPDX-License-Identifier: Apache-2.0
"""

import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import corpus_pages
import documents

HERE = pathlib.Path(os.path.realpath(__file__)).parent
ROOT = HERE.parent.parent
MOST_BYTES = 300 * 1024


class Page(html.parser.HTMLParser):
    """What the tests ask of a page."""

    def __init__(self, text):
        super().__init__()
        self.links = []
        self.requests = []
        self.ids = set()
        self.policy = ""
        self.scripts_inside = 0
        self.text = text
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids.add(attrs["id"])
        if tag == "a" and "href" in attrs:
            self.links.append(attrs["href"])
        if tag in ("link", "script", "img"):
            self.requests.append(attrs.get("href") or attrs.get("src"))
        self.scripts_inside += "style" in attrs or any(name.startswith("on") for name in attrs)
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name) / "site"
        subprocess.run([sys.executable, HERE / "build_site.py", "--program", PROGRAM,
                        "--root", ROOT, "--out", cls.out],
                       check=True, stdout=subprocess.DEVNULL)
        cls.pages = {path.relative_to(cls.out).as_posix(): Page(path.read_text())
                     for path in cls.out.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_link_has_a_target(self):
        for name, page in self.pages.items():
            for link in page.links:
                url = urllib.parse.urlparse(link)
                if url.scheme:
                    continue
                target = name if not url.path else os.path.normpath(
                    os.path.join(os.path.dirname(name), urllib.parse.unquote(url.path)))
                self.assertTrue((self.out / target).is_file(), f"{name}: {link}")
                if url.fragment:
                    self.assertIn(url.fragment, self.pages[target].ids, f"{name}: {link}")

    def test_pages_are_small(self):
        for name, page in self.pages.items():
            self.assertLessEqual(len(page.text.encode()), MOST_BYTES, name)

    def test_pages_request_nothing_from_other_hosts(self):
        for name, page in self.pages.items():
            self.assertIn("default-src 'none'", page.policy, name)
            self.assertNotIn("http", page.policy, name)
            self.assertNotIn("unsafe", page.policy, name)
            self.assertEqual(page.scripts_inside, 0, name)
            for request in page.requests:
                path = os.path.normpath(os.path.join(os.path.dirname(name), request))
                self.assertTrue((self.out / path).is_file(), f"{name}: {request}")

    def test_a_rule_has_its_cases_with_their_bytes(self):
        page = self.pages["rules/tensor-offset-aligned.html"]
        self.assertIn("../corpus/layout/invalid-first-offset-1.html", page.links)
        self.assertIn("<mark>", page.text)

    def test_a_case_has_its_file(self):
        page = self.pages["corpus/header/invalid-ends-behind-magic.html"]
        self.assertIn("invalid-ends-behind-magic.gguf", page.links)
        path = self.out / "corpus/header/invalid-ends-behind-magic.gguf"
        self.assertEqual(path.read_bytes(), b"GGUF")


    def test_a_reader_has_its_failures_in_words(self):
        self.assertIn("../readers/hyllama.html", self.pages["readers/index.html"].links)
        page = self.pages["readers/hyllama.html"]
        self.assertIn("../corpus/metadata/valid-elements-not-normalized.html", page.links)
        self.assertIn("It accepted the file. It should have rejected the file.", page.text)
        case = self.pages["corpus/metadata/valid-elements-not-normalized.html"]
        self.assertIn("../../readers/hyllama.html", case.links)

    def test_urls_in_reports_are_pages(self):
        rules = json.loads(subprocess.run([PROGRAM, "rules", "--format", "json"],
                                          check=True, stdout=subprocess.PIPE).stdout)["rules"]
        for rule in rules:
            self.assertRegex(rule["url"], "^https://[A-Za-z0-9-]+[.]github[.]io/ggufcheck/rules/")
            self.assertTrue((self.out / rule["url"].split("/ggufcheck/")[1]).is_file(), rule["url"])


class FindingsTest(unittest.TestCase):
    def test_reads_the_findings_that_a_case_expects(self):
        text = 'upload 0x1 error not-yet\n=== expect\nupload 0x10+4 error a-rule\nspec none\n' \
               'spec 0x20 warning b-rule\n=== dump\nupload 0x1 error too-late\n'
        self.assertEqual(corpus_pages.parse_findings(text), [
            corpus_pages.Finding("upload", 16, 20, "error", "a-rule"),
            corpus_pages.Finding("spec", 32, 32, "warning", "b-rule"),
        ])


class DumpTest(unittest.TestCase):
    def test_marks_the_bytes_of_a_range(self):
        rows = corpus_pages.rows(b"GGUF\x03" + bytes(20), [(3, 5)])
        self.assertEqual([row[0] for row in rows], ["00000000", "00000010"])
        self.assertEqual([digits for digits, marked in rows[0][1] if marked], ["46", "03"])
        self.assertEqual(rows[0][2], "GGUF............")
        self.assertEqual(len(rows[1][1]), 9)

    def test_an_empty_range_marks_the_byte_where_it_begins(self):
        rows = corpus_pages.rows(bytes(32), [(17, 17)])
        self.assertEqual([i for i, (_, marked) in enumerate(rows[1][1]) if marked], [1])

    def test_leaves_rows_out_far_from_marks(self):
        rows = corpus_pages.rows(bytes(16 * 100), [(16 * 50, 16 * 50 + 1)], first_rows=1)
        self.assertEqual([row and row[0] for row in rows],
                         ["00000000", None, "00000300", "00000310", "00000320",
                          "00000330", "00000340", None])

    def test_a_range_at_the_end_of_the_file_marks_nothing_beyond_it(self):
        rows = corpus_pages.rows(b"GGUF", [(4, 4)])
        self.assertEqual(len(rows), 1)
        self.assertFalse(any(marked for _, marked in rows[0][1]))


class LinksTest(unittest.TestCase):
    class FakeSite:
        root = ROOT
        repository = "https://example.org/r"

    def target(self, link, source="docs/gate.md"):
        return documents._SitePage(self.FakeSite, source).target(link)

    def test_points_at_pages_rules_and_the_repository(self):
        self.assertEqual(self.target("../README.md#install"), "../index.html#install")
        self.assertEqual(self.target("reports.md"), "reports.html")
        self.assertEqual(self.target("rules.md#key-unique"), "../rules/key-unique.html")
        self.assertEqual(self.target("readers-report.md#hyllama-022"), "../readers/index.html")
        self.assertEqual(self.target("docs/gate.md", "README.md"), "docs/gate.html")
        self.assertEqual(self.target("../dev"), "https://example.org/r/blob/main/dev")
        self.assertEqual(self.target("../cli"), "https://example.org/r/tree/main/cli")
        self.assertEqual(self.target("https://x/y#z"), "https://x/y#z")

    def test_a_file_that_does_not_exist_is_an_error(self):
        with self.assertRaisesRegex(documents.BrokenLink, "docs/gate.md: no file docs/none.md"):
            self.target("none.md")


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
