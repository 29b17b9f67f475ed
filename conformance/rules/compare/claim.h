// The citation of the rules of comparisons.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPARE_CLAIM_H_
#define GGUF_CONFORMANCE_RULES_COMPARE_CLAIM_H_

namespace gguf {

// The claim of whoever made the file.
inline constexpr char kClaim[] =
    "Not in the specification; files that llama.cpp's quantizer and converters write meet this "
    "requirement.";

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPARE_CLAIM_H_
