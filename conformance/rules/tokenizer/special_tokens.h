// SpecialToken: a special token for which llama.cpp has a default when its key is absent.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TOKENIZER_SPECIAL_TOKENS_H_
#define GGUF_CONFORMANCE_RULES_TOKENIZER_SPECIAL_TOKENS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/tables/tokenizers.h"

namespace gguf {

struct SpecialToken {
  const char* key;
  int32_t TokenizerRow::*default_id;
  const char* flag;  // The key that adds it to each text, or null.
  AddedToken added;
};

inline constexpr char kPaddingId[] = "tokenizer.ggml.padding_token_id";

inline constexpr SpecialToken kSpecialTokens[] = {
    {"tokenizer.ggml.bos_token_id", &TokenizerRow::bos, "tokenizer.ggml.add_bos_token",
     AddedToken::kBos},
    {"tokenizer.ggml.eos_token_id", &TokenizerRow::eos, "tokenizer.ggml.add_eos_token",
     AddedToken::kEos},
    {"tokenizer.ggml.unknown_token_id", &TokenizerRow::unknown, nullptr, {}},
    {"tokenizer.ggml.seperator_token_id", &TokenizerRow::separator, "tokenizer.ggml.add_sep_token",
     AddedToken::kSeparator},
    {kPaddingId, &TokenizerRow::padding, nullptr, {}},
    {"tokenizer.ggml.mask_token_id", &TokenizerRow::mask, nullptr, {}},
};

// Selects files with a vocabulary for which llama.cpp has defaults.
Reason OnlyWithDefaults(const Model& model);

// The others accept only files that OnlyWithDefaults() selects.

// Returns the id of the token in a file without its key; -1 for none.
int64_t DefaultId(const Model& model, const SpecialToken& token);

bool HasIdKey(const Model& model, const SpecialToken& token);

// Returns the key that says whether readers add the token to each text; null if
// it is absent or no bool, or the tokenizer does not read it.
const KeyValue* FlagOf(const Model& model, const SpecialToken& token);

// Returns the id of the one token that can be meant by a key such as tokenizer.ggml.eos_token_id,
// by its text, its type and the chat template; empty if there is none, or several.
std::string IdToWrite(const Model& model, absl::string_view key);

// Returns whether llama.cpp adds the token to each text.
bool IsAdded(const Model& model, const SpecialToken& token);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TOKENIZER_SPECIAL_TOKENS_H_
