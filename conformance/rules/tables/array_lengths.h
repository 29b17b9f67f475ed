// The lengths of arrays among the hyper-parameters: rows of array_lengths.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_ARRAY_LENGTHS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_ARRAY_LENGTHS_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

struct ArrayLength {
  const char* key;  // With {arch}.
  Expr length;
  bool or_more;
  const char* reason;  // For messages.
};

extern const Table<ArrayLength> kArrayLengths;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_ARRAY_LENGTHS_H_
