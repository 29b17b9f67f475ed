// Splits and composes names of shards.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/shard_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace gguf {
namespace {

constexpr absl::string_view kShape = "-00000-of-00000.gguf";

// Parses the five digits at `at`.
uint32_t FiveDigits(absl::string_view text, size_t at) {
  uint32_t number = 0;
  for (const char digit : text.substr(at, 5)) {
    number = 10 * number + static_cast<uint32_t>(digit - '0');
  }
  return number;
}

}  // namespace

std::optional<ShardName> ParseShardName(absl::string_view name) {
  if (name.size() < kShape.size()) return std::nullopt;
  const size_t end_of_prefix = name.size() - kShape.size();
  const absl::string_view suffix = name.substr(end_of_prefix);
  for (size_t i = 0; i < kShape.size(); ++i) {
    const bool fits = kShape[i] == '0' ? absl::ascii_isdigit(suffix[i]) : suffix[i] == kShape[i];
    if (!fits) return std::nullopt;
  }
  return ShardName{name.substr(0, end_of_prefix), FiveDigits(suffix, kShape.find('0')),
                   FiveDigits(suffix, kShape.find("of-") + 3)};
}

std::string ShardSuffix(uint64_t number, uint64_t count) {
  return absl::StrFormat("-%05u-of-%05u.gguf", number, count);
}

}  // namespace gguf
