// Look-up in standard_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_
#define GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_

#include <string>

#include "absl/strings/string_view.h"
#include "conformance/tables/standard_keys.h"

namespace gguf {

// The row of a key, or null.  A first segment that is `architecture` stands for
// {arch}; a row that names the key itself comes first.
const StandardKey* FindStandardKey(absl::string_view key,
                                   absl::string_view architecture);

// Whether a segment of a key is a number: digits only, however many.
bool IsNumber(absl::string_view segment);

// The key with its architecture, if `pattern` has {arch}, filled in.
std::string WithArchitecture(absl::string_view pattern,
                             absl::string_view architecture);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_FIND_STANDARD_KEY_H_
