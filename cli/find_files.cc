// Searching directories for models.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/find_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/ascii.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

bool HasModelMagic(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(16, '\0');
  file.read(&head[0], head.size());
  head.resize(file.gcount());
  const FileKind kind = Sniff(AsBytes(head));
  return head.size() >= 4 && (kind.is_gguf || kind.is_ancestor);
}

bool IsModelFile(const fs::path& path) {
  const std::string extension =
      absl::AsciiStrToLower(path.extension().string());
  if (extension == ".bin") return HasModelMagic(path);
  return extension == ".gguf" || extension == ".ggml" || extension == ".ggmf" ||
         extension == ".ggjt";
}

std::vector<FoundFile> Search(const std::string& directory) {
  std::vector<FoundFile> found;
  std::error_code error;
  fs::recursive_directory_iterator it(directory, error), end;
  while (!error && it != end) {
    std::error_code ignored;
    if (it->is_regular_file(ignored) && IsModelFile(it->path())) {
      found.push_back({it->path().string(), absl::OkStatus()});
    }
    // A folder below that cannot be opened ends the search: saying so beats
    // passing over it.
    it.increment(error);
  }
  if (error) {
    found.push_back({directory, absl::PermissionDeniedError("cannot search: " +
                                                            error.message())});
  } else if (found.empty()) {
    found.push_back(
        {directory, absl::NotFoundError("no model files in this directory")});
  }
  std::sort(
      found.begin(), found.end(),
      [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  return found;
}

}  // namespace

std::vector<FoundFile> FindFiles(const std::vector<std::string>& paths) {
  std::vector<FoundFile> all;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (path == "-" || !fs::is_directory(path, ignored)) {
      all.push_back({path, absl::OkStatus()});
      continue;
    }
    const std::vector<FoundFile> found = Search(path);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace gguf
