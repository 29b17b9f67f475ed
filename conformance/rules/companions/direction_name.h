// The layer in the name of a control vector's tensor.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_DIRECTION_NAME_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_DIRECTION_NAME_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "conformance/model/block_name.h"

namespace gguf {

// Returns 7 for "direction.7"; nothing for any other name, such as
// direction.07, direction.7x and direction.-1.
inline std::optional<int64_t> DirectionLayer(absl::string_view name) {
  const BlockName parsed = ParseBlockName(name);
  if (parsed.pattern != "direction.%d") return std::nullopt;
  return parsed.block;
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_DIRECTION_NAME_H_
