// What all checks of comparisons require.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPARE_COMPARED_H_
#define GGUF_CONFORMANCE_RULES_COMPARE_COMPARED_H_

#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"

namespace gguf {

// The citation of all rules: the claim of whoever made the file.
inline constexpr char kClaim[] =
    "Not in the specification; files that llama.cpp's quantizer and converters "
    "write meet this requirement.";

inline Reason OnlyIfCompared(const Model& model) {
  return model.comparison() != nullptr ? Reason() : Reason::NotRequested();
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPARE_COMPARED_H_
