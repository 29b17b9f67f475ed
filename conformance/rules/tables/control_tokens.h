// The texts of control tokens: rows of control_tokens.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_CONTROL_TOKENS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_CONTROL_TOKENS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct ControlTokenRow {
  const char* text;
  const char* unless;  // A key; may be empty.
};

extern const Table<ControlTokenRow> kControlTokens;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_CONTROL_TOKENS_H_
