// Groups files on disk by model.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_SHARD_FILES_H_
#define GGUF_CONFORMANCE_GATE_SHARD_FILES_H_

#include <cstdint>
#include <vector>

#include "conformance/gate/find_files.h"

namespace gguf {

// Files that are checked together.
struct FileGroup {
  // The shards of a model, sorted by number, or a single file.
  bool is_set = false;
  std::vector<FoundFile> files;
  uint64_t first_index =
      0;  // Index of the first file among the files of all groups.
};

// Groups files by name, in the order of their first files.  For a file named as
// a shard, the other shards of the model in the same folder are included, even
// if not requested.  Each folder is listed at most once.  In a folder that
// cannot be listed, each file is a group of its own.
std::vector<FileGroup> GroupShards(const std::vector<FoundFile>& found);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_SHARD_FILES_H_
