"""cross_toolchain: GNU's cross compilers of Debian as Bazel toolchains.

SPDX-License-Identifier: Apache-2.0
"""

load(
    "@bazel_tools//tools/cpp:unix_cc_toolchain_config.bzl",
    "cc_toolchain_config",
)

def cross_toolchain(cpu):
    """Defines the toolchain of the packages g++-CPU-linux-gnu.

    Args:
      cpu: GNU's name of the processor, for --cpu.
    """
    prefix = "/usr/bin/%s-linux-gnu-" % cpu
    tools = ["ar", "gcc", "ld", "nm", "objcopy", "objdump", "strip", "cpp", "gcov", "dwp"]
    cc_toolchain_config(
        name = cpu + "_config",
        abi_libc_version = "local",
        abi_version = "local",
        compile_flags = ["-fstack-protector", "-fno-omit-frame-pointer"],
        compiler = "gcc",
        cpu = cpu,
        cxx_builtin_include_directories = [
            "/usr/%s-linux-gnu/include" % cpu,
            "/usr/lib/gcc-cross/%s-linux-gnu" % cpu,
            "/usr/include",
        ],
        host_system_name = "local",
        link_libs = ["-lstdc++", "-lm"],
        opt_compile_flags = ["-g0", "-O2", "-DNDEBUG", "-ffunction-sections", "-fdata-sections"],
        opt_link_flags = ["-Wl,--gc-sections"],
        supports_start_end_lib = False,
        tags = ["manual"],
        target_libc = "local",
        target_system_name = "local",
        # It asks for llvm-cov too, which nothing here runs.
        tool_paths = dict(
            [(tool, prefix + tool) for tool in tools] + [("llvm-cov", "/bin/false")],
        ),
        toolchain_identifier = cpu,
        unfiltered_compile_flags = [
            "-Wno-builtin-macro-redefined",
            "-D__DATE__=\"redacted\"",
            "-D__TIMESTAMP__=\"redacted\"",
            "-D__TIME__=\"redacted\"",
        ],
    )
    native.cc_toolchain(
        name = cpu,
        all_files = ":empty",
        compiler_files = ":empty",
        dwp_files = ":empty",
        linker_files = ":empty",
        objcopy_files = ":empty",
        strip_files = ":empty",
        supports_param_files = 1,
        tags = ["manual"],
        toolchain_config = cpu + "_config",
        toolchain_identifier = cpu,
    )
