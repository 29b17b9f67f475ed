"""fuzz_target: one property, fuzzed by libFuzzer and replayed by every test run.

SPDX-License-Identifier: Apache-2.0
"""

def fuzz_target(name, seeds, deps, folder = None):
    """Defines a libFuzzer binary and an ordinary test of <name>.cc.

    Args:
      name: of the source file, without .cc; it defines LLVMFuzzerTestOneInput.
      seeds: files and folders to start from, and to replay.
      deps: of the source.
      folder: of the seeds, if they are too many for a command line.
    """
    regressions = native.glob(["regressions/%s/*" % name])

    # ./dev fuzz <name>.  Only clang can link it.
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = [name + ".cc"],
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzzer",
            "manual",
        ],
        deps = deps,
    )
    native.cc_test(
        name = name + "_test",
        size = "small",
        srcs = [
            name + ".cc",
            "replay_main.cc",
        ],
        args = ([folder] if folder else ["$(locations %s)" % label for label in seeds]) +
               ["$(locations %s)" % label for label in regressions],
        data = seeds + regressions,
        deps = deps,
    )

def _written_seeds_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    ctx.actions.run(
        executable = ctx.executable._write_seeds,
        arguments = [ctx.attr.kind, ctx.attr.folder, folder.path],
        inputs = ctx.files.srcs,
        outputs = [folder],
        mnemonic = "WriteSeeds",
    )
    return DefaultInfo(
        files = depset([folder]),
        runfiles = ctx.runfiles([folder]),
    )

# A folder of seeds that write_seeds makes from the files of another.
written_seeds = rule(
    implementation = _written_seeds_impl,
    attrs = {
        "kind": attr.string(mandatory = True),
        "folder": attr.string(default = "corpus/cases"),
        "srcs": attr.label(default = "//corpus:cases"),
        "_write_seeds": attr.label(
            default = "//fuzz:write_seeds",
            executable = True,
            cfg = "target",  # Of the objects that are built anyway.
        ),
    },
)
