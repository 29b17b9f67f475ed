// What tiny models have beyond the other tables: rows of tiny_models.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_TINY_MODELS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_TINY_MODELS_H_

#include <cstdint>

#include "conformance/rules/tables/table.h"

namespace gguf {

enum class TinyKind : uint8_t {
  kValue,   // Of a key, if it is required.
  kKey,     // A key and its value.
  kTensor,  // A tensor that is not required.
};

struct TinyModelRow {
  TinyKind kind;
  const char* name;   // With {arch} and %d.
  const char* value;  // "u32 2", "i32 [1 2 3]", "str linear"; of a key.
};

extern const Table<TinyModelRow> kTinyModels;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_TINY_MODELS_H_
