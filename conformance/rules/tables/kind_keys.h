// The keys that a file needs which is no language model: rows of kind_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_KIND_KEYS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_KIND_KEYS_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/kinds.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `need` column's type.
enum class KeyNeed : uint8_t { kMust, kShould };

struct KindKey {
  GgufKind kind;
  KeyNeed need;
  const char* key;
  const char* type;
  Expr when;               // Empty: always.
  const char* projectors;  // Types, separated by commas; empty for all.
};

extern const Table<KindKey> kKindKeys;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_KIND_KEYS_H_
