// Member by member, as json.cc writes them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/read_json.h"

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "conformance/report/json_members.h"
#include "conformance/rules/gguf_kind.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/readers.h"

namespace gguf {
namespace {

using Json = nlohmann::ordered_json;

using Members = JsonMembers;

std::optional<GgufKind> KindNamed(absl::string_view name) {
  constexpr int kLast = static_cast<int>(GgufKind::kImageModel);
  for (int i = 0; i <= kLast; ++i) {
    const GgufKind kind = static_cast<GgufKind>(i);
    if (name == KindName(kind)) return kind;
  }
  return std::nullopt;
}

FileReport::Counts ReadCounts(const Json& json, absl::Status* status) {
  FileReport::Counts counts;
  Members members(json, status);
  members.Read("error", &counts.error);
  members.Read("warning", &counts.warning);
  members.Read("note", &counts.note);
  return counts;
}

Finding ReadFinding(const Json& json, absl::Status* status) {
  Finding finding;
  Diagnostic& d = finding.diagnostic;
  Members members(json, status);
  members.ReadRule(&d.rule);
  members.ReadSeverity("severity", &finding.severity);
  members.Read("subject", &d.subject);
  members.Read("message", &d.message);
  uint64_t length = 0;
  members.Read("offset", &d.where.begin);
  members.Read("length", &length);
  if (length > std::numeric_limits<uint64_t>::max() - d.where.begin) {
    members.Fail("length", "is too large");
    length = 0;
  }
  d.where.end = d.where.begin + length;
  const Json& args = members.Object("args");
  Members of_args(args, status);
  for (const auto& arg : args.items()) {
    d.args.emplace_back(arg.key(), "");
    of_args.ReadRaw(arg.key().c_str(), &d.args.back().second);
  }
  return finding;
}

ReaderVerdict ReadVerdict(const Json& json, absl::Status* status) {
  ReaderVerdict verdict;
  Members members(json, status);
  std::string reader, effect;
  members.Read("reader", &reader);
  members.Read("verdict", &effect);
  verdict.reader = FindReader(reader);
  const auto known = EffectNamed(effect);
  if (verdict.reader == nullptr) members.Fail("reader", "is not known here");
  if (!known) members.Fail("verdict", "is none");
  verdict.effect = known.value_or(ReaderEffect::kUnknown);
  for (const Json& because : members.Array("because")) {
    Diagnostic d;
    Members of(because, status);
    of.ReadRule(&d.rule);
    of.Read("subject", &d.subject);
    of.Read("offset", &d.where.begin);
    d.where.end = d.where.begin;
    verdict.because.push_back(std::move(d));
  }
  if (members.Has("why")) members.Read("why", &verdict.why);
  return verdict;
}

// Enough of it to be written again: count is 1, or 0 when there are no weights.
FileReport::TensorStats ReadStats(const Json& json, absl::Status* status) {
  FileReport::TensorStats tensor;
  Members members(json, status);
  members.ReadBytes("name", &tensor.name);
  members.Read("type", &tensor.type);
  std::vector<std::string> dims;
  members.Read("dims", &dims);
  for (const std::string& dim : dims) {
    if (!absl::SimpleAtoi(dim, &tensor.dims.emplace_back())) {
      members.Fail("dims", "are no numbers");
    }
  }
  WeightStats& weights = tensor.weights;
  weights.count = members.Has("min") ? 1 : 0;
  double deviation = 0;
  const auto number = [&](const char* name, double* value) {
    std::optional<std::string> text;
    members.Read(name, &text);
    if (text && !absl::SimpleAtod(*text, value)) {
      members.Fail(name, "is no number");
    }
  };
  number("min", &weights.min);
  number("max", &weights.max);
  number("mean", &weights.mean);
  number("std", &deviation);
  weights.squares = deviation * deviation;
  members.Read("zeros", &weights.zeros);
  members.Read("subnormals", &weights.subnormals);
  members.Read("nan", &weights.nan);
  members.Read("infinite", &weights.infinite);
  return tensor;
}

std::vector<KnownFinding> ReadLines(const Json& json, absl::Status* status) {
  std::vector<KnownFinding> lines;
  for (const Json& line : json) {
    Members of(line, status);
    KnownFinding& to = lines.emplace_back();
    of.ReadRaw("file", &to.file);
    of.ReadRaw("rule", &to.rule);
    of.ReadRaw("subject", &to.subject);
    of.ReadRaw("reason", &to.reason);
  }
  return lines;
}

void ReadDescription(Members* members, FileReport* file) {
  members->Read("index", &file->index);
  members->ReadBytes("path", &file->path);
  members->Read("size", &file->size);
  members->Read("format", &file->format);
  if (members->Has("about")) members->Read("about", &file->about);
  members->Read("version", &file->version);
  members->Read("keys", &file->keys);
  members->Read("tensors", &file->tensors);
  if (members->Has("incomplete"))
    members->Read("incomplete", &file->incomplete);
  std::optional<std::string> endian, kind;
  members->Read("endian", &endian);
  members->Read("kind", &kind);
  if (endian && *endian != "little" && *endian != "big") {
    members->Fail("endian", "is none");
  }
  if (endian) file->endian = *endian == "big" ? Endian::kBig : Endian::kLittle;
  if (kind) {
    file->kind = KindNamed(*kind);
    if (!file->kind) members->Fail("kind", "is not known here");
  }
}

}  // namespace

absl::StatusOr<Run> RunFromJson(const Json& json) {
  Run run;
  absl::Status status;
  Members members(json, &status);
  members.Read("profile", &run.profile);
  members.ReadSeverity("fail_on", &run.fail_on);
  members.Read("select", &run.select);
  members.Read("ignore", &run.ignore);
  if (members.Has("config")) members.ReadBytes("config", &run.config);
  if (members.Has("baseline_file")) {
    members.ReadBytes("baseline_file", &run.baseline);
  }
  for (const Json& changed : members.Array("severities")) {
    Members of(changed, &status);
    Run::RuleSeverity& to = run.severities.emplace_back();
    of.ReadRule(&to.rule);
    std::string severity;
    of.Read("severity", &severity);
    if (severity != SeverityName(Severity::kOff)) {
      of.ReadSeverity("severity", &to.severity);
    }
  }
  Members shard(members.Object("shard"), &status);
  shard.Read("index", &run.shard.index);
  shard.Read("count", &run.shard.count);
  Members inputs(members.Object("inputs"), &status);
  inputs.Read("files", &run.inputs.files);
  inputs.Read("digest", &run.inputs.digest);
  if (status.ok() && run.shard.index >= run.shard.count) {
    members.Fail("shard", "is none");
  }
  if (!status.ok()) return status;
  return run;
}

absl::StatusOr<std::optional<BaselineOutcome>> BaselineFromJson(
    const Json& json) {
  absl::Status status;
  Members members(json, &status);
  if (!members.Has("baseline")) return std::nullopt;
  BaselineOutcome outcome;
  Members baseline(members.Object("baseline"), &status);
  baseline.Read("known", &outcome.known);
  outcome.stale = ReadLines(baseline.Array("stale"), &status);
  outcome.refused = ReadLines(baseline.Array("refused"), &status);
  if (!status.ok()) return status;
  return outcome;
}

absl::StatusOr<FileReport> FileFromJson(const Json& json) {
  FileReport file;
  absl::Status status;
  Members members(json, &status);
  ReadDescription(&members, &file);
  if (members.Has("shard")) {
    Members shard(members.Object("shard"), &status);
    file.shard.emplace();
    shard.Read("number", &file.shard->number);
    shard.Read("count", &file.shard->count);
  }
  file.counts = ReadCounts(members.Object("counts"), &status);
  for (const Json& finding : members.Array("findings")) {
    file.findings.push_back(ReadFinding(finding, &status));
  }
  for (const Json& known : members.Array("known")) {
    Members of(known, &status);
    FileReport::Known& to = file.known.emplace_back();
    to.finding = ReadFinding(of.Object("finding"), &status);
    of.ReadRaw("reason", &to.reason);
  }
  for (const Json& more : members.Array("more")) {
    Members of(more, &status);
    FileReport::More& to = file.more.emplace_back();
    of.ReadRule(&to.rule);
    of.ReadSeverity("severity", &to.severity);
    of.Read("count", &to.count);
  }
  for (const Json& rule : members.Array("not_checked")) {
    Members of(rule, &status);
    FileReport::NotChecked& to = file.not_checked.emplace_back();
    of.ReadRule(&to.rule);
    of.Read("why", &to.why);
    if (to.why == Reason::NotRequested().text)
      to.meaning = Reason::kNotRequested;
    if (to.why == file.incomplete) to.meaning = Reason::kIncomplete;
  }
  for (const Json& verdict : members.Array("readers")) {
    file.readers.push_back(ReadVerdict(verdict, &status));
  }
  for (const Json& tensor : members.Array("stats")) {
    file.stats.push_back(ReadStats(tensor, &status));
  }
  if (!status.ok()) return status;
  return file;
}

}  // namespace gguf
