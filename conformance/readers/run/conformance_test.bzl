"""A test that a reader of GGUF files does with the corpus what it should.

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
      reader: the label of a program that speaks docs/reader-protocol.md.
      known_failures: the label of a list of the cases that it fails by now;
        a list that is out of date fails the test, too.
      selectors: globs over section/name; without them, all cases are run.
      flags: more of `ggufcheck readers run --help`, such as "--level=should".
      **kwargs: what every test may have: size, tags, ...
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
        srcs = [str(Label("//conformance/readers/run:conformance_test.sh"))],
        args = args + flags + selectors,
        data = data,
        **kwargs
    )
