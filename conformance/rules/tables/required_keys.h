// The keys that an architecture must have: rows of required_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_REQUIRED_KEYS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_REQUIRED_KEYS_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

enum class RequiredBy : uint8_t {
  kSpec,
  kSpecShould,  // By its words, but hardly a file has it.
  kLoader,      // llama.cpp.
  kTensors,     // The shapes of the tensors that llama.cpp wants.
  kLoader2025,  // llama.cpp of February 2025.
};

struct RequiredKey {
  RequiredBy by;
  const char* key;     // With {arch}.
  const char* type;    // For messages.
  const char* or_key;  // Another that will do; empty for none.
  Expr when;
};

extern const Table<RequiredKey> kRequiredKeys;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_REQUIRED_KEYS_H_
