"""Pages of the Markdown documents.

SPDX-License-Identifier: Apache-2.0
"""

import os
import posixpath

import markdown
from markdown.extensions import Extension
from markdown.extensions.toc import TocExtension
from markdown.treeprocessors import Treeprocessor

# Document: (page, title in the menu).
PAGES = {
    "README.md": ("index.html", "Overview"),
    "docs/install.md": ("docs/install.html", "Install"),
    "docs/troubleshooting.md": ("docs/troubleshooting.html", "Troubleshooting"),
    "docs/fix.md": ("docs/fix.html", "Fix"),
    "docs/gate.md": ("docs/gate.html", "The gate"),
    "docs/configuration.md": ("docs/configuration.html", "Configuration"),
    "docs/reports.md": ("docs/reports.html", "Reports"),
    "docs/compare.md": ("docs/compare.html", "Compare"),
    "docs/comparison.md": ("docs/comparison.html", "Limits and other tools"),
    "docs/library.md": ("docs/library.html", "Library"),
    "docs/format.md": ("docs/format.html", "The format"),
    "docs/test-your-reader.md": ("docs/test-your-reader.html", "Test your reader"),
    "docs/reader-protocol.md": ("docs/reader-protocol.html", "Reader protocol"),
    "docs/fuzzing.md": ("docs/fuzzing.html", "Fuzzing"),
    "docs/pre-tokenizers.md": ("docs/pre-tokenizers.html", "Pre-tokenizers"),
    "docs/performance.md": ("docs/performance.html", "Performance"),
    "docs/keeping-up.md": ("docs/keeping-up.html", "Keeping up"),
    "docs/design.md": ("docs/design.html", "Design"),
    "docs/extending.md": ("docs/extending.html", "Extending"),
    "corpus/README.md": ("corpus/about.html", "The corpus"),
    "CONTRIBUTING.md": ("docs/contributing.html", "Contributing"),
    "CHANGELOG.md": ("docs/changelog.html", "Changes"),
}
# These have pages of their own kind instead.
RULES = "docs/rules.md"
READERS = "docs/readers-report.md"


class BrokenLink(Exception):
    pass


class _SitePage(Treeprocessor):
    """Points links at pages of the site, or at files of the repository.

    The pages' policy forbids styles in attributes: a cell's becomes a class.
    """

    def __init__(self, site, source):
        super().__init__()
        self._site = site
        self._source = source

    def run(self, root):
        for element in root.iter("a"):
            element.set("href", self.target(element.get("href", "")))
        for element in root.iter():
            style = element.attrib.pop("style", "")
            if style:
                element.set("class", style.rstrip(";").split()[-1])

    def target(self, link):
        if not link or link.startswith(("#", "http:", "https:", "mailto:")):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(self._source), path))
        if not os.path.exists(self._site.root / path):
            raise BrokenLink(f"{self._source}: no file {path}")
        if path == RULES:
            page, anchor = (f"rules/{anchor}.html" if anchor else "rules/index.html"), ""
        elif path == READERS:
            page, anchor = "readers/index.html", ""
        elif path in PAGES:
            page = PAGES[path][0]
        else:
            kind = "tree" if os.path.isdir(self._site.root / path) else "blob"
            return f"{self._site.repository}/{kind}/main/{path}" + (anchor and "#" + anchor)
        here = posixpath.dirname(PAGES[self._source][0])
        return posixpath.relpath(page, here or ".") + (anchor and "#" + anchor)


class _SiteExtension(Extension):
    def __init__(self, processor):
        super().__init__()
        self._processor = processor

    def extendMarkdown(self, md):
        md.treeprocessors.register(self._processor, "site_page", 0)


def write(site):
    menu = [{"page": page, "title": title} for page, title in PAGES.values()]
    for source, (page, title) in PAGES.items():
        toc = TocExtension(toc_depth="2-3")
        md = markdown.Markdown(extensions=[
            "tables", "fenced_code", "sane_lists", toc,
            _SiteExtension(_SitePage(site, source))])
        body = md.convert((site.root / source).read_text())
        site.write(page, "document.html", title=title, body=body, menu=menu,
                   headings=md.toc_tokens[0]["children"] if md.toc_tokens else [])
