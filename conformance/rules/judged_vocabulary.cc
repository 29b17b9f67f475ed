// Requirements for the tokens of a file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_vocabulary.h"

#include "conformance/model/before_nul.h"

namespace gguf {

Reason OnlyWithVocabulary(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.key() != nullptr) return {};
  if (model.FindKey("tokenizer.ggml.tokens") == nullptr) {
    return Reason::Silent();
  }
  if (!vocabulary.why_unread().empty()) return vocabulary.why_unread();
  if (vocabulary.is_none()) {
    return "tokenizer.ggml.model says that there is no vocabulary";
  }
  return "tokenizer.ggml.tokens is not an array of strings";
}

const KeyValue* ArrayKey(const Model& model, absl::string_view name,
                         ValueType type) {
  const KeyValue* kv = model.FindKey(name);
  const bool is_array = kv != nullptr && kv->element_type != nullptr &&
                        kv->element_type->type == type;
  return is_array ? kv : nullptr;
}

const PreTokenizerRow* FindPreTokenizer(const Model& model) {
  const auto name = model.hparams().Text(Symbol::kTokenizerPre);
  if (!name) return nullptr;
  for (const PreTokenizerRow& row : kPreTokenizers) {
    if (BeforeNul(*name) == row.name) return &row;
  }
  return nullptr;
}

}  // namespace gguf
