// The table of options, and the request that their values make.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/check_settings.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "conformance/config/config.h"
#include "conformance/digest/digest_manifest.h"
#include "conformance/rules/compare/compare_rules.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/tables/build.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

using Set = std::function<absl::Status(const std::string&, CheckSettings*)>;

absl::Status Invalid(absl::string_view text, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("invalid value ", Quote(text), ": expected ", expected));
}

Set Text(std::string CheckSettings::*member) {
  return [member](const std::string& text, CheckSettings* settings) {
    settings->*member = text;
    return absl::OkStatus();
  };
}

Set List(std::vector<std::string> CheckSettings::*member) {
  return [member](const std::string& text, CheckSettings* settings) {
    (settings->*member).push_back(text);
    return absl::OkStatus();
  };
}

absl::Status SetSwitch(const std::string& text, bool* value) {
  if (text != "true" && text != "false") return Invalid(text, "true or false");
  *value = text == "true";
  return absl::OkStatus();
}

Set Switch(bool CheckSettings::*member) {
  return [member](const std::string& text, CheckSettings* settings) {
    return SetSwitch(text, &(settings->*member));
  };
}

absl::Status SetHeaderOnly(const std::string& text, CheckSettings* settings) {
  return SetSwitch(text, &settings->header.only);
}

absl::Status SetFileSize(const std::string& text, CheckSettings* settings) {
  uint64_t size;
  if (!absl::SimpleAtoi(text, &size)) return Invalid(text, "a 64-bit integer");
  settings->header.size = size;
  return absl::OkStatus();
}

absl::Status SetFailOn(const std::string& text, CheckSettings* settings) {
  const auto severity = ParseSeverity(text);
  if (!severity || *severity == Severity::kOff) {
    return Invalid(text, "one of error, note, warning");
  }
  settings->fail_on = *severity;
  return absl::OkStatus();
}

absl::Status SetJobs(const std::string& text, CheckSettings* settings) {
  constexpr unsigned kMostJobs = 256;
  unsigned jobs;
  if (!absl::SimpleAtoi(text, &jobs) || jobs == 0 || jobs > kMostJobs) {
    return Invalid(text, "a number from 1 to 256");
  }
  settings->jobs = jobs;
  return absl::OkStatus();
}

absl::Status SetReaders(const std::string& text, CheckSettings* settings) {
  settings->readers = true;
  settings->llama_cpp = kNoBuild;
  absl::string_view version = text;
  if (text == "true") return absl::OkStatus();
  const bool is_version = absl::ConsumePrefix(&version, kReaderVersion);
  const auto build = is_version ? ParseBuild(version) : std::nullopt;
  if (build.value_or(kNoBuild) == kNoBuild) {
    return Invalid(text,
                   "a version of llama.cpp: llama.cpp@b9000 or "
                   "llama.cpp@v0.5.0");
  }
  settings->llama_cpp = *build;
  return absl::OkStatus();
}

absl::Status SetSeconds(const std::string& text, CheckSettings* settings) {
  double seconds;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds >= 0) ||
      seconds > kMostSeconds) {
    return Invalid(text, absl::StrCat("a number from 0 to ", kMostSeconds));
  }
  settings->limits.seconds = seconds;
  return absl::OkStatus();
}

Set Limit(uint64_t Limits::*member) {
  return [member](const std::string& text, CheckSettings* settings) {
    const auto size = ParseSize(text);
    if (!size) {
      return Invalid(text, "a 64-bit integer, optionally with K, M or G");
    }
    settings->limits.*member = *size;
    return absl::OkStatus();
  };
}

std::string ProfileHelp() {
  std::vector<std::string> names;
  for (const Profile& profile : Profile::BuiltIn()) {
    names.push_back(profile.name());
  }
  return absl::StrCat("The rule set to apply: ", absl::StrJoin(names, ", "),
                      ", or a profile of the configuration (default ",
                      Profile::kDefault, ")");
}

std::string LimitOption(absl::string_view name) {
  return absl::StrCat("limit-", name);
}

std::vector<CheckOption> MakeOptions() {
  constexpr char kPartial[] = "Partial files";
  std::vector<CheckOption> all = {
      {"profile", CheckOption::kValue, "NAME", "", ProfileHelp(),
       Text(&CheckSettings::profile)},
      {"fail-on", CheckOption::kValue, "NAME", "",
       "The lowest severity that fails a file: error, note, warning (default "
       "error)",
       SetFailOn},
      {"config", CheckOption::kValue, "FILE", "Configuration",
       "Read this configuration (default: ggufcheck.toml in the working "
       "directory or its nearest parent)",
       Text(&CheckSettings::config)},
      {"preview", CheckOption::kSwitch, "", "",
       "Also check the rules in preview, which may still change",
       Switch(&CheckSettings::preview)},
      {"select", CheckOption::kList, "RULES", "",
       "Check only these rules: ids or prefix*, separated by commas",
       List(&CheckSettings::select)},
      {"ignore", CheckOption::kList, "RULES", "",
       "Skip these rules: ids or prefix*, separated by commas",
       List(&CheckSettings::ignore)},
      {"base", CheckOption::kValue, "PATH", "",
       "Check that adapters, control vectors, projectors and draft models "
       "match this model",
       Text(&CheckSettings::base)},
      {"header-only", CheckOption::kSwitch, "", kPartial,
       "Check header, keys and tensor table only, and read no further (always "
       "on for URLs)",
       SetHeaderOnly},
      {"size", CheckOption::kValue, "BYTES", kPartial,
       "The full size of the file, if the input is only its beginning",
       SetFileSize},
      {"weights", CheckOption::kSwitch, "", "",
       "Check all tensor data: weights must be finite, indexes in range",
       Switch(&CheckSettings::weights)},
      {"stats", CheckOption::kSwitch, "", "",
       "Report statistics of each tensor; implies --weights",
       Switch(&CheckSettings::stats)},
      {"readers", CheckOption::kOptionalValue, "", "",
       "Predict which readers will accept the file, and why others will not; "
       "followed by llama.cpp@b9000 or llama.cpp@v0.5.0, for this build or "
       "release of llama.cpp",
       SetReaders},
      {"jobs", CheckOption::kValue, "N", "",
       "Threads, from 1 to 256 (default: one per core)", SetJobs},
  };
  for (const LimitName& limit : kLimitNames) {
    all.push_back({LimitOption(limit.name), CheckOption::kValue, "N[KMG]",
                   "Limits", limit.help, Limit(limit.member)});
  }
  all.push_back({LimitOption(kSecondsName), CheckOption::kValue, "SECONDS",
                 "Limits", kSecondsHelp, SetSeconds});
  return all;
}

// A manifest, or a stated digest, enables its rules regardless of `select` and
// `ignore`.
void TurnOn(const std::vector<const Rule*>& rules, Profile* profile) {
  for (const Rule* rule : rules) profile->Override(*rule, Severity::kError);
}

// Makes a profile; enables the rules of what the request compares.
absl::StatusOr<Profile> ChosenProfile(const CheckSettings& settings,
                                      const CheckRequest& request,
                                      const Config& config,
                                      absl::string_view name) {
  auto profile = MakeProfile(config, name, settings.select, settings.ignore);
  if (!profile.ok()) return profile;
  if (request.digests) TurnOn(DigestRules(), &*profile);
  if (request.sha256) TurnOn(Sha256Rules(), &*profile);
  if (request.origin == nullptr) return profile;
  for (const Rule* rule : CompareRules()) {
    // Those that `ignore` turned off stay off.
    const bool is_off = profile->SeverityOf(*rule) == Severity::kOff;
    if (!is_off) profile->Override(*rule, Severity::kError);
  }
  return profile;
}

// Sets the profiles and the run.  A profile that was set is that of all files.
absl::Status SetProfiles(const CheckSettings& settings, CheckRequest* request) {
  const ConfigFile& file = *request->config;
  const std::string& name =
      settings.has("profile") ? settings.profile : file.config.profile;
  Config config = file.config;
  config.preview |= settings.preview;
  auto named = FindProfile(config, name);
  if (!named.ok()) return named.status();
  if (request->digests) TurnOn(DigestRules(), &*named);
  if (request->sha256) TurnOn(Sha256Rules(), &*named);
  if (request->origin != nullptr) TurnOn(CompareRules(), &*named);
  auto profile = ChosenProfile(settings, *request, config, name);
  if (!profile.ok()) return profile.status();
  request->profile = *std::move(profile);
  for (const auto& [glob, other_name] : config.file_profiles) {
    if (settings.has("profile")) break;
    auto other = ChosenProfile(settings, *request, config, other_name);
    if (!other.ok()) return other.status();
    request->file_profiles.emplace_back(glob, *std::move(other));
  }
  Run& run = request->run;
  run.config = file.path;
  run.baseline = request->baseline.path();
  run.profile = name;
  run.severities = SeveritiesOf(*named);
  run.fail_on =
      settings.has("fail-on") ? settings.fail_on : file.config.fail_on;
  run.select = settings.select;
  run.ignore = settings.ignore;
  return absl::OkStatus();
}

absl::Status OpenBase(const CheckSettings& settings, CheckRequest* request) {
  if (settings.base.empty()) return absl::OkStatus();
  auto base = BaseInput::Open(settings.base, ChosenLimits(settings, *request),
                              request->unmapped);
  if (!base.ok()) return base.status();
  request->base = *std::move(base);
  return absl::OkStatus();
}

ValidateOptions OptionsOf(const CheckSettings& settings,
                          const CheckRequest& request) {
  ValidateOptions options;
  options.limits = ChosenLimits(settings, request);
  options.weights = settings.weights;
  options.stats = settings.stats;
  if (request.base != nullptr) options.base = &request.base->model();
  if (request.origin != nullptr) options.origin = &request.origin->origin();
  options.policy = &request.config->config.policy;
  options.off_rules = settings.readers;
  options.digests = request.digests.has_value();
  options.sha256 = request.sha256.has_value();
  return options;
}

}  // namespace

const std::vector<CheckOption>& CheckOptions() {
  static const auto& all = *new std::vector<CheckOption>(MakeOptions());
  return all;
}

const CheckOption* FindCheckOption(absl::string_view name) {
  const auto& all = CheckOptions();
  const auto found = std::find_if(
      all.begin(), all.end(),
      [&](const CheckOption& option) { return option.name == name; });
  return found == all.end() ? nullptr : &*found;
}

absl::Status SetOption(const CheckOption& option, const std::string& text,
                       CheckSettings* settings) {
  absl::Status status = option.set(text, settings);
  if (status.ok()) settings->given.insert(option.name);
  return status;
}

Limits ChosenLimits(const CheckSettings& settings,
                    const CheckRequest& request) {
  Limits limits = settings.limits;
  const Limits& others = request.config->config.limits;
  for (const LimitName& limit : kLimitNames) {
    if (settings.has(LimitOption(limit.name))) continue;
    limits.*limit.member = others.*limit.member;
  }
  if (!settings.has(LimitOption(kSecondsName))) limits.seconds = others.seconds;
  const LimitName& findings =
      *std::find_if(std::begin(kLimitNames), std::end(kLimitNames),
                    [](const LimitName& limit) {
                      return limit.member == &Limits::findings_per_rule;
                    });
  if (request.baseline.any() && !settings.has(LimitOption(findings.name)) &&
      limits.findings_per_rule == Limits().findings_per_rule) {
    limits.findings_per_rule = kBaselineFindings;
  }
  return limits;
}

absl::Status ApplySettings(const CheckSettings& settings,
                           CheckRequest* request) {
  const bool all =
      settings.weights || settings.stats || request->digests || request->sha256;
  if (settings.header.only && all) {
    return absl::InvalidArgumentError(
        "--header-only conflicts with --weights, --stats, --digest and "
        "--sha256, which read tensor data");
  }
  absl::Status status = SetProfiles(settings, request);
  if (status.ok()) status = OpenBase(settings, request);
  if (!status.ok()) return status;
  request->validate = OptionsOf(settings, *request);
  request->llama_cpp = settings.llama_cpp;
  request->header.only = settings.header.only;
  request->header.size = settings.header.size;
  request->jobs = settings.jobs;
  return absl::OkStatus();
}

}  // namespace gguf
