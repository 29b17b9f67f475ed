// TinyCase: makes cases with one complete model for each architecture, from the
// tables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GOLDEN_TINY_CASE_H_
#define GGUF_CONFORMANCE_GOLDEN_TINY_CASE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// "model/valid-tiny-".
extern const char kTinyCasePrefix[];

// Returns the text of the case up to its expectation.
std::string TinyCase(absl::string_view architecture);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GOLDEN_TINY_CASE_H_
