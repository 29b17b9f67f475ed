// The values of general.file_type: rows of file_types.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_TABLES_FILE_TYPES_H_
#define GGUF_CONFORMANCE_RULES_TABLES_FILE_TYPES_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace gguf {

struct FileType {
  enum Status { kSpec, kNewer, kRemoved };

  absl::string_view name;  // As file names have it: Q4_K_M.
  uint64_t types;          // A bit for each id of a tensor type.
  Status status;
};

// By their number.
extern const FileType kFileTypes[];
extern const uint32_t kFileTypeCount;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_TABLES_FILE_TYPES_H_
