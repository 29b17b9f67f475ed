"""cc_unit and unit_test: a header, its source and its test, named alike.

SPDX-License-Identifier: Apache-2.0
"""

def cc_unit(name, deps = [], test_deps = None, **kwargs):
    """Defines the library of NAME.h and NAME.cc, whichever are there.

    Args:
      name: of the library and its files.
      deps: of the library.
      test_deps: when given, NAME_test.cc is its test, with these, `deps`, the
        library and GoogleTest.
      **kwargs: what else cc_library accepts.
    """
    native.cc_library(
        name = name,
        srcs = native.glob([name + ".cc"]),
        hdrs = native.glob([name + ".h"]),
        deps = deps,
        **kwargs
    )
    if test_deps != None:
        unit_test(
            name = name + "_test",
            deps = deps + [":" + name] + test_deps,
        )

def unit_test(name, deps, **kwargs):
    """Defines a small GoogleTest program of NAME.cc."""
    native.cc_test(
        name = name,
        size = "small",
        srcs = [name + ".cc"],
        deps = deps + ["@gtest//:gtest_main"],
        **kwargs
    )
