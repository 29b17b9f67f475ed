// Searches directories for models.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/find_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "parser/core/sniff.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<bool> HasModelMagic(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno, "cannot open");
  std::string head(16, '\0');
  file.read(&head[0], head.size());
  if (file.bad()) return absl::ErrnoToStatus(errno, "cannot read");
  head.resize(file.gcount());
  const FileKind kind = Sniff(AsBytes(head));
  return head.size() >= 4 && (kind.is_gguf || kind.legacy != nullptr);
}

// The search of one directory and its subdirectories.
class Search {
 public:
  std::vector<FoundFile> Run(const std::string& root) {
    std::vector<fs::path> open = {root};
    while (!open.empty()) {
      const fs::path directory = open.back();
      open.pop_back();
      std::error_code error;
      fs::directory_iterator it(directory, error), end;
      for (; !error && it != end; it.increment(error)) {
        if (IsFolder(*it)) {
          open.push_back(it->path());
        } else {
          Consider(*it);
        }
      }
      if (error) {
        AddBad(directory, absl::PermissionDeniedError("cannot search: " +
                                                      error.message()));
      }
    }
    if (found_.empty()) {
      AddBad(root, absl::NotFoundError("no model files in this directory"));
    }
    std::sort(
        found_.begin(), found_.end(),
        [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
    return std::move(found_);
  }

 private:
  // Returns whether the entry is a directory and not a link to one; following
  // no links guarantees that the search ends.
  static bool IsFolder(const fs::directory_entry& entry) {
    std::error_code ignored;
    return entry.symlink_status(ignored).type() == fs::file_type::directory;
  }

  // Adds the entry if it may be a model, or cannot be examined.
  void Consider(const fs::directory_entry& entry) {
    const std::string extension =
        absl::AsciiStrToLower(entry.path().extension().string());
    const bool is_named = extension == ".gguf" || extension == ".ggml" ||
                          extension == ".ggmf" || extension == ".ggjt";
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      AddBad(entry.path(), absl::InvalidArgumentError(
                               "links to directories are not followed"));
    } else if (!is_named && extension != ".bin") {
      return;
    } else if (const absl::Status status = RegularFileStatus(entry);
               !status.ok()) {
      AddBad(entry.path(), status);
    } else {
      const absl::StatusOr<bool> is_model =
          is_named ? true : HasModelMagic(entry.path());
      if (!is_model.ok()) AddBad(entry.path(), is_model.status());
      if (is_model.ok() && *is_model) {
        found_.push_back({entry.path().string(), absl::OkStatus()});
      }
    }
  }

  void AddBad(const fs::path& path, absl::Status status) {
    found_.push_back({path.string(), std::move(status)});
  }

  std::vector<FoundFile> found_;
};

}  // namespace

absl::Status RegularFileStatus(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_type type = entry.status(error).type();
  if (error || type == fs::file_type::not_found) {
    return absl::NotFoundError("cannot open: " + error.message());
  }
  if (type == fs::file_type::regular) return absl::OkStatus();
  return absl::InvalidArgumentError("is not a regular file");
}

std::vector<FoundFile> FindFiles(const std::vector<std::string>& paths) {
  std::vector<FoundFile> all;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (path == "-" || !fs::is_directory(path, ignored)) {
      all.push_back({path, absl::OkStatus()});
      continue;
    }
    const std::vector<FoundFile> found = Search().Run(path);
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace gguf
