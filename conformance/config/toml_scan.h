// ScanToml: what toml++ must not see.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_
#define GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// How many brackets may be open at a time, and the parts of a dotted key.
constexpr size_t kTomlDepth = 8;

struct TomlFault {
  size_t line;  // From 1 on.
  std::string what;
};

// Looks for what would lead toml++ 3.3 into undefined behaviour, or deep into
// recursion: text that is no UTF-8, bytes beyond ASCII elsewhere than in
// comments and in strings of one line, and tables and arrays deeper than
// kTomlDepth.  Takes time with the size of the text.  What is wrong otherwise
// it leaves to toml++.
std::optional<TomlFault> ScanToml(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_TOML_SCAN_H_
