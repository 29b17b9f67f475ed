// FindFiles: the files that a list of paths stands for.
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
  absl::Status status;  // Not ok for what cannot be searched or opened.
};

// Ok for a regular file, and for a link to one; else why it is not to be
// opened.
absl::Status RegularFileStatus(const std::filesystem::directory_entry& entry);

// A path that is no directory stands for itself, whether it exists or not.  A
// directory stands for the model files below it, sorted: *.gguf, *.ggml,
// *.ggmf, *.ggjt, and *.bin that begin with a known magic.
//
// Nothing is passed over in silence: a directory without any, or that cannot be
// read, a file of such a name that cannot be opened, and a link to a directory,
// which is not followed, are entries that are not ok.  A link to a file is
// that file.
std::vector<FoundFile> FindFiles(const std::vector<std::string>& paths);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_FIND_FILES_H_
