// ScanToml: rejects input that toml++ cannot handle safely.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_
#define GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// The limit for nested brackets, and for the parts of a dotted key.
constexpr size_t kTomlDepth = 8;

struct TomlFault {
  size_t line;  // Counted from 1.
  std::string what;
};

// Finds input that leads to undefined behaviour or deep recursion in
// toml++ 3.3: text that is not UTF-8, non-ASCII bytes outside of comments and
// single-line strings, quotes inside of other values, and tables and arrays
// nested deeper than kTomlDepth.
// Runs in linear time.  Leaves all other errors to toml++.
std::optional<TomlFault> ScanToml(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_
