// Cases on disk.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "corpus/case.h"

namespace gguf::corpus {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".gguft";

absl::StatusOr<std::vector<std::string>> ListCases(const std::string& folder) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end;
       !error && it != end; it.increment(error)) {
    if (it->path().extension() != kSuffix) continue;
    ids.push_back(
        it->path().lexically_relative(folder).replace_extension().string());
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot list cases in ", folder, ": ", error.message()));
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

Loader FolderLoader(const std::string& folder) {
  return [folder](absl::string_view id) -> absl::StatusOr<std::string> {
    const std::string path = absl::StrCat(folder, "/", id, kSuffix);
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    if (!file.is_open() || file.bad()) {
      return absl::NotFoundError(absl::StrCat("there is no case ", id));
    }
    return text;
  };
}

}  // namespace gguf::corpus
