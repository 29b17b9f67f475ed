"""gguf_check_test: a test that model files pass ggufcheck.

    load("@ggufcheck//integrations/bazel:gguf_check_test.bzl", "gguf_check_test")

    gguf_check_test(
        name = "model_test",
        srcs = ["model.gguf"],
        profile = "upload",
    )

The program is that of ggufcheck_release() (release.bzl) in the WORKSPACE.

SPDX-License-Identifier: Apache-2.0
"""

def _quote(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _gguf_check_test_impl(ctx):
    flags = [
        "--profile",
        ctx.attr.profile,
        "--fail-on",
        ctx.attr.fail_on,
    ]
    files = list(ctx.files.srcs)
    if ctx.file.config:
        flags += ["--config", ctx.file.config.short_path]
        files.append(ctx.file.config)
    flags += ctx.attr.flags + ["--"] + [file.short_path for file in ctx.files.srcs]
    ctx.actions.write(
        ctx.outputs.executable,
        # Bazel shows the log of a failed test, and reads its XML report.
        "#!/bin/sh\nexec %s check ${TEST_TOTAL_SHARDS:+--shard auto} %s\n" % (
            _quote(ctx.executable.ggufcheck.short_path),
            " ".join([_quote(word) for word in flags]),
        ),
        is_executable = True,
    )
    return DefaultInfo(runfiles = ctx.runfiles(
        files = files,
        transitive_files = depset(
            [ctx.executable.ggufcheck],
            transitive = [ctx.attr.ggufcheck[DefaultInfo].default_runfiles.files],
        ),
    ))

gguf_check_test = rule(
    implementation = _gguf_check_test_impl,
    test = True,
    attrs = {
        "config": attr.label(
            allow_single_file = [".toml"],
            doc = "A ggufcheck.toml.",
        ),
        "fail_on": attr.string(
            default = "error",
            values = ["error", "warning", "note"],
        ),
        "flags": attr.string_list(doc = "Further flags of ggufcheck check."),
        "profile": attr.string(default = "upload"),
        "srcs": attr.label_list(
            allow_empty = False,
            allow_files = True,
            doc = "Model files, with all shards of a model.",
            mandatory = True,
        ),
        "ggufcheck": attr.label(
            allow_single_file = True,
            cfg = "target",
            default = "@ggufcheck_release//:bin/ggufcheck",
            executable = True,
        ),
    },
)
