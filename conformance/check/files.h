// The files that a run checks: paths, lists of paths, models in directories,
// and the shards of models.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_FILES_H_
#define GGUF_CONFORMANCE_CHECK_FILES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/base/limits.h"
#include "conformance/input/open.h"

namespace gguf {

// Returns the absolute folder of a file, with links resolved as far as the file
// system permits.
std::string FolderOf(const std::string& path);

// Returns the path of a file relative to a folder that FolderOf() returned,
// such as "models/a.gguf" or "../b.gguf".  The result does not depend on the
// working folder or on how the path is written.  Links to folders are followed,
// a link to the file is not.  Returns "-" unchanged.
std::string PathFrom(const std::string& folder, const std::string& path);

struct FileList {
  std::string path;  // "-" for standard input.
  char separator;    // '\n', or '\0' as `find -print0` writes it.
};

// Reads the paths of a list.  Skips empty ones; "-" is a file of that name.  Lines may end as
// Windows writes them.
//
// Errors: FailedPrecondition, with the name of the list, when it cannot be read
// or a path contains a NUL.
absl::StatusOr<std::vector<std::string>> ReadFileList(const FileList& list, uint64_t stream_limit,
                                                      const Deadline& deadline);

struct FoundFile {
  std::string path;
  absl::Status status;  // Not ok if it cannot be searched or opened.
};

// The files of directories that are checked besides the model files.
struct FileChoice {
  bool all = false;                  // All of them.
  std::vector<std::string> include;  // Globs of names.
};

// Of these, paths are kept.
constexpr size_t kMostSkippedPaths = 100;

struct FoundFiles {
  std::vector<FoundFile> files;
  // The number of other files in the directories, and the first of them.
  uint64_t skipped = 0;
  std::vector<std::string> skipped_paths;
};

// A path that is not a directory is kept, whether it exists or not.  A
// repository, hf://ORG/REPO, is expanded to the GGUF files in it.  A
// directory is expanded to the model files below it, sorted: *.gguf, *.ggml,
// *.ggmf, *.ggjt, *.bin that begin with a known magic, files of any other name
// that begin with GGUF, and those that are chosen.
//
// A directory that has no model files or cannot be read, a file of such a name
// that cannot be opened, and a link to a directory, which is not followed, are
// entries that are not ok.  A link to a file is treated as that file; under
// another name than those, a file is not listed again.
//
// `options.interrupted` ends the search; an entry that is not ok says so.
FoundFiles FindFiles(const std::vector<std::string>& paths, const FileChoice& choice = {},
                     const OpenOptions& options = {});

// Files that are checked together.
struct FileGroup {
  // The shards of a model, sorted by number, or a single file.
  bool is_set = false;
  std::vector<FoundFile> files;
  // Index of the first file among the files of all groups.
  uint64_t first_index = 0;
};

// Groups files by name, in the order of their first files.  For a file named as
// a shard, the other shards of the model in the same folder are included, even
// if not requested.  Each folder is listed at most once.  In a folder that
// cannot be listed, each file is a group of its own.
std::vector<FileGroup> GroupShards(const std::vector<FoundFile>& found);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_FILES_H_
