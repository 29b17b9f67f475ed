// Config: the contents of a ggufcheck.toml; and limits and sizes, which flags
// read as well.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_CONFIG_H_
#define GGUF_CONFORMANCE_CHECK_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/base/toml_file.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/rules/profile.h"
#include "parser/rule.h"

namespace gguf {

// One limit: its name, its help and its member.  Its flag is --limit-NAME.
struct LimitName {
  const char* name;
  const char* help;
  uint64_t Limits::*member;
};

// In the order of Limits.  The time limit, a float, is separate.
constexpr LimitName kLimitNames[] = {
    {"metadata-bytes", "bytes in header, metadata and tensor table", &Limits::metadata_bytes},
    {"keys", "metadata keys", &Limits::keys},
    {"tensors", "tensors", &Limits::tensors},
    {"tokens", "tokens of the vocabulary", &Limits::tokens},
    {"array-elements", "array elements per key", &Limits::array_elements},
    {"array-depth", "nesting depth of arrays", &Limits::array_depth},
    {"findings", "findings shown per rule; the rest are only counted", &Limits::findings_per_rule},
    {"stream-bytes", "bytes read from a pipe", &Limits::stream_bytes},
};

constexpr char kSecondsName[] = "seconds";
constexpr char kSecondsHelp[] = "seconds spent on one file; 0 for no limit";
constexpr double kMostSeconds = 1e9;

// Parses a size: "64K" is 65536; K, M and G are powers of 1024.  Returns
// nothing when the text is not a 64-bit integer with an optional unit.
std::optional<uint64_t> ParseSize(absl::string_view text);

using RuleSeverities = std::vector<std::pair<const Rule*, Severity>>;

// docs/configuration.md describes each member.
struct Config {
  std::string profile = Profile::kDefault;  // A name that FindProfile() knows.
  Severity fail_on = Severity::kError;
  bool preview = false;                     // Whether rules in preview are on.
  std::vector<std::string> select, ignore;  // Lists for ParseRules().
  RuleSeverities severities;

  struct OwnProfile {
    std::string name;
    const Profile* extends;  // A built-in one.
    RuleSeverities severities;
  };
  std::vector<OwnProfile> profiles;

  // Rules that are off for files that match a glob.
  struct FileIgnores {
    std::string glob;
    std::vector<const Rule*> rules;
  };
  std::vector<FileIgnores> file_ignores;

  // Profiles for files that match a glob, instead of `profile`.
  struct FileProfile {
    std::string glob;
    std::string profile;
  };
  std::vector<FileProfile> file_profiles;  // By length of the glob, longest
                                           // first: the first match applies.

  Limits limits;
  Policy policy;

  std::vector<std::string> warnings;  // About names that are no longer in use.
};

// Parses "error", "warning", "note" or "off"; returns nothing for other words.
std::optional<Severity> ParseSeverity(absl::string_view name);

// Reads a configuration.  Errors: those of TomlFile::Finish().
absl::StatusOr<Config> ReadConfig(TomlFile file);

// Returns a built-in profile or one of the configuration, with the severities
// of the configuration and with the rules of its policy enabled.
// InvalidArgument for an unknown name.
absl::StatusOr<Profile> FindProfile(const Config& config, absl::string_view name);

// Returns the profile with this name after applying `select` and `ignore` of
// the command line, which come last: `select` replaces both lists of the
// configuration, `ignore` adds to its list.
absl::StatusOr<Profile> MakeProfile(const Config& config, absl::string_view name,
                                    const std::vector<std::string>& select,
                                    const std::vector<std::string>& ignore);

// Returns all settings in force as a ggufcheck.toml.  A comment on each line
// tells whether it is the default or comes from `source`, the name of the file.
std::string ShowConfig(const Config& config, absl::string_view source);

// A ggufcheck.toml with every key as a comment.
extern const char kConfigTemplate[];

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_CONFIG_H_
