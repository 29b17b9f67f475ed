// Compares metadata values in the syntax of the protocol.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_COMPARE_VALUES_H_
#define GGUF_CONFORMANCE_READERS_RUN_COMPARE_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/readers/protocol/caps.h"
#include "conformance/readers/run/compare.h"

namespace gguf::readers {

// Returns the first difference of two values ("arr u32 2 7 8"), if any.  Its
// path is the position within the value: "", "[1]".  The quirks of `caps` are
// excused.
std::optional<Difference> CompareValues(absl::string_view expected,
                                        absl::string_view observed,
                                        const Caps& caps);

// Formats a value for humans: short and escaped.
std::string ShowValue(absl::string_view value);

// Returns the text by which keys, names and strings are compared.  With
// lossy-utf8, each run of U+FFFD and bytes that are not UTF-8 becomes one
// U+FFFD.
std::string ComparedText(absl::string_view text, const Caps& caps);

bool IsNanBits(uint32_t bits);
std::string ShowFloatBits(uint32_t bits);  // "3f800000 (1)"

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_COMPARE_VALUES_H_
