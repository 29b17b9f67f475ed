// Flags that do not go together, and what the others stand for.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/check_plan.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/config/config.h"
#include "conformance/input/open.h"
#include "conformance/rules/digest_rules.h"
#include "parser/bytes.h"
#include "parser/quote.h"

namespace gguf {
namespace {

absl::StatusOr<std::optional<DigestManifest>> ReadDigestFlag(
    const CheckFlags& flags) {
  if (flags.digest.empty()) return std::nullopt;
  const auto input =
      Input::Open(flags.digest, flags.limits.stream_bytes, Streams::kAny);
  auto digests = input.ok() ? ReadDigests(AsText(input->bytes()))
                            : absl::StatusOr<DigestManifest>(input.status());
  if (digests.ok()) return *std::move(digests);
  return absl::InvalidArgumentError(absl::StrCat(
      "--digest ", Quote(flags.digest), ": ", digests.status().message()));
}

absl::Status CheckHeaderFlags(const CheckFlags& flags) {
  const HeaderOptions& header = flags.header;
  const bool all = flags.weights || flags.stats || !flags.digest.empty();
  if (header.only && all) {
    return absl::InvalidArgumentError(
        "--header-only reads no data, which --weights, --stats and --digest "
        "need");
  }
  if (header.size && (flags.paths.size() != 1 || !header.only)) {
    return absl::InvalidArgumentError(
        "--size is of one stream, which is read with --header-only");
  }
  return absl::OkStatus();
}

absl::Status CheckInputFlags(const CheckFlags& flags) {
  const bool listed = !flags.list.empty() || !flags.list0.empty();
  if (flags.paths.empty() && !listed) {
    return absl::InvalidArgumentError(
        "say what to check: PATH, --files-from or --files-from0");
  }
  const auto times = std::count(flags.paths.begin(), flags.paths.end(), "-") +
                     (flags.base == "-") + (flags.digest == "-") +
                     (flags.list == "-") + (flags.list0 == "-");
  if (times > 1) {
    return absl::InvalidArgumentError("standard input can be read only once");
  }
  return CheckHeaderFlags(flags);
}

// A manifest turns its rules on, whatever else is selected or ignored.
void TurnOnDigests(Profile* profile) {
  for (const Rule* rule : DigestRules()) {
    profile->Override(*rule, Severity::kError);
  }
}

Run RunOf(const CheckFlags& flags, const CheckPlan& plan, Profile named) {
  if (plan.digests) TurnOnDigests(&named);
  Run run;
  run.config = plan.config.path;
  run.baseline = flags.baseline.path();
  run.profile = flags.profile;
  run.severities = SeveritiesOf(named);
  run.fail_on = FailOnNames().at(flags.fail_on);
  run.select = flags.select;
  run.ignore = flags.ignore;
  run.shard = plan.shard.shard;
  return run;
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<CheckPlan> MakeCheckPlan(const CLI::App& command,
                                        CheckFlags* flags) {
  const absl::Status together = CheckTogether(*flags);
  if (!together.ok()) return together;
  if (flags->config.empty() && !flags->no_config) flags->config = FindConfig();
  auto config = LoadConfig(flags->config);
  if (!config.ok()) return config.status();
  SetOtherFlags(command, config->config, flags);
  const absl::Status inputs = CheckInputFlags(*flags);
  if (!inputs.ok()) return inputs;
  auto digests = ReadDigestFlag(*flags);
  if (!digests.ok()) return digests.status();
  auto named = FindProfile(config->config, flags->profile);
  if (!named.ok()) return named.status();
  auto profile =
      MakeProfile(config->config, flags->profile, flags->select, flags->ignore);
  if (!profile.ok()) return profile.status();
  if (*digests) TurnOnDigests(&*profile);
  auto reports = ParseReportTargets(flags->reports);
  if (!reports.ok()) return reports.status();
  auto shard = ChooseWorkShard(flags->shard, Variable);
  if (!shard.ok()) return shard.status();
  if (shard->shard.count > 1 && !flags->baseline.write.empty()) {
    return absl::InvalidArgumentError(
        "a shard cannot write the baseline: the shards would overwrite each "
        "other's");
  }
  CheckPlan plan{*std::move(config), *std::move(profile), *std::move(reports),
                 *std::move(shard),  *std::move(digests), Run()};
  plan.run = RunOf(*flags, plan, *std::move(named));
  return plan;
}

}  // namespace gguf
