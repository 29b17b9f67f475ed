// HuggingFaceTokenizer: facts about the vocabulary in a tokenizer.json of
// Hugging Face's library.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_
#define GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

struct HuggingFaceTokenizer {
  // The byte offset at which the text stops being valid JSON; nothing when all
  // of it is valid.
  std::optional<uint64_t> fault;

  // Whether the outermost value is an object.
  bool is_object = false;

  // The number of tokens of model.vocab and of added_tokens with other ids.
  // Nothing when there is no model.vocab.
  std::optional<uint64_t> tokens;
};

// Reads an untrusted text in one pass, without recursion and without keeping
// it. Memory is bounded by its longest string, a bit for each open bracket and
// 8 bytes for each added token.
HuggingFaceTokenizer ReadHuggingFaceTokenizer(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_
