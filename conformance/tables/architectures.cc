// Looks up architectures by name.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/architectures.h"

#include <algorithm>

namespace gguf {

uint16_t FindArchitecture(absl::string_view name) {
  const ArchitectureRow* const end = kArchitectureRows + kArchitectures;
  const ArchitectureRow* const found = std::lower_bound(
      kArchitectureRows, end, name,
      [](const ArchitectureRow& row, absl::string_view wanted) { return row.name < wanted; });
  if (found == end || found->name != name) return kArchitectures;
  return static_cast<uint16_t>(found - kArchitectureRows);
}

uint16_t FindProjector(absl::string_view type) {
  const absl::string_view* const end = kProjectorNames + kProjectors;
  const absl::string_view* const found = std::lower_bound(kProjectorNames, end, type);
  if (found == end || *found != type) return kArchitectures;
  return static_cast<uint16_t>(kArchitectures + 1 + (found - kProjectorNames));
}

bool IsIn(uint16_t architecture, Group group) {
  return architecture < kArchitectures &&
         (kArchitectureRows[architecture].groups >> static_cast<int>(group) & 1) != 0;
}

}  // namespace gguf
