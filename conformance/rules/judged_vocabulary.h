// JudgedVocabulary: the tokens of a file, when there are any to judge.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
#define GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_

#include "conformance/rules/check.h"
#include "conformance/rules/model.h"
#include "conformance/rules/tables/pre_tokenizers.h"
#include "conformance/rules/vocabulary.h"

namespace gguf {

// Null when there are none to judge.  The finder then knows why, unless the
// file has no tokens: such a file has no rules about them.
const Vocabulary* JudgedVocabulary(const Model& model, Finder& find);

// The same, when all keys of the model were read as well: what a reader takes
// for an absent key can be judged only then.
const Vocabulary* JudgedTokenizer(const Model& model, Finder& find);

// The key of this name when it is an array of `type`; else null.
const KeyValue* ArrayKey(const Model& model, absl::string_view name,
                         ValueType type);

// What a reader in C has of a text: it stops at the first NUL.
absl::string_view BeforeNul(absl::string_view text);

// The row of the file's tokenizer.ggml.pre as llama.cpp reads it; null when it
// is absent or not known.
const PreTokenizerRow* FindPreTokenizer(const Model& model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_JUDGED_VOCABULARY_H_
