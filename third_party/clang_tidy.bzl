"""clang-tidy over the project's C++ targets, as build actions: only changed files
are checked again.  `./dev lint` runs it; .clang-tidy configures the checks.

Unused includes are found by clang-include-cleaner, which comes with it:
misc-include-cleaner would also ask for each header that another one includes.
Headers are not searched: what they include is for their users, too."""

_SOURCES = ["cc", "h"]

# Headers that only include the library's other headers; headers whose
# declarations are defined, used by templates that do not name them, or used for
# other targets than this processor's; and one whose type glibc defines elsewhere.
_USED = ",".join([
    "CLI/CLI.hpp",
    "boost/.*",
    "cli/commands.h",
    "conformance/report/report_members.h",
    "conformance/rules/rule_tables.h",
    "gmock/gmock.h",
    "gtest/gtest.h",
    "kernels/(float_formats|iq_codebooks|registry).h",
    "nlohmann/json.hpp",
    "sys/resource.h",
    "toml[+][+]/toml.h",
])

def _flags(compilation):
    return (["-xc++", "-std=c++17"] +
            ["-D" + define for define in compilation.defines.to_list() + compilation.local_defines.to_list()] +
            ["-I" + path for path in compilation.includes.to_list()] +
            ["-iquote" + path for path in compilation.quote_includes.to_list()] +
            ["-isystem" + path for path in compilation.system_includes.to_list()] +
            # The analyzer follows short functions only: deep analysis takes twice
            # the time of all other checks, and the sanitizers and fuzzers see more.
            ["-Xclang", "-analyzer-config", "-Xclang", "mode=shallow"])

def _clang_tidy_impl(target, ctx):
    if target.label.workspace_name or not CcInfo in target or not hasattr(ctx.rule.attr, "srcs"):
        return []
    compilation = target[CcInfo].compilation_context
    stamps = []
    for source in ctx.rule.files.srcs:
        if source.extension not in _SOURCES or not source.is_source:
            continue
        if source.basename.endswith("-inl.h"):  # Part of the sources that include it.
            continue
        stamp = ctx.actions.declare_file("%s.%s.tidy" % (target.label.name, source.basename))
        ctx.actions.run_shell(
            mnemonic = "ClangTidy",
            progress_message = "clang-tidy " + source.short_path,
            inputs = depset([source, ctx.file._config], transitive = [compilation.headers]),
            outputs = [stamp],
            command = """
                clang-tidy-19 --quiet --config-file="$1" "$2" -- "${@:5}" 2>"$3" || { cat "$3"; exit 1; }
                [[ $2 == *.cc ]] || exit 0
                unused=$(clang-include-cleaner-19 --insert=false --print=changes \\
                    --ignore-headers="$4" "$2" -- "${@:5}") || exit
                [[ -z $unused ]] || { echo "$2: unused includes: $unused"; exit 1; }
            """,
            arguments = [ctx.file._config.path, source.path, stamp.path, _USED] +
                        _flags(compilation),
        )
        stamps.append(stamp)
    return [OutputGroupInfo(clang_tidy = depset(stamps))]

clang_tidy = aspect(
    implementation = _clang_tidy_impl,
    attrs = {"_config": attr.label(default = "//:.clang-tidy", allow_single_file = True)},
)
