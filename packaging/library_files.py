"""The files of the C library in archives and packages.

SPDX-License-Identifier: Apache-2.0
"""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent

SYSTEM_LIBRARIES = "-lstdc++ -lm -lpthread"

PKG_CONFIG = """libdir=${{pcfiledir}}/..
includedir=${{pcfiledir}}/{include}

Name: ggufcheck
Description: {summary}
URL: {url}
Version: {version}
Cflags: -I${{includedir}}
Libs: -L${{libdir}} -lggufcheck {system}
"""

CMAKE = """# Defines ggufcheck::static and ggufcheck::shared.
get_filename_component(_ggufcheck_lib "${{CMAKE_CURRENT_LIST_DIR}}/../.." ABSOLUTE)
get_filename_component(_ggufcheck_include "${{CMAKE_CURRENT_LIST_DIR}}/../{include}" ABSOLUTE)
foreach(_ggufcheck_kind static shared)
  if(NOT TARGET ggufcheck::${{_ggufcheck_kind}})
    string(TOUPPER ${{_ggufcheck_kind}} _ggufcheck_type)
    add_library(ggufcheck::${{_ggufcheck_kind}} ${{_ggufcheck_type}} IMPORTED)
    set_target_properties(ggufcheck::${{_ggufcheck_kind}} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${{_ggufcheck_include}}")
  endif()
endforeach()
set_target_properties(ggufcheck::static PROPERTIES
  IMPORTED_LOCATION "${{_ggufcheck_lib}}/libggufcheck.a"
  INTERFACE_LINK_LIBRARIES "{system}")
set_target_properties(ggufcheck::shared PROPERTIES
  IMPORTED_LOCATION "${{_ggufcheck_lib}}/libggufcheck.so.0"
  IMPORTED_SONAME libggufcheck.so.0)
"""

CMAKE_VERSION = """set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL "{number}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL "{number}")
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
"""


def library_files(release, summary, folder, libdir):
    """Returns the files of a built library below a prefix: path to (contents,
    executable)."""
    folder = pathlib.Path(folder)
    include = "/".join([".."] * (libdir.count("/") + 2)) + "/include"
    values = {
        "include": include,
        "summary": summary,
        "system": SYSTEM_LIBRARIES,
        "url": release.url,
        "version": release.version,
        "number": release.version.split("-")[0],
    }
    files = {
        f"{libdir}/{name}": (folder / name).read_bytes()
        for name in ("libggufcheck.a", "libggufcheck.so.0")
    }
    for name in ("ggufcheck.h", "ggufcheck.hpp"):
        files[f"include/{name}"] = (ROOT / "api" / name).read_bytes()
    for path, text in {
        "pkgconfig/ggufcheck.pc": PKG_CONFIG,
        "cmake/ggufcheck/ggufcheck-config.cmake": CMAKE,
        "cmake/ggufcheck/ggufcheck-config-version.cmake": CMAKE_VERSION,
    }.items():
        files[f"{libdir}/{path}"] = text.format(**values).encode()
    return {path: (data, False) for path, data in files.items()}


def module_files(folder):
    """Returns the files of the Python module in a wheel."""
    module = ROOT / "api" / "python" / "ggufcheck"
    paths = [*sorted(module.glob("*.py")), module / "py.typed"]
    paths.append(pathlib.Path(folder, "libggufcheck.so.0"))
    return {f"ggufcheck/{path.name}": (path.read_bytes(), False) for path in paths}


def needed_glibc(folder):
    """Returns the oldest version of the GNU C library that has what the shared
    library uses, such as "2.36"."""
    table = subprocess.run(
        ["readelf", "--wide", "--version-info", pathlib.Path(folder, "libggufcheck.so.0")],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", table)
    return ".".join(map(str, max((int(a), int(b)) for a, b in versions)))
