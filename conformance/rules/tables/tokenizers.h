// Tokenizer models, and what readers take of each: rows of tokenizers.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_TOKENIZERS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_TOKENIZERS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

// Each in the order of its column's type.
enum class TokenizerKnownTo : uint8_t { kBoth, kSpec, kLoader };
enum class TokenizerKind : uint8_t {
  kNone,
  kSpm,
  kBpe,
  kWpm,
  kUgm,
  kRwkv,
  kPlamo2,
  kOther,
};
enum class PreTokenizers : uint8_t { kUnread, kRead };
enum class ByteTokens : uint8_t { kUnread, kRead, kNeeded, kRequired, kFatal };

struct TokenizerRow {
  const char* model;
  TokenizerKnownTo known_to;
  TokenizerKind kind;
  PreTokenizers pre;
  ByteTokens byte_tokens;
  // Ids of tokens; -1 for none.
  int16_t bos;
  int16_t eos;
  int16_t unknown;
  int16_t separator;
  int16_t padding;
  int16_t mask;
};

extern const Table<TokenizerRow> kTokenizers;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_TOKENIZERS_H_
