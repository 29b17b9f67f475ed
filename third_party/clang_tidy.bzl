"""clang-tidy over the project's C++ targets, as build actions: only changed files
are checked again.  `./dev lint` runs it; .clang-tidy configures the checks."""

_SOURCES = ["cc", "h"]

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
            command = 'clang-tidy-19 --quiet --config-file="$1" "$2" -- "${@:4}" ' +
                      '2>"$3" || { cat "$3"; exit 1; }',
            arguments = [ctx.file._config.path, source.path, stamp.path] +
                        _flags(compilation),
        )
        stamps.append(stamp)
    return [OutputGroupInfo(clang_tidy = depset(stamps))]

clang_tidy = aspect(
    implementation = _clang_tidy_impl,
    attrs = {"_config": attr.label(default = "//:.clang-tidy", allow_single_file = True)},
)
