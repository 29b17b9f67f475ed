// ParseSize: numbers with a unit, as people write sizes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_SIZE_H_
#define GGUF_CONFORMANCE_CONFIG_SIZE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

// "64K" is 65536; K, M and G are powers of 1024.  Nothing when it is no number
// of 64 bits.
std::optional<uint64_t> ParseSize(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_SIZE_H_
