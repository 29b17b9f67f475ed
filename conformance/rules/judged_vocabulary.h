// OnlyWithVocabulary: the files with tokens that can be judged.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_

#include "conformance/rules/check.h"
#include "conformance/model/model.h"
#include "conformance/tables/pre_tokenizers.h"
#include "conformance/model/vocabulary.h"

namespace gguf {

// A file without tokens has no rules about them.  What a reader takes for an
// absent key can be judged only where all keys were read as well: OnlyModels.
Reason OnlyWithVocabulary(const Model& model);

// The key of this name when it is an array of `type`; else null.
const KeyValue* ArrayKey(const Model& model, absl::string_view name,
                         ValueType type);

// Files with such a key.
template <const char* name, ValueType type>
Reason OnlyWithArray(const Model& model) {
  return ArrayKey(model, name, type) != nullptr ? Reason() : Reason::Silent();
}

// What a reader in C has of a text: it stops at the first NUL.
absl::string_view BeforeNul(absl::string_view text);

// The row of the file's tokenizer.ggml.pre as llama.cpp reads it; null when it
// is absent or not known.
const PreTokenizerRow* FindPreTokenizer(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
