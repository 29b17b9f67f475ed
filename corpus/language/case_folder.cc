// Reads cases from disk.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/language/case.h"
#include "corpus/language/image_file.h"

namespace gguf::corpus {

namespace fs = std::filesystem;

absl::StatusOr<CaseFiles> FindCaseFiles(const std::string& folder) {
  CaseFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code unreadable;  // If set, not a regular file.
    if (path.extension() != kCaseSuffix) {
      if (!it->is_directory(unreadable)) files.others.push_back(path.string());
    } else if (it->is_regular_file(unreadable)) {
      files.ids.push_back(path.lexically_relative(folder).replace_extension().string());
    } else {
      files.not_regular.push_back(path.string());
    }
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot list cases in ", folder, ": ", error.message()));
  }
  for (auto* paths : {&files.ids, &files.not_regular, &files.others}) {
    std::sort(paths->begin(), paths->end());
  }
  return files;
}

absl::StatusOr<std::vector<std::string>> ListCases(const std::string& folder) {
  absl::StatusOr<CaseFiles> files = FindCaseFiles(folder);
  if (!files.ok()) return files.status();
  return std::move(files->ids);
}

Loader FolderLoader(const std::string& folder) {
  return [folder](absl::string_view id) {
    return ReadRegularFile(absl::StrCat(folder, "/", id, kCaseSuffix));
  };
}

}  // namespace gguf::corpus
