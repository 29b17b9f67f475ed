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
      name: of the table and the header, like required_keys.
      row: the struct in NAME.h whose members are the columns, in their order.
      deps: what else NAME.h includes.
    """
    camel = "".join([word.capitalize() for word in name.split("_")])
    compiled(
        name = name + "_compiled",
        mode = "table",
        out = name + "_rows.cc",
        srcs = [name + ".tsv"],
        rest = " ".join([
            "$(location {}.tsv)".format(name),
            "{}/{}.h".format(native.package_name(), name),
            row,
            "k" + camel,
        ]),
    )
    native.cc_library(
        name = name,
        srcs = [name + "_rows.cc"],
        hdrs = [name + ".h"],
        visibility = ["//conformance:__subpackages__"],
        deps = [":table"] + deps,
    )
