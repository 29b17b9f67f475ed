"""cc_unit and unit_test: a header, its source and its test, with the same name.

SPDX-License-Identifier: Apache-2.0
"""

def cc_unit(name, deps = [], test_deps = None, **kwargs):
    """Defines the library of NAME.h and NAME.cc, whichever exist.

    Args:
      name: of the library and its files.
      deps: of the library.
      test_deps: if given, NAME_test.cc is the test of the library; its deps are
        these, `deps`, the library and GoogleTest.
      **kwargs: other arguments of cc_library.
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
