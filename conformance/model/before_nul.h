// BeforeNul: a text as a reader in C sees it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_BEFORE_NUL_H_
#define GGUF_CONFORMANCE_MODEL_BEFORE_NUL_H_

#include "absl/strings/string_view.h"

namespace gguf {

// Returns the text up to its first NUL.
inline absl::string_view BeforeNul(absl::string_view text) {
  return text.substr(0, text.find('\0'));
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BEFORE_NUL_H_
