"""The page on which a file is dropped, with the WebAssembly module.

SPDX-License-Identifier: Apache-2.0
"""

ASSETS = ("docs/site/playground/playground.js", "docs/site/playground/worker.mjs",
          "api/wasm/ggufcheck.mjs")
EXAMPLE = "corpus/examples/broken.gguf"


def write(site, module, rules):
    site.write("check/index.html", "playground.html", profiles=list(rules[0]["severities"]))
    for path in ASSETS:
        site.copy("check/" + path.rsplit("/", 1)[1], (site.root / path).read_bytes())
    site.copy("check/ggufcheck.wasm", module.read_bytes())
    site.copy("check/example.gguf", (site.root / EXAMPLE).read_bytes())
