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
#include "cli/check_flags.h"
#include "conformance/digest/sha256_list.h"
#include "conformance/gate/origin_input.h"
#include "conformance/gate/work_shard.h"
#include "conformance/input/http/client.h"
#include "conformance/input/open.h"
#include "parser/core/bytes.h"
#include "parser/core/quote.h"

namespace gguf {
namespace {

// Returns InvalidArgument when flags contradict each other.
absl::Status CheckTogether(const CheckFlags& flags) {
  const BaselineRequest& baseline = flags.baseline;
  const char* wrong = nullptr;
  if (flags.no_config && flags.settings.has("config")) {
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
  const std::string& path = flags.settings.config;
  const bool search = path.empty() && !flags.no_config;
  auto config = LoadConfig(search ? FindConfig() : path);
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

// Returns null if nothing is compared.
absl::StatusOr<std::unique_ptr<OriginInput>> OpenOrigin(const CheckFlags& flags,
                                                        const Limits& limits) {
  if (!flags.source.empty()) {
    return OriginInput::OpenSource(flags.source, limits);
  }
  if (flags.compare_base.empty()) return nullptr;
  return OriginInput::OpenBase(flags.compare_base, limits);
}

absl::Status CheckInputFlags(const CheckFlags& flags) {
  const bool listed = !flags.list.empty() || !flags.list0.empty();
  if (flags.paths.empty() && !listed) {
    return absl::InvalidArgumentError(
        "no files given; use PATH, --files-from or --files-from0");
  }
  const auto times = std::count(flags.paths.begin(), flags.paths.end(), "-") +
                     (flags.settings.base == "-") + (flags.digest == "-") +
                     (flags.compare_base == "-") + (flags.sha256 == "-") +
                     (flags.list == "-") + (flags.list0 == "-");
  if (times > 1) {
    return absl::InvalidArgumentError("standard input can be read only once");
  }
  const HeaderOptions& header = flags.settings.header;
  if (header.size && (flags.paths.size() != 1 || !header.only)) {
    return absl::InvalidArgumentError(
        "--size requires --header-only and exactly one PATH");
  }
  return absl::OkStatus();
}

// Returns all files that the run reads, except those to be checked.
InputFiles InputsOf(const CheckFlags& flags, const CheckRequest& request) {
  InputFiles inputs;
  inputs.Add(request.config->path, "the configuration");
  inputs.Add(flags.digest, "the manifest of --digest");
  inputs.Add(flags.sha256, "the digests of --sha256");
  inputs.Add(flags.list, "the list of --files-from");
  inputs.Add(flags.list0, "the list of --files-from0");
  inputs.Add(flags.http.ca_file, "the certificates of --cacert");
  if (request.origin != nullptr) {
    for (const std::string& path : request.origin->paths()) {
      inputs.Add(path, "what the files are compared with");
    }
  }
  if (request.base == nullptr) return inputs;
  for (const std::string& path : request.base->paths()) {
    inputs.Add(path, "the model of --base");
  }
  return inputs;
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<CheckRequest> MakeCheckRequest(const CheckFlags& flags) {
  CheckRequest request;
  CheckSettings settings = flags.settings;
  if (!flags.readers.empty()) {
    const absl::Status readers =
        SetOption(*FindCheckOption("readers"), flags.readers, &settings);
    if (!readers.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--readers: ", readers.message()));
    }
  }
  const absl::Status together = CheckTogether(flags);
  if (!together.ok()) return together;
  auto config = ReadConfigFlag(flags);
  if (!config.ok()) return config.status();
  request.config = *std::move(config);
  request.baseline = flags.baseline;
  const absl::Status inputs = CheckInputFlags(flags);
  if (!inputs.ok()) return inputs;
  auto digests = ReadDigestFlag(flags, ChosenLimits(settings, request));
  if (!digests.ok()) return digests.status();
  request.digests = *std::move(digests);
  auto sha256 = ReadSha256Flag(flags, ChosenLimits(settings, request));
  if (!sha256.ok()) return sha256.status();
  request.sha256 = *std::move(sha256);
  const auto shard = ChooseWorkShard(flags.shard, Variable);
  if (!shard.ok()) return shard.status();
  if (shard->shard.count > 1 && !flags.baseline.write.empty()) {
    return absl::InvalidArgumentError(
        "a shard cannot write a baseline: the shards would overwrite each "
        "other's");
  }
  request.run.shard = shard->shard;
  request.shard_from = shard->from;
  auto origin = OpenOrigin(flags, ChosenLimits(settings, request));
  if (!origin.ok()) return origin.status();
  request.origin = *std::move(origin);
  request.run.compared_with =
      flags.source.empty() ? flags.compare_base : flags.source;
  const absl::Status applied = ApplySettings(settings, &request);
  if (!applied.ok()) return applied;
  request.paths = flags.paths;
  if (!flags.list.empty()) request.lists.push_back({flags.list, '\n'});
  if (!flags.list0.empty()) request.lists.push_back({flags.list0, '\0'});
  request.choice = flags.choice;
  request.header.http = flags.http;
  for (const std::string& line : flags.http_headers) {
    const auto header = ParseHeader(line);
    // The line may be secret.
    if (!header.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a value of --header ", header.status().message()));
    }
    request.header.http.headers.push_back(*header);
  }
  request.inputs = InputsOf(flags, request);
  return request;
}

}  // namespace gguf
