// Parses a number and its unit.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/size.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "parser/core/checked_math.h"

namespace gguf {

std::optional<uint64_t> ParseSize(absl::string_view text) {
  // SimpleAtoi would also accept signs and spaces.
  if (text.empty() || !absl::ascii_isdigit(text[0])) return std::nullopt;
  constexpr absl::string_view kUnits = "KMG";
  uint64_t unit = 1;
  const size_t power = kUnits.find(text.back());
  if (power != kUnits.npos) {
    unit = uint64_t{1024} << (10 * power);
    text.remove_suffix(1);
  }
  uint64_t number;
  if (!absl::ascii_isdigit(text.back()) || !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return CheckedMultiply(number, unit);
}

}  // namespace gguf
