// Checks of the vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TOKENIZER_CHECKS_H_
#define GGUF_CONFORMANCE_RULES_TOKENIZER_CHECKS_H_

#include "absl/types/span.h"
#include "conformance/rules/check.h"

namespace gguf {

absl::Span<const Check> TokenizerChecks();     // tokenizer_checks.cc
absl::Span<const Check> VocabularyChecks();    // vocabulary_checks.cc
absl::Span<const Check> TokenArrayChecks();    // token_array_checks.cc
absl::Span<const Check> SpecialTokenChecks();  // special_token_checks.cc
absl::Span<const Check> TokenTextChecks();     // token_text_checks.cc
absl::Span<const Check> ByteTokenChecks();     // byte_token_checks.cc
absl::Span<const Check> CharsmapChecks();      // charsmap_checks.cc
absl::Span<const Check> HuggingFaceChecks();   // huggingface_checks.cc

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TOKENIZER_CHECKS_H_
