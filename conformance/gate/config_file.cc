// Searches parent directories, and matches paths against globs.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/config_file.h"

#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "conformance/config/baseline.h"
#include "conformance/config/toml_file.h"
#include "conformance/gate/files.h"
#include "conformance/model/glob.h"

namespace gguf {

namespace fs = std::filesystem;

std::string FindConfig() {
  std::error_code error;
  fs::path folder = fs::current_path(error);
  // Dangling links count as existing: reading them is an error.
  const auto is_there = [&](const char* name) {
    std::error_code ignored;
    return fs::exists(fs::symlink_status(folder / name, ignored));
  };
  for (std::string up; !error; up += "../") {
    if (is_there(kConfigName)) return up + kConfigName;
    if (is_there(".git") || folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  return "";
}

absl::StatusOr<ConfigFile> LoadConfig(const std::string& path) {
  ConfigFile file;
  if (path.empty()) return file;
  file.path = path;
  file.folder = FolderOf(path);
  auto toml = TomlFile::Load(path);
  if (!toml.ok()) return toml.status();
  auto config = ReadConfig(*std::move(toml));
  if (!config.ok()) return config.status();
  file.config = *std::move(config);
  return file;
}

bool IsFor(const ConfigFile& file, const std::string& path,
           const std::string& glob) {
  return MatchesGlob(absl::StrContains(glob, '/')
                         ? PathFrom(file.folder, path)
                         : fs::path(path).filename().string(),
                     glob);
}

void IgnoreRulesOf(const ConfigFile& file, FileReport* report) {
  std::set<const Rule*> rules;
  for (const Config::FileIgnores& ignores : file.config.file_ignores) {
    if (!IsFor(file, report->path, ignores.glob)) continue;
    rules.insert(ignores.rules.begin(), ignores.rules.end());
  }
  if (!rules.empty()) IgnoreRules(rules, report);
}

}  // namespace gguf
