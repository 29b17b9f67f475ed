"""fact_tables: .tsv files of facts, compiled into C++ constants."""

_COMPILER = "//third_party:table_compiler.py"
_ARCHITECTURES = "//conformance/tables:architectures"
_SHARED = [
    "//conformance/tables:symbols.tsv",
    "//parser:tensor_types.tsv",
]

def compiled(name, command, srcs, outs, args):
    """Runs a command of the table compiler, with `args` behind its folder."""
    native.genrule(
        name = name,
        srcs = srcs,
        outs = outs,
        # Without the packages, settings and caches of the machine.
        cmd = " ".join(["python3 -I -S -B $(location %s)" % _COMPILER, command, "$(RULEDIR)"] + args),
        tools = [_COMPILER],
    )

def fact_tables(name, rows, joined = {}, srcs = [], hdrs = [], deps = [], **kwargs):
    """A library of tables: of TABLE.tsv, `extern const Table<ROW> kTable` in TABLE.h.

    Args:
      name: of the library, and of NAME.cc, which has the rows of all its tables.
      rows: for the label of each TABLE.tsv the name of the struct ROW, whose members are the
        columns.  A column may name an enum that a column of another of these tables declares.
      joined: the same for the names of tables whose rows are those of the architectures' files.
      srcs: further sources of the library.
      hdrs: further headers of the library.
      deps: of the library.
      **kwargs: other arguments of cc_library.
    """
    headers = [table.split(":")[-1].replace(".tsv", ".h") for table in rows] + [
        table + ".h"
        for table in joined
    ]
    compiled(
        name = name + "_compiled",
        command = "tables",
        srcs = _SHARED + rows.keys() + [_ARCHITECTURES],
        outs = headers + [name + ".cc"],
        args = [native.package_name(), name] + ["$(location %s)" % table for table in _SHARED] +
               ["$(location %s)=%s" % (table, row) for table, row in rows.items()] +
               ["%s=%s" % (table, row) for table, row in joined.items()] +
               ["$(locations %s)" % _ARCHITECTURES],
    )
    native.cc_library(
        name = name,
        srcs = srcs + [name + ".cc"],
        hdrs = hdrs + headers,
        deps = deps,
        **kwargs
    )
