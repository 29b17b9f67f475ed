"""ggufcheck_release: a released program, for gguf_check_test.

    load("@ggufcheck//integrations/bazel:release.bzl", "ggufcheck_release")

    ggufcheck_release(
        version = "0.2.0",
        sha256 = "...",  # SHA256SUMS of the release has it.
    )

SPDX-License-Identifier: Apache-2.0
"""

def _ggufcheck_release_impl(ctx):
    ctx.download_and_extract(
        sha256 = ctx.attr.sha256,
        stripPrefix = "ggufcheck-" + ctx.attr.version,
        url = "{0}/v{1}/ggufcheck-{1}-linux-{2}.tar.gz".format(
            ctx.attr.releases,
            ctx.attr.version,
            ctx.attr.processor,
        ),
    )
    ctx.file(
        "BUILD.bazel",
        "exports_files([\"bin/ggufcheck\"], visibility = [\"//visibility:public\"])\n",
    )

_ggufcheck_release = repository_rule(
    implementation = _ggufcheck_release_impl,
    attrs = {
        "processor": attr.string(values = ["aarch64", "x86_64"]),
        "releases": attr.string(),
        "sha256": attr.string(mandatory = True),
        "version": attr.string(mandatory = True),
    },
)

def ggufcheck_release(
        version,
        sha256,
        processor = "x86_64",
        releases = "https://github.com/OWNER/ggufcheck/releases/download"):
    """Defines the repository @ggufcheck_release.

    Args:
      version: of the release, such as "0.2.0".
      sha256: of ggufcheck-VERSION-linux-PROCESSOR.tar.gz.
      processor: "x86_64" or "aarch64".
      releases: the URL above the folder of a version.
    """
    _ggufcheck_release(
        name = "ggufcheck_release",
        processor = processor,
        releases = releases,
        sha256 = sha256,
        version = version,
    )
