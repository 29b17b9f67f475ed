// Comparing metadata values as the protocol writes them.
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

// The first difference of two values ("arr u32 2 7 8"), if any; its path is
// that within the value: "", "[1]".  The quirks of `caps` are excused.
std::optional<Difference> CompareValues(absl::string_view expected,
                                        absl::string_view observed,
                                        const Caps& caps);

// A value for people: short, escaped.
std::string ShowValue(absl::string_view value);

// The text by which keys, names and strings are compared: itself, or with
// lossy-utf8 one U+FFFD for each run of bytes that are no UTF-8 and of U+FFFD.
std::string ComparedText(absl::string_view text, const Caps& caps);

bool IsNanBits(uint32_t bits);
std::string ShowFloatBits(uint32_t bits);  // "3f800000 (1)"

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_COMPARE_VALUES_H_
