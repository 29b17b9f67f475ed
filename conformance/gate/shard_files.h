// Which files on a disk are shards of one model.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_SHARD_FILES_H_
#define GGUF_CONFORMANCE_GATE_SHARD_FILES_H_

#include <cstdint>
#include <vector>

#include "conformance/gate/find_files.h"

namespace gguf {

// What is checked together.
struct FileGroup {
  // Named as shards that belong together, by number; else it is one file.
  bool is_set = false;
  std::vector<FoundFile> files;
  uint64_t first_index = 0;  // Of its first file, among those of all groups.
};

// Groups files by their names, in the order of their first ones.  A file that
// is named as a shard brings along those of its folder that are named as others
// of the model, asked for or not.  Each folder is listed at most once; in one
// that cannot be listed each file is a group of its own.
std::vector<FileGroup> GroupShards(const std::vector<FoundFile>& found);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_SHARD_FILES_H_
