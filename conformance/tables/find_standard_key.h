// Looks up keys in standard_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_
#define GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/tables/standard_keys.h"

namespace gguf {

// Returns the row of a key, or null.  A first segment equal to `architecture`
// matches {arch}; a row with the literal key takes precedence.
const StandardKey* FindStandardKey(absl::string_view key, absl::string_view architecture);

// Returns whether a segment of a key is a number: digits only, however many.
bool IsNumber(absl::string_view segment);

// Returns the pattern with {arch}, if present, replaced by the architecture.
std::string WithArchitecture(absl::string_view pattern, absl::string_view architecture);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_
