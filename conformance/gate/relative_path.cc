// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/relative_path.h"

#include <filesystem>
#include <system_error>

namespace gguf {

namespace fs = std::filesystem;

std::string FolderOf(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path folder = (error ? fs::path(path) : absolute).parent_path();
  const fs::path canonical = fs::weakly_canonical(folder, error);
  return (error ? folder.lexically_normal() : canonical).string();
}

std::string PathFrom(const std::string& folder, const std::string& path) {
  if (path == "-") return path;
  const fs::path file = fs::path(FolderOf(path)) / fs::path(path).filename();
  return file.lexically_relative(folder).string();
}

}  // namespace gguf
