// The numbered parts of a model: rows of stacks.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_STACKS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_STACKS_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

struct StackRow {
  const char* prefix;  // Of the names of its tensors.
  Expr count;
};

extern const Table<StackRow> kStacks;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_STACKS_H_
