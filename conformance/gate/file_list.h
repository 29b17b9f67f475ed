// FileList: a file that lists paths to be checked.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_FILE_LIST_H_
#define GGUF_CONFORMANCE_GATE_FILE_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gguf {

struct FileList {
  std::string path;  // "-" for standard input.
  char separator;    // '\n', or '\0' as `find -print0` writes it.
};

// Reads the paths of a list.  Skips empty ones; "-" is a file of that name.
//
// Errors: FailedPrecondition, with the name of the list, when it cannot be read
// or a path contains a NUL.
absl::StatusOr<std::vector<std::string>> ReadFileList(const FileList& list,
                                                      uint64_t stream_limit);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_FILE_LIST_H_
