// The naming convention of GGUF files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_FILE_NAME_H_
#define GGUF_CONFORMANCE_MODEL_FILE_NAME_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// The versions of the convention: the newest has a sidecar prefix.
enum class NamingConvention { k2024, k2026 };

// The components that are present, under the specification's names and in
// order: Sidecar, BaseName, SizeLabel, FineTune, Version, Encoding, Type,
// Shard.
using FileNameParts = std::vector<std::pair<std::string, std::string>>;

// Splits a file's base name like the specification's regular expression, in
// time linear in its length.  Returns nothing if it does not match.  `name` is
// UTF-8.
//
// Source: gguf.md, "GGUF Naming Convention".  The published expression takes
// exponential time in engines that backtrack.
std::optional<FileNameParts> ParseFileName(absl::string_view name,
                                           NamingConvention convention = NamingConvention::k2026);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_FILE_NAME_H_
