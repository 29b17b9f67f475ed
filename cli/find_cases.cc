// SPDX-License-Identifier: Apache-2.0

#include "cli/find_cases.h"

#include <filesystem>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gguf {

namespace fs = std::filesystem;

namespace {

// Returns the relative path of the nearest `name` in the current folder or its
// parents; empty when there is none.
std::string FindAbove(const std::string& name) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  std::string up;
  for (fs::path at = here; !error; at = at.parent_path()) {
    if (fs::exists(up + name, error)) return up + name;
    error.clear();  // The file is merely missing.
    if (at == at.parent_path()) break;
    up += "../";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> FindCases(const std::string& folder) {
  std::error_code error;
  if (!folder.empty()) {
    // Also the folder around, such as that of the corpus archive.
    const std::string within = (fs::path(folder) / "cases").string();
    if (fs::is_directory(within, error)) return within;
    if (fs::is_directory(folder, error)) return folder;
    return absl::NotFoundError(absl::StrCat("--cases: no such folder: ", folder));
  }
  const std::string cases = FindAbove("corpus/cases");
  if (!cases.empty()) return cases;
  // The archive of the corpus.
  if (fs::exists("manifest.json", error) && fs::is_directory("cases", error)) {
    return "cases";
  }
  return absl::NotFoundError(
      "no corpus/cases in the working directory or its parents; use --cases DIR, or change to a "
      "checkout of ggufcheck or to its corpus archive");
}

absl::StatusOr<std::string> FindReadersFile(const std::string& path) {
  if (!path.empty()) return path;
  const std::string file = FindAbove("conformance/readers/readers.toml");
  if (!file.empty()) return file;
  return absl::NotFoundError(
      "no conformance/readers/readers.toml here or in a parent; use --readers FILE, or --cmd "
      "'COMMAND' instead of --reader");
}

absl::StatusOr<std::string> FindCasesFor(const std::string& text_path, const std::string& folder) {
  std::error_code error;
  const fs::path above =
      fs::absolute(text_path, error).lexically_normal().parent_path().parent_path();
  if (folder.empty() && !error && above.filename() == "cases") {
    return above.string();
  }
  return FindCases(folder);
}

}  // namespace gguf
