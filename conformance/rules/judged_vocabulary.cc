// Whether a file has tokens that can be judged.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/judged_vocabulary.h"

#include "conformance/rules/judged.h"
#include "conformance/rules/reason.h"

namespace gguf {

const Vocabulary* JudgedVocabulary(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.key() != nullptr) return &vocabulary;
  if (model.FindKey("tokenizer.ggml.tokens") == nullptr) return nullptr;
  if (!vocabulary.why_unread().empty()) {
    find.CannotCheck(vocabulary.why_unread());
  } else if (vocabulary.is_none()) {
    find.CannotCheck("tokenizer.ggml.model says that there is no vocabulary");
  } else {
    find.CannotCheck("tokenizer.ggml.tokens is no array of strings");
  }
  return nullptr;
}

const Vocabulary* JudgedTokenizer(const Model& model, Finder& find) {
  const Vocabulary* vocabulary = JudgedVocabulary(model, find);
  if (vocabulary == nullptr) return nullptr;
  const Reason why = WhyKeysNotJudged(model);
  if (why.empty()) return vocabulary;
  find.CannotCheck(why);
  return nullptr;
}

const KeyValue* ArrayKey(const Model& model, absl::string_view name,
                         ValueType type) {
  const KeyValue* kv = model.FindKey(name);
  const bool is_array = kv != nullptr && kv->element_type != nullptr &&
                        kv->element_type->type == type;
  return is_array ? kv : nullptr;
}

absl::string_view BeforeNul(absl::string_view text) {
  return text.substr(0, text.find('\0'));
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
