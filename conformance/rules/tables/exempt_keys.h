// Keys that are not in required_keys.tsv, with the reason: exempt_keys.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_KEYS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_KEYS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct ExemptKey {
  const char* key;
  const char* reason;
};

extern const Table<ExemptKey> kExemptKeys;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_KEYS_H_
