// HuggingFaceTokenizer: what a tokenizer.json of Hugging Face's library says of
// its vocabulary.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_
#define GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace gguf {

struct HuggingFaceTokenizer {
  // Where the text stops being JSON, in bytes from its begin; nothing when it
  // is JSON throughout.
  std::optional<uint64_t> fault;

  // The tokens of model.vocab and those of added_tokens that have other ids.
  // Nothing when there is no model.vocab.
  std::optional<uint64_t> tokens;
};

// Reads an untrusted text in one pass, without recursion and without keeping
// it: memory is that of its longest string, a bit for each open bracket and 8
// bytes for each added token.
HuggingFaceTokenizer ReadHuggingFaceTokenizer(absl::string_view text);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TOKENIZER_HUGGINGFACE_JSON_H_
