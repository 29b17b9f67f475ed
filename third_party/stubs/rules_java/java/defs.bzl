"""bazel_tools loads @rules_java; the native rules are all it needs.

SPDX-License-Identifier: Apache-2.0
"""

java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_plugin = native.java_plugin
java_runtime = native.java_runtime
java_test = native.java_test
java_toolchain = native.java_toolchain
