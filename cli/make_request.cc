// Rejects conflicting flags and turns the others into a CheckRequest.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cli/check_flags.h"
#include "cli/commands.h"
#include "cli/limit_flags.h"
#include "cli/report_output.h"
#include "conformance/config/config.h"
#include "conformance/digest/sha256_list.h"
#include "conformance/gate/work_shard.h"
#include "conformance/input/http/client.h"
#include "conformance/input/open.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/tables/build.h"
#include "parser/core/bytes.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Returns InvalidArgument when flags contradict each other.
absl::Status CheckTogether(const CheckFlags& flags) {
  const BaselineRequest& baseline = flags.baseline;
  const char* wrong = nullptr;
  if (flags.no_config && !flags.config.empty()) {
    wrong = "--config and --no-config are mutually exclusive";
  } else if (!baseline.read.empty() && !baseline.write.empty()) {
    wrong = "--baseline and --write-baseline are mutually exclusive";
  } else if (!baseline.reason.empty() && baseline.write.empty()) {
    wrong = "--baseline-reason requires --write-baseline";
  }
  return wrong == nullptr ? absl::OkStatus()
                          : absl::InvalidArgumentError(wrong);
}

absl::StatusOr<std::shared_ptr<const ConfigFile>> ReadConfigFlag(
    const CheckFlags& flags) {
  const bool search = flags.config.empty() && !flags.no_config;
  auto config = LoadConfig(search ? FindConfig() : flags.config);
  if (config.ok()) {
    return std::make_shared<const ConfigFile>(*std::move(config));
  }
  return absl::InvalidArgumentError(config.status().message());
}

absl::StatusOr<std::optional<DigestManifest>> ReadDigestFlag(
    const CheckFlags& flags, const Limits& limits) {
  if (flags.digest.empty()) return std::nullopt;
  const auto input =
      Input::Open(flags.digest, limits.stream_bytes, Streams::kAny);
  auto digests = input.ok() ? ReadDigests(AsText(input->bytes()))
                            : absl::StatusOr<DigestManifest>(input.status());
  if (digests.ok()) return *std::move(digests);
  return absl::InvalidArgumentError(absl::StrCat(
      "--digest ", Quote(flags.digest), ": ", digests.status().message()));
}

absl::StatusOr<std::optional<Sha256List>> ReadSha256Flag(
    const CheckFlags& flags, const Limits& limits) {
  if (flags.sha256.empty()) return std::nullopt;
  if (flags.sha256 == "names") return Sha256List::OfNames();
  auto digest = Sha256List::OfDigest(flags.sha256);
  if (digest) return digest;
  const auto input =
      Input::Open(flags.sha256, limits.stream_bytes, Streams::kAny);
  auto list = input.ok() ? Sha256List::Parse(AsText(input->bytes()))
                         : absl::StatusOr<Sha256List>(input.status());
  if (list.ok()) return *std::move(list);
  return absl::InvalidArgumentError(absl::StrCat(
      "--sha256 ", Quote(flags.sha256), ": ", list.status().message()));
}

absl::Status CheckHeaderFlags(const CheckFlags& flags) {
  const HeaderOptions& header = flags.header;
  const bool all = flags.weights || flags.stats || !flags.digest.empty() ||
                   !flags.sha256.empty();
  if (header.only && all) {
    return absl::InvalidArgumentError(
        "--header-only conflicts with --weights, --stats, --digest and "
        "--sha256, which read tensor data");
  }
  if (header.size && (flags.paths.size() != 1 || !header.only)) {
    return absl::InvalidArgumentError(
        "--size requires --header-only and exactly one PATH");
  }
  return absl::OkStatus();
}

absl::Status CheckInputFlags(const CheckFlags& flags) {
  const bool listed = !flags.list.empty() || !flags.list0.empty();
  if (flags.paths.empty() && !listed) {
    return absl::InvalidArgumentError(
        "no files given; use PATH, --files-from or --files-from0");
  }
  const auto times = std::count(flags.paths.begin(), flags.paths.end(), "-") +
                     (flags.base == "-") + (flags.digest == "-") +
                     (flags.sha256 == "-") + (flags.list == "-") +
                     (flags.list0 == "-");
  if (times > 1) {
    return absl::InvalidArgumentError("standard input can be read only once");
  }
  return CheckHeaderFlags(flags);
}

// A manifest, or a stated digest, enables its rules regardless of --select and
// --ignore.
void TurnOn(const std::vector<const Rule*>& rules, Profile* profile) {
  for (const Rule* rule : rules) {
    profile->Override(*rule, Severity::kError);
  }
}

// The configuration's values for flags that the command line leaves out.
struct Defaults {
  std::string profile;
  Severity fail_on;
  Limits limits;
};

Defaults MakeDefaults(const CLI::App& command, const CheckFlags& flags,
                      const Config& config) {
  Defaults made = {flags.profile, FailOnNames().at(flags.fail_on),
                   flags.limits};
  if (command.count("--profile") == 0) made.profile = config.profile;
  if (command.count("--fail-on") == 0) made.fail_on = config.fail_on;
  SetOtherLimits(command, config.limits, &made.limits);
  constexpr uint64_t Limits::*kKept = &Limits::findings_per_rule;
  if (flags.baseline.any() && made.limits.*kKept == Limits().*kKept &&
      command.count("--limit-findings") == 0) {
    made.limits.*kKept = kBaselineFindings;
  }
  return made;
}

ValidateOptions OptionsOf(const CheckFlags& flags, const Limits& limits,
                          const CheckRequest& request) {
  ValidateOptions options;
  options.limits = limits;
  options.weights = flags.weights;
  options.stats = flags.stats;
  if (request.base != nullptr) options.base = &request.base->model();
  options.policy = &request.config->config.policy;
  options.off_rules = !flags.readers.empty();
  options.digests = request.digests.has_value();
  options.sha256 = request.sha256.has_value();
  return options;
}

// Returns the version of llama.cpp that --readers names; kNoBuild for none.
absl::StatusOr<int32_t> ReadReadersFlag(absl::string_view readers) {
  if (readers.empty() || readers == "true") return kNoBuild;
  const bool is_version = absl::ConsumePrefix(&readers, kReaderVersion);
  const auto build = is_version ? ParseBuild(readers) : std::nullopt;
  if (build.value_or(kNoBuild) != kNoBuild) return *build;
  return absl::InvalidArgumentError(
      "--readers accepts a version of llama.cpp only: llama.cpp@b9000 or "
      "llama.cpp@v0.5.0");
}

// Returns all files that the run reads, except those to be checked.
InputFiles InputsOf(const CheckFlags& flags, const CheckRequest& request) {
  InputFiles inputs;
  inputs.Add(request.config->path, "the configuration");
  inputs.Add(flags.digest, "the manifest of --digest");
  inputs.Add(flags.sha256, "the digests of --sha256");
  inputs.Add(flags.list, "the list of --files-from");
  inputs.Add(flags.list0, "the list of --files-from0");
  inputs.Add(flags.header.http.ca_file, "the certificates of --cacert");
  if (request.base == nullptr) return inputs;
  for (const std::string& path : request.base->paths()) {
    inputs.Add(path, "the model of --base");
  }
  return inputs;
}

// Sets the profile and the run.
absl::Status SetProfile(const CheckFlags& flags, const Defaults& chosen,
                        const WorkShard& shard, CheckRequest* request) {
  const ConfigFile& config = *request->config;
  auto named = FindProfile(config.config, chosen.profile);
  if (!named.ok()) return named.status();
  auto profile =
      MakeProfile(config.config, chosen.profile, flags.select, flags.ignore);
  if (!profile.ok()) return profile.status();
  for (Profile* one : {&*profile, &*named}) {
    if (request->digests) TurnOn(DigestRules(), one);
    if (request->sha256) TurnOn(Sha256Rules(), one);
  }
  request->profile = *std::move(profile);
  Run& run = request->run;
  run.config = config.path;
  run.baseline = flags.baseline.path();
  run.profile = chosen.profile;
  run.severities = SeveritiesOf(*named);
  run.fail_on = chosen.fail_on;
  run.select = flags.select;
  run.ignore = flags.ignore;
  run.shard = shard;
  return absl::OkStatus();
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<CheckRequest> MakeCheckRequest(const CLI::App& command,
                                              const CheckFlags& flags) {
  CheckRequest request;
  const absl::Status together = CheckTogether(flags);
  if (!together.ok()) return together;
  auto config = ReadConfigFlag(flags);
  if (!config.ok()) return config.status();
  request.config = *std::move(config);
  const Defaults chosen = MakeDefaults(command, flags, request.config->config);
  const absl::Status inputs = CheckInputFlags(flags);
  if (!inputs.ok()) return inputs;
  auto digests = ReadDigestFlag(flags, chosen.limits);
  if (!digests.ok()) return digests.status();
  request.digests = *std::move(digests);
  auto sha256 = ReadSha256Flag(flags, chosen.limits);
  if (!sha256.ok()) return sha256.status();
  request.sha256 = *std::move(sha256);
  const auto shard = ChooseWorkShard(flags.shard, Variable);
  if (!shard.ok()) return shard.status();
  if (shard->shard.count > 1 && !flags.baseline.write.empty()) {
    return absl::InvalidArgumentError(
        "a shard cannot write a baseline: the shards would overwrite each "
        "other's");
  }
  const absl::Status profile =
      SetProfile(flags, chosen, shard->shard, &request);
  if (!profile.ok()) return profile;
  const auto llama_cpp = ReadReadersFlag(flags.readers);
  if (!llama_cpp.ok()) return llama_cpp.status();
  request.llama_cpp = *llama_cpp;
  auto reports = ParseReportTargets(flags.reports);
  if (!reports.ok()) return reports.status();
  if (!flags.base.empty()) {
    auto base = BaseInput::Open(flags.base, chosen.limits);
    if (!base.ok()) return base.status();
    request.base = *std::move(base);
  }
  request.paths = flags.paths;
  if (!flags.list.empty()) request.lists.push_back({flags.list, '\n'});
  if (!flags.list0.empty()) request.lists.push_back({flags.list0, '\0'});
  request.choice = flags.choice;
  request.header = flags.header;
  for (const std::string& line : flags.http_headers) {
    const auto header = ParseHeader(line);
    // The line may be secret.
    if (!header.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a value of --header ", header.status().message()));
    }
    request.header.http.headers.push_back(*header);
  }
  request.validate = OptionsOf(flags, chosen.limits, request);
  request.baseline = flags.baseline;
  request.jobs = flags.jobs;
  request.shard_from = shard->from;
  request.format = flags.format;
  request.reports = *std::move(reports);
  request.inputs = InputsOf(flags, request);
  return request;
}

}  // namespace gguf
