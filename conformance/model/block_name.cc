// Parses numbers in tensor names.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/block_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace gguf {

bool IsBlockNumber(absl::string_view segment) {
  if (segment.empty() || segment.size() > 18) return false;
  if (segment.size() > 1 && segment[0] == '0') return false;
  return std::all_of(segment.begin(), segment.end(), absl::ascii_isdigit);
}

BlockName ParseBlockName(absl::string_view name) {
  BlockName parsed;
  parsed.pattern.reserve(name.size() + 1);
  for (size_t begin = 0;;) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const absl::string_view segment = name.substr(begin, end - begin);
    if (!IsBlockNumber(segment)) {
      parsed.pattern.append(segment.data(), segment.size());
    } else {
      parsed.pattern += "%d";
      if (parsed.block < 0) {
        parsed.prefix = name.substr(0, begin);
        (void)absl::SimpleAtoi(segment, &parsed.block);
      }
    }
    if (end == name.size()) return parsed;
    parsed.pattern += '.';
    begin = end + 1;
  }
}

}  // namespace gguf
