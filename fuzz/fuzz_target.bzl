"""fuzz_target: one property, fuzzed by libFuzzer and replayed by every test run.

SPDX-License-Identifier: Apache-2.0
"""

def fuzz_target(name, seeds, deps):
    """Defines a libFuzzer binary and an ordinary test of <name>.cc.

    Args:
      name: of the source file, without .cc; it defines LLVMFuzzerTestOneInput.
      seeds: files to begin with, and to replay.
      deps: of the source.
    """
    regressions = native.glob(["regressions/%s/*" % name])

    # bazel run --config=fuzz //fuzz:<name>.  Only clang can link it.
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = [name + ".cc"],
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = deps,
    )
    native.cc_test(
        name = name + "_test",
        size = "small",
        srcs = [
            name + ".cc",
            "replay_main.cc",
        ],
        args = ["$(locations %s)" % label for label in seeds + regressions],
        data = seeds + regressions,
        deps = deps,
    )
