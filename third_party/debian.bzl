"""C++ libraries from Debian packages, as Bazel repositories.

Each repository links the library's headers into itself and names the package
to install when they are not there.

SPDX-License-Identifier: Apache-2.0
"""

def _debian_library_impl(ctx):
    root = "/usr/include"
    for header in ctx.attr.headers:
        if not ctx.path(root + "/" + header).exists:
            fail("\n\n%s needs %s/%s.  Install it:  apt-get install %s\n" %
                 (ctx.name, root, header, ctx.attr.package))
        ctx.symlink(root + "/" + header, "include/" + header)
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

debian_library = repository_rule(
    implementation = _debian_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "headers": attr.string_list(
            mandatory = True,
            doc = "Files or folders below /usr/include.",
        ),
        "package": attr.string(mandatory = True, doc = "For apt-get install."),
    },
    local = True,
)

# name: (package, headers).  The BUILD file is third_party/<name>.BUILD.
_LIBRARIES = {
    "absl": ("libabsl-dev", ["absl"]),
    "benchmark": ("libbenchmark-dev", ["benchmark"]),
    "cli11": ("libcli11-dev", ["CLI"]),
    "gtest": ("libgtest-dev libgmock-dev", ["gtest", "gmock"]),
    "hwy": ("libhwy-dev", ["hwy"]),
    "libzip": ("libzip-dev", ["zip.h", "zipconf.h"]),
    "nlohmann_json": ("nlohmann-json3-dev", ["nlohmann"]),
    "openssl": ("libssl-dev", ["openssl"]),
    "re2": ("libre2-dev", ["re2"]),
    "xxhash": ("libxxhash-dev", ["xxhash.h"]),
}

def debian_libraries():
    for name, (package, headers) in _LIBRARIES.items():
        debian_library(
            name = name,
            build_file = "@ggufcheck//third_party:%s.BUILD" % name,
            headers = headers,
            package = package,
        )
