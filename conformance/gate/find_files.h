// FindFiles: expands a list of paths to files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_FIND_FILES_H_
#define GGUF_CONFORMANCE_GATE_FIND_FILES_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gguf {

struct FoundFile {
  std::string path;
  absl::Status status;  // Not ok if it cannot be searched or opened.
};

// Returns ok for a regular file or a link to one; else why it must not be
// opened.
absl::Status RegularFileStatus(const std::filesystem::directory_entry& entry);

// A path that is not a directory is kept, whether it exists or not.  A
// directory is expanded to the model files below it, sorted: *.gguf, *.ggml,
// *.ggmf,
// *.ggjt, and *.bin that begin with a known magic.
//
// Nothing is skipped silently: a directory that has no model files or cannot be
// read, a file of such a name that cannot be opened, and a link to a directory,
// which is not followed, are entries that are not ok.  A link to a file is
// treated as that file.
std::vector<FoundFile> FindFiles(const std::vector<std::string>& paths);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_FIND_FILES_H_
