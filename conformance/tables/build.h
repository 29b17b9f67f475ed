// Versions of llama.cpp: builds such as b7990, the number of commits of a
// revision; and releases such as v0.5.0.  builds.tsv tells how they follow each
// other.
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

// Returns a number that grows with builds, and with releases, or nothing if the
// text is not b1234, v1.2.3 or "-".
std::optional<int32_t> ParseBuild(absl::string_view text);

// The inverse.
std::string BuildText(int32_t build);

// Returns whether it is a release.
bool IsRelease(int32_t build);

// Returns whether a version is not older than another one; nothing if that is not
// known, because one of them is a release whose number of commits is not.
std::optional<bool> Includes(int32_t version, int32_t first);

// Returns the month of the version, such as "2026-09", or that of the next one
// whose month is known; "" if there is none.
std::string MonthOf(int32_t build);

// Returns the same in words: "September 2026".
std::string MonthWords(int32_t build);

// Returns the version that the tables follow.
int32_t NewestBuild();

// Returns the version in a user's words: b9000, v0.5.0 or 0.5.0; nothing for other
// texts, and for versions that are known to be newer than the tables.
std::optional<int32_t> FindVersion(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_BUILD_H_
