"""rule_room: the checks of one subject, and their tests.

SPDX-License-Identifier: Apache-2.0
"""

load("//third_party:cc.bzl", "unit_test")

def rule_room(deps, test_deps = []):
    """Defines the library `checks` of *_checks.cc, and its tests.

    Args:
      deps: the dependencies of all *_checks.cc.
      test_deps: further dependencies of all *_checks_test.cc.
    """
    native.cc_library(
        name = "checks",
        srcs = native.glob(["*_checks.cc"]),
        deps = deps,
    )
    for test in native.glob(["*_checks_test.cc"]):
        unit_test(
            name = test[:-len(".cc")],
            deps = deps + test_deps,
        )
