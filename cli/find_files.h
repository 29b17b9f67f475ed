// FindFiles: the files that a list of paths stands for.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_FIND_FILES_H_
#define GGUF_CLI_FIND_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace gguf {

struct FoundFile {
  std::string path;
  absl::Status status;  // Not ok for what cannot be searched.
};

// A path that is no directory stands for itself, whether it exists or not.  A
// directory stands for the model files below it, sorted: *.gguf, *.ggml,
// *.ggmf, *.ggjt, and *.bin that begin with a known magic.  One without any,
// or that cannot be read, is an entry that is not ok.
std::vector<FoundFile> FindFiles(const std::vector<std::string>& paths);

}  // namespace gguf

#endif  // GGUF_CLI_FIND_FILES_H_
