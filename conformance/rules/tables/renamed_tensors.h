// Names of tensors that llama.cpp reads under another name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_RENAMED_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_TABLES_RENAMED_TENSORS_H_

#include "conformance/rules/tables/table.h"

namespace gguf {

struct RenamedTensorRow {
  const char* name;       // In which a second %d is the number of an expert.
  const char* successor;  // What llama.cpp reads.
  const char* why;        // There is the old one.
};

extern const Table<RenamedTensorRow> kRenamedTensors;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_RENAMED_TENSORS_H_
