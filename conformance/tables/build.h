// Versions of llama.cpp: builds such as b7990, the number of commits of a
// revision; and releases such as v0.5.0, which are newer than all builds of the
// tables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_BUILD_H_
#define GGUF_CONFORMANCE_TABLES_BUILD_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// No version: "-".
constexpr int32_t kNoBuild = 0;

// Returns a number that grows with the version, or nothing if the text is not
// b1234, v1.2.3 or "-".
std::optional<int32_t> ParseBuild(absl::string_view text);

// The inverse.
std::string BuildText(int32_t build);

// Returns whether it is a release.
bool IsRelease(int32_t build);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_BUILD_H_
