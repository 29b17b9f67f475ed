"""C++ libraries from Debian packages, as Bazel repositories.

Each repository links to the library's headers.  If they are missing, its error
names the package to install.

SPDX-License-Identifier: Apache-2.0
"""

# The latter two hold headers that differ between processors.
_ROOTS = [
    "/usr/include",
    "/usr/include/x86_64-linux-gnu",
    "/usr/include/aarch64-linux-gnu",
]

def _debian_library_impl(ctx):
    for header in ctx.attr.headers:
        found = [
            root + "/" + header
            for root in _ROOTS
            if ctx.path(root + "/" + header).exists
        ]
        if not found:
            fail("\n\n%s needs %s/%s.  Install it:  apt-get install %s\n" %
                 (ctx.name, _ROOTS[0], header, ctx.attr.package))
        ctx.symlink(found[0], "include/" + header)
    ctx.file("BUILD.bazel", ctx.read(ctx.path(ctx.attr.build_file)))

debian_library = repository_rule(
    implementation = _debian_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True),
        "headers": attr.string_list(
            mandatory = True,
            doc = "Files or folders below one of _ROOTS.",
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
    "curl": ("libcurl4-openssl-dev", ["curl"]),
    "gtest": ("libgtest-dev libgmock-dev", ["gtest", "gmock"]),
    "hwy": ("libhwy-dev", ["hwy"]),
    "libzip": ("libzip-dev", ["zip.h", "zipconf.h"]),
    "nlohmann_json": ("nlohmann-json3-dev", ["nlohmann"]),
    "openssl": ("libssl-dev", ["openssl"]),
    "re2": ("libre2-dev", ["re2"]),
    "tinyxml2": ("libtinyxml2-dev", ["tinyxml2.h"]),
    "tomlplusplus": ("libtomlplusplus-dev", ["toml++"]),
    "valijson": ("libvalijson-dev", ["valijson"]),
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
