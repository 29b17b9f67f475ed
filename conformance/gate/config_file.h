// The configuration file of a run: which one it is, and what it says of a file.
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
  std::string path;    // Empty when there is none: `config` says nothing.
  std::string folder;  // FolderOf() it.
  Config config;
};

// The ggufcheck.toml of the working folder or the nearest one above, as a path
// relative to it; empty when there is none up to the top of the repository (the
// folder that has .git) or of the file system.  Not of the folder of a file
// that is checked: a file from a stranger shall not bring its own rules.
std::string FindConfig();

// Reads a configuration; an empty path is none.  Errors: what is wrong with the
// file, and where.
absl::StatusOr<ConfigFile> LoadConfig(const std::string& path);

// Makes the report as if the rules had been off that the configuration has off
// for the report's path.
void IgnoreRulesOf(const ConfigFile& file, FileReport* report);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CONFIG_FILE_H_
