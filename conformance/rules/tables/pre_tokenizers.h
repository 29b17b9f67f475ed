// The pre-tokenizers that llama.cpp knows: rows of pre_tokenizers.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_PRE_TOKENIZERS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_PRE_TOKENIZERS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `bos` column's type.
enum class DefaultBos : uint8_t { kDefault, kNone };

struct PreTokenizerRow {
  const char* name;
  DefaultBos bos;
};

extern const Table<PreTokenizerRow> kPreTokenizers;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_PRE_TOKENIZERS_H_
