// Matches: RE2 over Abseil's string_view, which RE2 of Debian 12 does not
// accept.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_REGEX_H_
#define GGUF_CONFORMANCE_MODEL_REGEX_H_

#include "absl/strings/string_view.h"
#include "re2/re2.h"

namespace gguf {

// Returns whether the expression matches the whole text.
inline bool Matches(const RE2& expression, absl::string_view text) {
  return RE2::FullMatch(re2::StringPiece(text.data(), text.size()), expression);
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_REGEX_H_
