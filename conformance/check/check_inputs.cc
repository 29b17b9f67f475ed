// Refuses options that contradict each other, and opens what they name.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/check_inputs.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/base/toml_file.h"
#include "conformance/check/baseline.h"
#include "conformance/check/config.h"
#include "conformance/check/files.h"
#include "conformance/check/option_table.h"
#include "conformance/check/work_shard.h"
#include "conformance/input/http/client.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/catalogue.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

// Returns InvalidArgument when options contradict each other.
absl::Status CheckTogether(const CheckOptions& options) {
  const auto wrong = [](auto... words) {
    return absl::InvalidArgumentError(absl::StrCat(words...));
  };
  const auto exclusive = [&](absl::string_view a, absl::string_view b) {
    return wrong(options.Named(a), " and ", options.Named(b), " are mutually exclusive");
  };
  if (options.has("config") && options.no_config) {
    return exclusive("config", "no-config");
  }
  if (!options.baseline.empty() && !options.write_baseline.empty()) {
    return exclusive("baseline", "write-baseline");
  }
  if (!options.baseline_reason.empty() && options.write_baseline.empty()) {
    return wrong(options.Named("baseline-reason"), " requires ", options.Named("write-baseline"));
  }
  auto streams =
      std::count(options.paths.begin(), options.paths.end(), "-") + (options.origin == "-");
  for (const CheckOption& option : AllCheckOptions()) {
    streams += option.path != nullptr && options.*option.path == "-";
  }
  if (streams > 1) return wrong("standard input can be read only once");
  if (options.header_only && ReadsData(options)) {
    return wrong(options.Named("header-only"), " conflicts with ", DataOptions(options),
                 ", which read tensor data");
  }
  return absl::OkStatus();
}

// Returns whether a glob of the configuration matches a path: one with a slash
// the path relative to the configuration's folder, one without the file name.
// `path` is as the user gave it.
bool IsFor(const ConfigFile& file, const std::string& path, const std::string& glob) {
  return MatchesGlob(absl::StrContains(glob, '/') ? PathFrom(file.folder, path)
                                                  : fs::path(path).filename().string(),
                     glob);
}

// Reads the file that an option names, and parses it.
template <class Parse>
auto ReadText(const CheckOptions& options, std::string CheckOptions::*path, Parse parse)
    -> decltype(parse(absl::string_view())) {
  const auto input = Input::Open(options.*path, options.limits.stream_bytes, Streams::kAny);
  absl::Status status = input.status();
  if (status.ok()) {
    auto parsed = parse(AsText(input->bytes()));
    if (parsed.ok()) return parsed;
    status = parsed.status();
  }
  return absl::InvalidArgumentError(absl::StrCat(options.Named(OptionOf(path).name), " ",
                                                 Quote(options.*path), ": ", status.message()));
}

// Returns how messages name a file of an option: "the manifest of --digest".
std::string NameOf(const CheckOptions& options, const CheckOption& option) {
  return absl::StrCat("the ", option.contents, " of ", options.Named(option.name));
}

// A manifest, a stated digest or an origin enables its rules regardless of
// `select` and `ignore`; but those of an origin may be ignored, if
// `may_be_off`.
void TurnOnRules(const CheckOptions& options, bool may_be_off, Profile* profile) {
  const auto turn_on = [&](const std::vector<const Rule*>& rules, bool may_be) {
    for (const Rule* rule : rules) {
      if (may_be && profile->SeverityOf(*rule) == Severity::kOff) continue;
      profile->Override(*rule, Severity::kError);
    }
  };
  if (!options.digest.empty()) turn_on(RulesAgainst(Against::kDigests), false);
  if (!options.sha256.empty()) turn_on(RulesAgainst(Against::kSha256), false);
  const bool compares = !options.origin.empty() || !options.source.empty();
  if (compares) turn_on(RulesAgainst(Against::kOrigin), may_be_off);
}

}  // namespace

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

absl::StatusOr<ConfigFile> ConfigOf(const CheckOptions& options) {
  const bool search = options.is_program && options.config.empty() && !options.no_config;
  return LoadConfig(search ? FindConfig() : options.config);
}

absl::StatusOr<CheckInputs> CheckInputs::Open(CheckOptions* options) {
  CheckInputs inputs;
  absl::Status status = CheckTogether(*options);
  if (status.ok()) status = inputs.ChooseShard(*options);
  if (status.ok()) status = inputs.SetHeader(*options);
  if (status.ok()) status = inputs.ReadConfig(options);
  if (status.ok()) status = inputs.MakeProfiles(*options);
  if (status.ok()) status = inputs.OpenDigests(*options);
  if (status.ok()) status = inputs.OpenModels(*options);
  if (!status.ok()) return status;
  inputs.ListFiles(*options);
  return inputs;
}

absl::Status CheckInputs::ChooseShard(const CheckOptions& options) {
  auto shard = ChooseWorkShard(options.shard, Variable);
  if (!shard.ok()) return shard.status();
  if (shard->shard.count > 1 && !options.write_baseline.empty()) {
    return absl::InvalidArgumentError(
        "a shard cannot write a baseline: the shards would overwrite each other's");
  }
  run_.shard = shard->shard;
  shard_from_ = std::move(shard->from);
  return absl::OkStatus();
}

absl::Status CheckInputs::SetHeader(const CheckOptions& options) {
  header_.only = options.header_only;
  header_.size = options.size;
  header_.http = {options.allow_private_redirects, {}, options.cacert};
  for (const std::string& line : options.header) {
    auto header = ParseHeader(line);
    if (!header.ok()) {  // The line may be secret.
      return absl::InvalidArgumentError(
          absl::StrCat("a value of ", options.Named("header"), " ", header.status().message()));
    }
    header_.http.headers.push_back(*std::move(header));
  }
  return absl::OkStatus();
}

// Options that were set take precedence.
absl::Status CheckInputs::ReadConfig(CheckOptions* options) {
  auto file = ConfigOf(*options);
  if (!file.ok()) return absl::InvalidArgumentError(file.status().message());
  config_ = *std::move(file);
  Config& config = config_.config;
  config.preview |= options->preview;
  if (!options->has("profile") && options->profile.empty()) {
    options->profile = config.profile;
  } else {
    config.file_profiles.clear();  // The profile that was set is that of all.
  }
  const bool is_there = !config_.path.empty();
  if (is_there && !options->has("fail-on")) options->fail_on = config.fail_on;
  Limits& limits = options->limits;
  limits.own_types = config.limits.own_types;
  for (const LimitName& limit : kLimitNames) {
    if (options->has(LimitOption(limit.name))) continue;
    uint64_t& value = limits.*limit.member;
    if (is_there) value = config.limits.*limit.member;
    // More findings are compared than people read.
    if (limit.member == &Limits::findings_per_rule && value == Limits().findings_per_rule &&
        !options->any_baseline().empty()) {
      value = kBaselineFindings;
    }
  }
  if (is_there && !options->has(LimitOption(kSecondsName))) {
    limits.seconds = config.limits.seconds;
  }
  return absl::OkStatus();
}

absl::StatusOr<Profile> CheckInputs::ChosenProfile(const CheckOptions& options,
                                                   const std::string& name) const {
  auto profile = MakeProfile(config_.config, name, options.select, options.ignore);
  if (profile.ok()) TurnOnRules(options, true, &*profile);
  return profile;
}

absl::Status CheckInputs::MakeProfiles(const CheckOptions& options) {
  auto named = FindProfile(config_.config, options.profile);
  if (!named.ok()) return named.status();
  TurnOnRules(options, false, &*named);
  auto profile = ChosenProfile(options, options.profile);
  if (!profile.ok()) return profile.status();
  profile_ = *std::move(profile);
  for (const auto& [glob, name] : config_.config.file_profiles) {
    auto other = ChosenProfile(options, name);
    if (!other.ok()) return other.status();
    file_profiles_.emplace_back(glob, *std::move(other));
  }
  run_.config = config_.path;
  run_.baseline = options.any_baseline();
  run_.profile = options.profile;
  run_.severities = SeveritiesOf(*named);
  run_.fail_on = options.fail_on;
  run_.select = options.select;
  run_.ignore = options.ignore;
  run_.compared_with = options.source.empty() ? options.origin : options.source;
  return absl::OkStatus();
}

absl::Status CheckInputs::OpenDigests(const CheckOptions& options) {
  if (!options.digest.empty()) {
    auto digests = ReadText(options, &CheckOptions::digest, ReadDigests);
    if (!digests.ok()) return digests.status();
    digests_ = *std::move(digests);
  }
  if (options.sha256 == "names") {
    sha256_ = Sha256List::OfNames();
  } else if (!options.sha256.empty()) {
    sha256_ = Sha256List::OfDigest(options.sha256);
    if (sha256_) return absl::OkStatus();
    auto list = ReadText(options, &CheckOptions::sha256, Sha256List::Parse);
    if (!list.ok()) return list.status();
    sha256_ = *std::move(list);
  }
  return absl::OkStatus();
}

absl::Status CheckInputs::OpenModels(const CheckOptions& options) {
  if (!options.source.empty()) {
    auto origin = ReadFolder(options, &files_);
    if (!origin.ok()) return origin.status();
    origin_ = *std::move(origin);
  } else if (!options.origin.empty()) {
    auto base = BaseInput::Open(options, BaseInput::kComparisons);
    if (!base.ok()) return base.status();
    origin_base_ = *std::move(base);
    origin_ = std::make_unique<const Origin>(origin_base_->whole());
  }
  if (!options.base.empty()) {
    auto base = BaseInput::Open(options, BaseInput::kCompanions);
    if (!base.ok()) return base.status();
    base_ = *std::move(base);
  }
  return absl::OkStatus();
}

void CheckInputs::ListFiles(const CheckOptions& options) {
  files_.Add(config_.path, "the configuration");
  for (const CheckOption& option : AllCheckOptions()) {
    if (option.path == nullptr) continue;
    files_.Add(options.*option.path, NameOf(options, option));
  }
  if (origin_base_ != nullptr) {
    for (const std::string& path : origin_base_->paths()) {
      files_.Add(path, kOfComparison);
    }
  }
  if (base_ != nullptr) {
    const CheckOption& option = OptionOf(&CheckOptions::base);
    for (const std::string& path : base_->paths()) {
      files_.Add(path, NameOf(options, option));
    }
  }
}

const Profile& CheckInputs::ProfileOf(const std::string& path) const {
  for (const auto& [glob, profile] : file_profiles_) {
    if (IsFor(config_, path, glob)) return profile;
  }
  return profile_;
}

const Profile& CheckInputs::ProfileOf(const FileReport& report) const {
  for (const auto& [glob, profile] : file_profiles_) {
    if (profile.name() == report.profile) return profile;
  }
  return profile_;
}

Expected CheckInputs::ExpectedOf(const std::string& path) const {
  Expected expected;
  if (base_ != nullptr) expected.base = &base_->model();
  expected.origin = origin_.get();
  expected.policy = &config_.config.policy;
  if (digests_) expected.digest = digests_->Find(path);
  if (sha256_) expected.sha256 = sha256_->Find(path);
  return expected;
}

std::string CheckInputs::WhyChanged() const {
  if (origin_base_ != nullptr && origin_base_->changed()) {
    return "the base changed during the comparison";
  }
  if (base_ != nullptr && base_->changed()) {
    return "the base changed during the check";
  }
  return "";
}

void CheckInputs::IgnoreRulesOf(FileReport* report) const {
  std::set<const Rule*> rules;
  for (const Config::FileIgnores& ignores : config_.config.file_ignores) {
    if (!IsFor(config_, report->path, ignores.glob)) continue;
    rules.insert(ignores.rules.begin(), ignores.rules.end());
  }
  if (!rules.empty()) IgnoreRules(rules, report);
}

}  // namespace gguf
