"""c_library_files: the static and the shared library of a C interface.

Both hold all C++ code that the interface needs, but only its functions are
visible: two libraries with other versions of that code can be in one program.

SPDX-License-Identifier: Apache-2.0
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# What a program links itself.
_OF_THE_SYSTEM = ["-ldl", "-lm", "-lpthread", "-lstdc++", "-pthread"]

# Section groups would be merged with those of a program by name.
_COMMAND = """
set -eu
compiler=$1 objcopy=$2 nm=$3 ar=$4 strip=$5 header=$6 soname=$7 archive=$8 shared=$9
shift 9
work=$archive.work
mkdir -p "$work"
grep -oE 'ggufcheck_[a-z_]+\\(' "$header" | tr -d '(' | sort -u >"$work/names"
mapfile -t names <"$work/names"
(echo "{ global:"; sed 's/$/;/' "$work/names"; echo "local: *; };") >"$work/version"
"$compiler" -r -nostdlib -o "$work/all.o" -Wl,--gc-sections -Wl,--force-group-allocation \
  "${names[@]/#/-Wl,-u,}" -Wl,--start-group "$@" -Wl,--end-group
# Unique symbols cannot be made local, but weak ones can.
"$nm" "$work/all.o" | sed -nE 's/^[0-9a-f]+ u //p' >"$work/unique"
"$objcopy" --weaken-symbols="$work/unique" "$work/all.o"
"$objcopy" --strip-unneeded --keep-global-symbols="$work/names" "$work/all.o" "$work/ggufcheck.o"
rm -f "$archive"
"$ar" rcsD "$archive" "$work/ggufcheck.o"
"$compiler" -shared -o "$shared" "$work/all.o" -Wl,-soname,"$soname" \
  -Wl,--version-script="$work/version" -static-libgcc -l:libstdc++.a -lm -lpthread \
  -Wl,--as-needed -Wl,--gc-sections -Wl,-z,defs -Wl,-z,relro -Wl,-z,now
"$strip" "$shared"
rm -r "$work"
"""

def _flag(flag):
    """Names the static library of -lNAME."""
    if flag.startswith("-l") and not flag.startswith("-l:"):
        return "-l:lib%s.a" % flag[2:]
    return flag

def _c_library_files_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    archives = []
    flags = list(ctx.fragments.cpp.linkopts)
    for linked in ctx.attr.library[CcInfo].linking_context.linker_inputs.to_list():
        for library in linked.libraries:
            archives.append(library.static_library or library.pic_static_library)
        flags += [
            _flag(flag)
            for flag in linked.user_link_flags
            if flag not in _OF_THE_SYSTEM and flag not in ["-Wl,--start-group", "-Wl,--end-group"]
        ]
    archive = ctx.actions.declare_file("%s/lib%s.a" % (ctx.label.name, ctx.attr.base))
    shared = ctx.actions.declare_file(
        "%s/lib%s.so.%s" % (ctx.label.name, ctx.attr.base, ctx.attr.abi),
    )
    ctx.actions.run_shell(
        command = _COMMAND,
        arguments = [
            toolchain.compiler_executable,
            toolchain.objcopy_executable,
            toolchain.nm_executable,
            toolchain.ar_executable,
            toolchain.strip_executable,
            ctx.file.header.path,
            shared.basename,
            archive.path,
            shared.path,
        ] + [file.path for file in archives] + flags,
        inputs = depset(
            archives + [ctx.file.header],
            transitive = [toolchain.all_files],
        ),
        outputs = [archive, shared],
        mnemonic = "CLibrary",
        use_default_shell_env = True,  # The compiler looks for ld in PATH.
    )
    return DefaultInfo(files = depset([archive, shared]))

c_library_files = rule(
    implementation = _c_library_files_impl,
    attrs = {
        "library": attr.label(mandatory = True, providers = [CcInfo]),
        "header": attr.label(mandatory = True, allow_single_file = True),
        "base": attr.string(mandatory = True, doc = "Of the names of the libraries."),
        "abi": attr.string(mandatory = True, doc = "The version of the interface."),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
