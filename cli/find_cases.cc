// SPDX-License-Identifier: Apache-2.0

#include "cli/find_cases.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gguf {

namespace fs = std::filesystem;

absl::StatusOr<std::string> FindCases(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) {
    if (fs::is_directory(folder, error)) return folder;
    return absl::NotFoundError(
        absl::StrCat("--cases: there is no folder ", folder));
  }
  const fs::path here = fs::current_path(error);
  std::string up;
  for (fs::path at = here; !error; at = at.parent_path()) {
    std::string cases = up + "corpus/cases";
    if (fs::is_directory(cases, error)) return cases;
    error.clear();  // It is only not there.
    if (at == at.parent_path()) break;
    up += "../";
  }
  return absl::NotFoundError(
      "there is no folder corpus/cases here or above; say --cases DIR, or go "
      "to a checkout of ggufcheck");
}

absl::StatusOr<std::string> FindCasesFor(const std::string& text_path,
                                         const std::string& folder) {
  std::error_code error;
  const fs::path above = fs::absolute(text_path, error)
                             .lexically_normal()
                             .parent_path()
                             .parent_path();
  if (folder.empty() && !error && above.filename() == "cases") {
    return above.string();
  }
  return FindCases(folder);
}

}  // namespace gguf
