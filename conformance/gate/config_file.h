// ConfigFile: the configuration file of a run.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CONFIG_FILE_H_
#define GGUF_CONFORMANCE_GATE_CONFIG_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "conformance/config/config.h"
#include "conformance/engine/validate.h"

namespace gguf {

inline constexpr char kConfigName[] = "ggufcheck.toml";

struct ConfigFile {
  std::string path;    // Empty for no file; `config` is then the default.
  std::string folder;  // FolderOf(path).
  Config config;
};

// Finds ggufcheck.toml in the working folder or its nearest parent; returns its
// path relative to the working folder.  Returns an empty path when there is
// none up to the top of the repository (the folder that has .git) or of the
// file system.  Does not search the folder of a checked file: an untrusted file
// must not bring its own rules.
std::string FindConfig();

// Reads a configuration; an empty path gives the default one.  Errors name the
// fault and its line.
absl::StatusOr<ConfigFile> LoadConfig(const std::string& path);

// Returns whether a glob of the configuration matches a path: one with a slash
// the path relative to the configuration's folder, one without the file name.
// `path` is as the user gave it.
bool IsFor(const ConfigFile& file, const std::string& path,
           const std::string& glob);

// Removes findings of the rules that the configuration turns off for the
// report's path, as if these rules had been off.
void IgnoreRulesOf(const ConfigFile& file, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CONFIG_FILE_H_
