// CheckInputs: what a run reads besides the files to be checked, open while it
// checks them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_CHECK_INPUTS_H_
#define GGUF_CONFORMANCE_CHECK_CHECK_INPUTS_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/base/output_file.h"
#include "conformance/check/base_input.h"
#include "conformance/check/config.h"
#include "conformance/compare/origin.h"
#include "conformance/input/open.h"
#include "conformance/model/digest.h"
#include "conformance/model/whole_digest.h"
#include "conformance/report/report.h"
#include "conformance/rules/check_options.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"

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

// Reads the configuration that the options name, or, for the program, the one
// that is found.
absl::StatusOr<ConfigFile> ConfigOf(const CheckOptions& options);

class CheckInputs {
 public:
  // Checks that the options agree, and completes them with the configuration:
  // from then on they do not change.  Then opens what they name, and makes the
  // profiles.
  //
  // Errors: InvalidArgument for wrong options, a wrong configuration, manifest
  // or list of digests; FailedPrecondition for a base or an origin that cannot
  // be read.
  static absl::StatusOr<CheckInputs> Open(CheckOptions* options);

  // Warnings of the configuration, not escaped.
  const std::vector<std::string>& warnings() const { return config_.config.warnings; }
  // The description of the run in its reports.  Gate::run() adds the files.
  const Run& run() const { return run_; }
  // The variable of the environment that chose the run's shard; empty for none.
  const std::string& shard_from() const { return shard_from_; }
  // The files that were read or will be, besides those to be checked.
  const InputFiles& files() const { return files_; }
  // How the files to be checked are read.
  const HeaderOptions& header() const { return header_; }

  // The profile of all files that have none of their own.
  const Profile& profile() const { return profile_; }
  // Returns the profile for a file; of a set of shards, that for its first one.
  const Profile& ProfileOf(const std::string& path) const;
  // Returns the profile with which a file was checked.
  const Profile& ProfileOf(const FileReport& report) const;
  // Returns what the file at a path should agree with.
  Expected ExpectedOf(const std::string& path) const;

  // Returns which input changed since it was opened; empty if none did.
  std::string WhyChanged() const;
  // Removes findings of the rules that the configuration turns off for the
  // report's path, as if these rules had been off.
  void IgnoreRulesOf(FileReport* report) const;

 private:
  // Each uses what the ones before it have set.
  absl::Status ReadConfig(CheckOptions* options);
  absl::Status ChooseShard(const CheckOptions& options);
  absl::Status SetHeader(const CheckOptions& options);
  absl::Status OpenDigests(const CheckOptions& options);
  absl::Status OpenModels(const CheckOptions& options);
  absl::Status MakeProfiles(const CheckOptions& options);
  absl::StatusOr<Profile> ChosenProfile(const CheckOptions& options, const std::string& name) const;
  void ListFiles(const CheckOptions& options);

  ConfigFile config_;
  HeaderOptions header_;
  std::optional<DigestManifest> digests_;
  std::optional<Sha256List> sha256_;
  std::unique_ptr<const BaseInput> origin_base_;  // Of an origin that is one.
  std::unique_ptr<const Origin> origin_;
  std::unique_ptr<const BaseInput> base_;
  Profile profile_ = *Profile::Find(Profile::kDefault);
  // Of files that match a glob of the configuration; the first match applies.
  std::vector<std::pair<std::string, Profile>> file_profiles_;
  Run run_;
  std::string shard_from_;
  InputFiles files_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_CHECK_INPUTS_H_
