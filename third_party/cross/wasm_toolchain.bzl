"""wasm_toolchain: Debian's clang-19 for WebAssembly with WASI as a Bazel toolchain.

SPDX-License-Identifier: Apache-2.0
"""

load(
    "@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl",
    "cc_toolchain_config",
)

_LLVM = "/usr/lib/llvm-19/bin/"

def wasm_toolchain(name):
    """Defines the toolchain of clang-19, lld-19 and libc++-19-dev-wasm32."""
    cc_toolchain_config(
        name = name + "_config",
        abi_libc_version = "local",
        abi_version = "local",
        compile_flags = [
            "--target=wasm32-wasi",
            # The code may throw only when a time limit passes; the module has
            # none.
            "-fignore-exceptions",
            "-D_WASI_EMULATED_MMAN",
            "-D_WASI_EMULATED_SIGNAL",
            "-D_WASI_EMULATED_PROCESS_CLOCKS",
            "-DHWY_COMPILE_ONLY_SCALAR",
            "-isystemthird_party/cross/wasm",
        ],
        compiler = "clang",
        cpu = "wasm32",
        cxx_builtin_include_directories = [
            "/usr/include",
            "/usr/lib/llvm-19",
        ],
        host_system_name = "local",
        link_flags = [
            "--target=wasm32-wasi",
            "-mexec-model=reactor",
            "-Wl,-z,stack-size=1048576",
            "-Wl,--strip-all",
        ],
        link_libs = [
            "-lc++",
            "-lc++abi",
            "-lwasi-emulated-mman",
            "-lwasi-emulated-signal",
            "-lwasi-emulated-process-clocks",
        ],
        opt_compile_flags = ["-g0", "-Os", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
        opt_link_flags = ["-Wl,--gc-sections"],
        supports_start_end_lib = False,
        tags = ["manual"],
        target_libc = "wasi",
        target_system_name = "local",
        tool_paths = {
            "ar": _LLVM + "llvm-ar",
            "cpp": _LLVM + "clang-cpp",
            "dwp": "/bin/false",
            "gcc": _LLVM + "clang",
            "gcov": "/bin/false",
            "ld": _LLVM + "wasm-ld",
            "llvm-cov": "/bin/false",
            "nm": _LLVM + "llvm-nm",
            "objcopy": _LLVM + "llvm-objcopy",
            "objdump": _LLVM + "llvm-objdump",
            "strip": _LLVM + "llvm-strip",
        },
        toolchain_identifier = name,
        unfiltered_compile_flags = [
            "-Wno-builtin-macro-redefined",
            "-D__DATE__=\"redacted\"",
            "-D__TIMESTAMP__=\"redacted\"",
            "-D__TIME__=\"redacted\"",
        ],
    )
    native.cc_toolchain(
        name = name,
        all_files = ":wasm_headers",
        compiler_files = ":wasm_headers",
        dwp_files = ":empty",
        linker_files = ":empty",
        objcopy_files = ":empty",
        strip_files = ":empty",
        supports_param_files = 1,
        tags = ["manual"],
        toolchain_config = name + "_config",
        toolchain_identifier = name,
    )
