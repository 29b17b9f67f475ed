// ParseSize: parses sizes with a unit.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_SIZE_H_
#define GGUF_CONFORMANCE_CONFIG_SIZE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

// Parses a size: "64K" is 65536; K, M and G are powers of 1024.  Returns
// nothing when the text is not a 64-bit integer with an optional unit.
std::optional<uint64_t> ParseSize(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_SIZE_H_
