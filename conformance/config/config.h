// Config: what a ggufcheck.toml says about how to check.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_CONFIG_H_
#define GGUF_CONFORMANCE_CONFIG_CONFIG_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/config/toml_file.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/engine/profile.h"
#include "parser/core/limits.h"
#include "parser/core/rule.h"

namespace gguf {

using RuleSeverities = std::vector<std::pair<const Rule*, Severity>>;

// docs/configuration.md describes each member.
struct Config {
  std::string profile = Profile::kDefault;  // One that FindProfile() knows.
  Severity fail_on = Severity::kError;
  std::vector<std::string> select, ignore;  // Lists that ParseRules() takes.
  RuleSeverities severities;

  struct OwnProfile {
    std::string name;
    const Profile* extends;  // A built-in one.
    RuleSeverities severities;
  };
  std::vector<OwnProfile> profiles;

  // Rules that are off for the files that a glob fits.
  struct FileIgnores {
    std::string glob;
    std::vector<const Rule*> rules;
  };
  std::vector<FileIgnores> file_ignores;

  Limits limits;
  Policy policy;

  std::vector<std::string> warnings;  // Of names that are no longer in use.
};

// "error", "warning", "note" or "off"; nothing for another word.
std::optional<Severity> ParseSeverity(absl::string_view name);

// Errors are those of TomlFile::Finish().
absl::StatusOr<Config> ReadConfig(TomlFile file);

// A built-in profile, or one that the configuration makes of it, with its
// severities, and the rules of its policy on.  InvalidArgument when there is
// none of this name.
absl::StatusOr<Profile> FindProfile(const Config& config,
                                    absl::string_view name);

// The profile of this name with `select` and `ignore` of a command line, which
// come last: `select` replaces both lists of the configuration, `ignore` adds
// to its.
absl::StatusOr<Profile> MakeProfile(const Config& config,
                                    absl::string_view name,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_CONFIG_H_
