// Tensors whose row in tensors.tsv says less than the loader checks.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_TENSORS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct ExemptTensor {
  const char* name;
  const char* reason;
};

extern const Table<ExemptTensor> kExemptTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_EXEMPT_TENSORS_H_
