"""fact_table: a .tsv file of facts, compiled into C++ constants."""

_COMPILE = "$(location :table_compiler) {mode} " + \
           "$(location architectures.tsv) $(location symbols.tsv) {rest} > $@"

def compiled(name, mode, out, srcs = [], rest = ""):
    """Runs the table compiler over the shared tables and `srcs`."""
    native.genrule(
        name = name,
        srcs = ["architectures.tsv", "symbols.tsv"] + srcs,
        outs = [out],
        cmd = _COMPILE.format(mode = mode, rest = rest),
        tools = [":table_compiler"],
    )

def fact_table(name, row, deps = []):
    """A library of NAME.tsv, as `extern const Table<ROW> kName` of NAME.h.

    Args:
      name: of the table, like required_keys; both NAME.h and its rows are
        written by the compiler.
      row: the name of the struct, whose members are the columns.
      deps: the tables that declare the symbols and enums of columns here.
    """
    header = native.package_name() + "/{}.h"
    camel = "".join([word.capitalize() for word in name.split("_")])
    args = ["$(location {}.tsv)".format(name), header.format(name), row, "k" + camel]
    compiled(
        name = name + "_header",
        mode = "header",
        out = name + ".h",
        srcs = [name + ".tsv"],
        rest = " ".join(args + [header.format(dep[1:]) for dep in deps]),
    )
    compiled(
        name = name + "_compiled",
        mode = "table",
        out = name + "_rows.cc",
        srcs = [name + ".tsv"],
        rest = " ".join(args),
    )
    native.cc_library(
        name = name,
        srcs = [name + "_rows.cc"],
        hdrs = [name + ".h"],
        visibility = ["//conformance:__subpackages__"],
        deps = [":table"] + deps,
    )
