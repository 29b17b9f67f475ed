// OnlyWithVocabulary: requires tokens that can be checked.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_

#include "conformance/model/model.h"
#include "conformance/model/vocabulary.h"
#include "conformance/rules/check.h"
#include "conformance/tables/pre_tokenizers.h"

namespace gguf {

// Requires tokens that can be checked.  A default for an absent key can be
// checked only where all keys were read as well: OnlyModels.
Reason OnlyWithVocabulary(const Model& model);

// Returns the key of this name if it is an array of `type`, else null.
const KeyValue* ArrayKey(const Model& model, absl::string_view name,
                         ValueType type);

// Requires such a key.
template <const char* name, ValueType type>
Reason OnlyWithArray(const Model& model) {
  return ArrayKey(model, name, type) != nullptr ? Reason() : Reason::Silent();
}

// Returns the row of the file's tokenizer.ggml.pre as llama.cpp reads it; null
// when it is absent or not known.
const PreTokenizerRow* FindPreTokenizer(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
