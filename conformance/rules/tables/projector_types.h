// The types of projectors that llama.cpp knows: rows of projector_types.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_PROJECTOR_TYPES_H_
#define GGUF_CONFORMANCE_RULES_TABLES_PROJECTOR_TYPES_H_

#include <cstdint>

#include "conformance/rules/tables/table.h"

namespace gguf {

// In the order of the `blocks` column's type.
enum class ProjectorBlocks : uint8_t { kStandard, kOther };

struct ProjectorType {
  const char* name;
  uint32_t merge;  // The one spatial_merge_size that works; 0: any.
  ProjectorBlocks blocks;
};

extern const Table<ProjectorType> kProjectorTypes;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_PROJECTOR_TYPES_H_
