"""A test that runs a reader of GGUF files over the corpus.

SPDX-License-Identifier: Apache-2.0
"""

def gguf_reader_conformance_test(
        name,
        reader,
        known_failures = None,
        selectors = [],
        flags = [],
        **kwargs):
    """Runs `ggufcheck readers run` over the corpus.

    Args:
      name: of the test.
      reader: the label of a program that implements docs/reader-protocol.md.
      known_failures: the label of a list of known failures; an outdated list
        also fails the test.
      selectors: globs over section/name; by default, all cases are run.
      flags: more flags of `ggufcheck readers run`, such as "--level=should".
      **kwargs: common attributes of tests: size, tags, ...
    """
    ggufcheck = str(Label("//cli:ggufcheck"))
    cases = str(Label("//corpus:cases"))
    data = [reader, ggufcheck, cases]
    args = ["$(rootpath %s)" % ggufcheck, "$(rootpath %s)" % reader]
    if known_failures:
        data.append(known_failures)
        args.append("--known-failures=$(rootpath %s)" % known_failures)
    native.sh_test(
        name = name,
        srcs = [str(Label("//conformance/readers:conformance_test.sh"))],
        args = args + flags + selectors,
        data = data,
        **kwargs
    )
