// Names of tensors that the specification recommends.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_SPEC_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_SPEC_TENSORS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct SpecTensorRow {
  const char* name;  // Without .weight and .bias.
};

extern const Table<SpecTensorRow> kSpecTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_SPEC_TENSORS_H_
