// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_PARSER_CORE_HEX_H_
#define GGUF_PARSER_CORE_HEX_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// Decodes pairs of hexadecimal digits of either case, without separators.
// Returns nothing for other text.
std::optional<std::string> BytesFromHex(absl::string_view hex);

}  // namespace gguf

#endif  // GGUF_PARSER_CORE_HEX_H_
