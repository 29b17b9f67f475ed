// The tensors of each architecture: rows of tensors.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_TENSORS_H_

#include "conformance/rules/tables/expr.h"
#include "conformance/rules/tables/table.h"

namespace gguf {

struct TensorRow {
  const char* name;  // With %d for the number of the block.
  Dims shape;        // Empty when the hyper-parameters do not give it.
  Expr required;     // The loader refuses a file without it; empty: never.
  Expr when;         // The loader asks for it; empty: always.
};

extern const Table<TensorRow> kTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_TENSORS_H_
