// The names of general.architecture: the files in architectures/.  And the types of projectors:
// the files in projectors/.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_ARCHITECTURES_H_
#define GGUF_CONFORMANCE_TABLES_ARCHITECTURES_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "conformance/tables/ids.h"  // enum class Group

namespace gguf {

struct ArchitectureRow {
  absl::string_view name;
  uint64_t groups;      // A bit for each Group.
  int32_t first_build;  // Of llama.cpp that loads it (build.h).
};

// Sorted by name; an architecture is known by its place.
extern const ArchitectureRow kArchitectureRows[];
extern const uint16_t kArchitectures;

// kArchitectures for a name that is not in the table.
uint16_t FindArchitecture(absl::string_view name);

// Sorted.  Table::Of takes the numbers of projectors, too, which follow that of unknown names.
extern const absl::string_view kProjectorNames[];
extern const uint16_t kProjectors;

// kArchitectures for a type that has no file.
uint16_t FindProjector(absl::string_view type);

// Returns whether the architecture is in the group.  One that is not in the
// table is in no group.
bool IsIn(uint16_t architecture, Group group);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_ARCHITECTURES_H_
