"""C++ libraries from Debian packages, as Bazel repositories.

Each repository links to the library's headers.  If they are missing, its error
names the package to install.  ARCHIVES in its archives.bzl are the static
libraries libNAME_*.a, where a package has several.

SPDX-License-Identifier: Apache-2.0
"""

# Debian's names of processors, in the paths of what differs between them.
_PROCESSORS = ["x86_64-linux-gnu", "aarch64-linux-gnu"]

_ROOTS = ["/usr/include"] + ["/usr/include/" + name for name in _PROCESSORS]

# Returns the names of the static libraries that begin with `prefix`.
def _archives(ctx, prefix):
    for name in _PROCESSORS:
        found = [
            path.basename
            for folder in [ctx.path("/usr/lib/" + name)]
            if folder.exists
            for path in folder.readdir()
            if path.basename.startswith(prefix) and path.basename.endswith(".a")
        ]
        if found:
            return sorted(found)
    return []

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
    names = _archives(ctx, "lib%s_" % ctx.name)
    ctx.file("archives.bzl", "ARCHIVES = %r\n" % names)
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
    "boost": ("libboost-dev", ["boost"]),
    "cli11": ("libcli11-dev", ["CLI"]),
    "hwy": ("libhwy-dev", ["hwy"]),
    "nlohmann_json": ("nlohmann-json3-dev", ["nlohmann"]),
    "openssl": ("libssl-dev", ["openssl"]),
    "re2": ("libre2-dev", ["re2"]),
    "tomlplusplus": ("libtomlplusplus-dev", ["toml++"]),
    "xxhash": ("libxxhash-dev", ["xxhash.h"]),
    "zlib": ("zlib1g-dev", ["zconf.h", "zlib.h"]),
}

# What only tests and benchmarks need, and `./dev check` does not install.
_TEST_LIBRARIES = {
    "benchmark": ("libbenchmark-dev", ["benchmark"]),
    "gtest": ("libgtest-dev libgmock-dev", ["gtest", "gmock"]),
    "libzip": ("libzip-dev", ["zip.h", "zipconf.h"]),
    "tinyxml2": ("libtinyxml2-dev", ["tinyxml2.h"]),
    "valijson": ("libvalijson-dev", ["valijson"]),
}

def debian_libraries():
    libraries = _LIBRARIES.items() + _TEST_LIBRARIES.items()
    for name, (package, headers) in libraries:
        debian_library(
            name = name,
            build_file = "@ggufcheck//third_party:%s.BUILD" % name,
            headers = headers,
            package = package,
        )
