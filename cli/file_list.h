// Lists of paths: --files-from and --files-from0.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_FILE_LIST_H_
#define GGUF_CLI_FILE_LIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gguf {

// The paths in a file, or in standard input for "-": separated by line breaks,
// or by NULs as `find -print0` writes them.  Empty ones are passed over; one
// that is "-" is a file of that name.
//
// Errors: those of Input::Open, which name the list; InvalidArgument for a path
// with a NUL inside.
absl::StatusOr<std::vector<std::string>> ReadFileList(const std::string& list,
                                                      char separator,
                                                      uint64_t stream_limit);

}  // namespace gguf

#endif  // GGUF_CLI_FILE_LIST_H_
