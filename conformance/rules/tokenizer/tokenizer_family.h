// TokenizerFamily: the family of tokenizers from which the tokens of a file come, told from their
// spelling.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TOKENIZER_TOKENIZER_FAMILY_H_
#define GGUF_CONFORMANCE_RULES_TOKENIZER_TOKENIZER_FAMILY_H_

#include <cstdint>
#include <string>

#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/model/vocabulary.h"

namespace gguf {

// Requires a vocabulary of at least 256 tokens: a smaller one is made up.
Reason OnlyRealVocabularies(const Model& model);

enum class TokenizerFamily {
  kUnknown,
  kByteLevel,      // As GPT-2's: each byte is a letter, such as "Ġ" for a space.
  kSentencePiece,  // With byte fallback: <0x0A>, and "▁" for a space.
};

// Returns the family; kUnknown if the tokens do not tell.
TokenizerFamily FamilyOf(const Vocabulary& vocabulary);

// Returns how SentencePiece spells a byte that is no character of the vocabulary: <0x0A>.
std::string ByteToken(int byte);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TOKENIZER_TOKENIZER_FAMILY_H_
