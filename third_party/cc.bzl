"""A folder is a library and a test program; script_test runs a script.

SPDX-License-Identifier: Apache-2.0
"""

def _files(ending, subfolders, exclude = []):
    folders = [""] + [folder + "/" for folder in subfolders]
    return native.glob([folder + "*" + ending for folder in folders], exclude = exclude)

def folder_library(deps = [], exclude = [], name = None, subfolders = [], **kwargs):
    """Defines the library of a folder: all its sources and headers but the tests.

    Args:
      deps: of the library.
      exclude: files that belong to targets of their own.
      name: of the library; by default, that of the folder.
      subfolders: globs of folders that belong to the library.
      **kwargs: other arguments of cc_library.
    """
    native.cc_library(
        name = name or native.package_name().split("/")[-1],
        srcs = _files(".cc", subfolders, exclude + ["**/*_test.cc"]) + kwargs.pop("srcs", []),
        hdrs = _files(".h", subfolders, exclude) + kwargs.pop("hdrs", []),
        deps = deps,
        **kwargs
    )

def folder_test(deps = [], subfolders = [], **kwargs):
    """Defines the test of a folder: one GoogleTest program of all its tests.

    Args:
      deps: besides the library of the folder and GoogleTest.
      subfolders: as of the library.
      **kwargs: other arguments of unit_test.
    """
    folder = native.package_name().split("/")[-1]
    unit_test(
        name = folder + "_test",
        srcs = _files("_test.cc", subfolders),
        deps = [":" + folder] + deps,
        **kwargs
    )

def unit_test(name, deps, srcs = None, size = "small", optimized = False, **kwargs):
    """Defines a GoogleTest program, by default of NAME.cc.

    Args:
      name: of the test.
      deps: besides GoogleTest.
      srcs: by default NAME.cc.
      size: of the test.
      optimized: for tests that run long; the compiler takes a third longer.
      **kwargs: other arguments of cc_test.
    """
    native.cc_test(
        name = name,
        size = size,
        srcs = srcs or [name + ".cc"],
        copts = [] if optimized else ["-O0", "-U_FORTIFY_SOURCE"],
        deps = deps + ["@gtest//:gtest_main"],
        **kwargs
    )

def script_test(name, args = [], data = [], size = "small", script = None, **kwargs):
    """Defines the test of NAME.sh or, if `script` ends in .py, of a Python script.

    Args:
      name: of the test.
      args: of the script; labels, which contain a colon, become paths.
      data: files that the script needs, besides those in `args`.
      size: of the test.
      script: the file, if it is not NAME.sh.
      **kwargs: other arguments of sh_test.
    """
    script = script or name + ".sh"
    files = [arg for arg in args if ":" in arg]
    words = ["$(locations %s)" % arg if ":" in arg else arg for arg in args]
    python = script.endswith(".py")
    native.sh_test(
        name = name,
        size = size,
        srcs = ["//cli:python_test.sh" if python else script],
        args = (["$(location %s)" % script] if python else []) + words,
        data = depset(([script] if python else []) + files + data).to_list(),
        **kwargs
    )
