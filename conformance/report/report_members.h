// The members of a JSON report (conformance/base/json.h), which
// schemas/report.schema.json describes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_REPORT_MEMBERS_H_
#define GGUF_CONFORMANCE_REPORT_REPORT_MEMBERS_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/base/json.h"
#include "conformance/base/project.h"
#include "conformance/compare/comparison.h"
#include "conformance/report/file_view.h"
#include "conformance/report/report.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/readers.h"
#include "conformance/tables/build.h"

namespace gguf {

const char* JsonName(Severity severity);
const char* JsonName(Endian endian);
const char* JsonName(GgufKind kind);
const char* JsonName(ReaderEffect effect);
const char* JsonName(ComparedTensor::Result result);
const char* JsonName(const Rule* rule);
const char* JsonName(const Reader* reader);
bool FromJsonName(absl::string_view name, Severity* severity);
bool FromJsonName(absl::string_view name, Endian* endian);
bool FromJsonName(absl::string_view name, GgufKind* kind);
bool FromJsonName(absl::string_view name, ReaderEffect* effect);
bool FromJsonName(absl::string_view name, ComparedTensor::Result* result);
bool FromJsonName(absl::string_view name, const Rule** rule);
bool FromJsonName(absl::string_view name, const Reader** reader);

// The severities of findings.
inline constexpr absl::string_view kFound[] = {"note", "warning", "error"};

template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::Counts& counts) {
  visit("error", counts.error);
  visit("warning", counts.warning);
  visit("note", counts.note);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Finding& finding) {
  Diagnostic& d = finding.diagnostic;
  uint64_t length = d.where.size();
  visit("rule", d.rule);
  visit("severity", finding.severity, kFound);
  visit("subject", Printable(d.subject));
  visit("offset", d.where.begin);
  visit("length", length);
  visit("message", Printable(d.message));
  if (d.rule != nullptr) {  // Null when a rule that was read is unknown.
    visit.Written("summary", d.rule->summary);
    visit.Written("repair", d.rule->repair);
    visit.Written("fix", WordOf(FixOf(*d.rule).fix));
    const std::string url = RuleUrl(d.rule->id);
    if (!url.empty()) visit.Written("url", url);
    const std::string known = VulnerabilitiesOf(d);
    if (!known.empty()) visit.Written("vulnerabilities", known);
  }
  visit("args", d.args);
  visit.Maybe("cause", Printable(finding.cause));
  visit.Require(length <= std::numeric_limits<uint64_t>::max() - d.where.begin, "length",
                "is too large");
  d.where.end = d.where.begin + length;
}

template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::Known& known) {
  visit("finding", known.finding);
  visit("reason", known.reason);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Cause& cause) {
  visit("id", Printable(cause.id));
  visit("kind", Printable(cause.kind));
  visit("message", Printable(cause.message));
  visit("repair", Printable(cause.repair));
  visit("findings", cause.findings);
}

template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::More& more) {
  visit("rule", more.rule);
  visit("severity", more.severity, kFound);
  visit("count", more.count);
  visit.Maybe("cause", Printable(more.cause));
}

template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::NotChecked& rule) {
  visit("rule", rule.rule);
  std::string why(rule.why.view());
  visit("why", Printable(why));
  rule.why = std::move(why);
}

// A finding that explains a reader's verdict.
template <class Visitor>
void VisitMembers(Visitor& visit, Diagnostic& because) {
  visit("rule", because.rule);
  visit("subject", Printable(because.subject));
  visit("offset", because.where.begin);
  because.where.end = because.where.begin;
}

template <class Visitor>
void VisitMembers(Visitor& visit, ReaderVerdict& verdict) {
  visit("reader", verdict.reader);
  visit("version", Printable(verdict.version));
  visit("verdict", verdict.effect);
  visit.Maybe("stage", Printable(verdict.stage));
  visit("because", verdict.because);
  visit.Maybe("why", Printable(verdict.why));
}

template <class Visitor>
void VisitMembers(Visitor& visit, ContextSize& context) {
  visit("length", context.length);
  visit("kv_cache", context.kv_cache);
  visit("recurrent_state", context.recurrent_state);
}

template <class Visitor>
void VisitMembers(Visitor& visit, NeededBuild& needs) {
  std::string build = BuildText(needs.build);
  visit("llama.cpp", build);
  visit("because", Printable(needs.because));
  const auto parsed = ParseBuild(build);
  visit.Require(parsed.value_or(kNoBuild) != kNoBuild, "llama.cpp", "is no build");
  needs.build = parsed.value_or(kNoBuild);
  const std::string month = MonthOf(needs.build);
  if (!month.empty()) visit.Written("month", month);
}

// Reads enough to write it again: count is 1, or 0 when there are no weights.
template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::TensorStats& tensor) {
  WeightStats& weights = tensor.weights;
  const bool is_some = weights.count > 0;
  // Returns whether there is a value.
  const auto visit_number = [&](const char* name, double& value) {
    std::optional<std::string> text;
    if (is_some) text = absl::StrFormat("%.9g", value);
    visit(name, text);
    visit.Require(!text || absl::SimpleAtod(*text, &value), name, "is not a number");
    return text.has_value();
  };
  EncodedText name(tensor.name);
  std::vector<std::string> dims;
  for (const uint64_t dim : tensor.dims) dims.push_back(absl::StrCat(dim));
  double deviation = weights.StandardDeviation();
  visit("name", name.shown);
  visit.Maybe("name_hex", name.hex);
  visit("type", Printable(tensor.type));
  visit("dims", dims);
  weights.count = visit_number("min", weights.min) ? 1 : 0;
  visit_number("max", weights.max);
  visit_number("mean", weights.mean);
  visit_number("std", deviation);
  visit("zeros", weights.zeros);
  visit("subnormals", weights.subnormals);
  visit("nan", weights.nan);
  visit("infinite", weights.infinite);

  tensor.name = name.Decoded(visit, "name_hex");
  weights.squares = deviation * deviation;
  tensor.dims.clear();
  for (const std::string& dim : dims) {
    visit.Require(absl::SimpleAtoi(dim, &tensor.dims.emplace_back()), "dims", "are not numbers");
  }
}

// A number that may not be finite, as a text.
template <class Visitor>
void VisitNumber(Visitor& visit, const char* name, double& value) {
  std::optional<std::string> text;
  if (std::isfinite(value)) text = absl::StrFormat("%.9g", value);
  visit(name, text);
  const double none = std::numeric_limits<double>::infinity();
  value = none;
  visit.Require(!text || absl::SimpleAtod(*text, &value), name, "is not a number");
}

template <class Visitor>
void VisitMembers(Visitor& visit, ComparedTensor& tensor) {
  EncodedText name(tensor.name);
  visit("name", name.shown);
  visit.Maybe("name_hex", name.hex);
  visit("result", tensor.result);
  visit("type", Printable(tensor.type));
  visit("base_type", Printable(tensor.origin_type));
  visit("weights", tensor.weights);
  VisitNumber(visit, "rmse", tensor.rmse);
  VisitNumber(visit, "bound", tensor.bound);
  VisitNumber(visit, "gain", tensor.gain);
  VisitNumber(visit, "scale", tensor.scale);
  VisitNumber(visit, "max_error", tensor.max_error);
  VisitNumber(visit, "cosine", tensor.cosine);
  VisitNumber(visit, "worst_block", tensor.worst_block);
  visit("worst_at", tensor.worst_at);
  visit("bad_blocks", tensor.bad_blocks);
  visit("uneven_blocks", tensor.uneven_blocks);
  visit("block_weights", tensor.block_weights);
  visit("scale_judged", tensor.scale_judged);
  double slope = tensor.slope.value_or(std::numeric_limits<double>::infinity());
  VisitNumber(visit, "slope", slope);
  tensor.slope = std::isfinite(slope) ? std::optional(slope) : std::nullopt;
  tensor.name = name.Decoded(visit, "name_hex");
}

template <class Visitor>
void VisitMembers(Visitor& visit, FileReport::Shard& shard) {
  visit("number", shard.number);
  visit("count", shard.count);
  visit.Maybe("result", Printable(shard.result));
}

// A file, and the lowest severity that fails it.
struct FileRecord {
  FileReport* file;
  Severity fail_on;
};

// Returns whether the counts match the findings of the file.
bool CountsFit(const FileReport& file);

template <class Visitor>
void VisitMembers(Visitor& visit, WithBase& with_base) {
  visit("compared", with_base.compared);
  visit.Maybe("why_not", Printable(with_base.why_not));
}

template <class Visitor>
void VisitMembers(Visitor& visit, FileRecord& record) {
  FileReport& file = *record.file;
  EncodedText path(file.path);
  visit("index", file.index);
  visit("path", path.shown);
  visit.Maybe("path_hex", path.hex);
  visit.Maybe("profile", Printable(file.profile));
  visit("size", file.size);
  visit("format", Printable(file.format));
  visit.Maybe("about", Printable(file.about));
  visit("version", file.version);
  visit("endian", file.endian);
  visit("kind", file.kind);
  visit("keys", file.keys);
  visit("tensors", file.tensors);
  visit.Maybe("shard", file.shard);
  visit.Maybe("needs", file.needs);
  visit.Maybe("context", file.context);
  visit.Written("result", ResultName(ResultOf(file, record.fail_on)));
  visit.Maybe("incomplete", Printable(file.incomplete));
  visit("counts", file.counts);
  visit.Maybe("causes", file.causes);
  visit("findings", file.findings);
  visit.Maybe("known", file.known);
  visit("more", file.more);
  visit("not_checked", file.not_checked);
  visit.Maybe("readers", file.readers);
  visit.Maybe("stats", file.stats);
  visit.Maybe("with_base", file.with_base);
  visit.Maybe("compared", file.compared);
  visit.Require(CountsFit(file), "counts", "do not match the findings");
  file.path = path.Decoded(visit, "path_hex");
}

template <class Visitor>
void VisitMembers(Visitor& visit, Run::RuleSeverity& changed) {
  visit("rule", changed.rule);
  visit("severity", changed.severity);
}

template <class Visitor>
void VisitMembers(Visitor& visit, WorkShard& shard) {
  visit("index", shard.index);
  visit("count", shard.count);
}

template <class Visitor>
void VisitMembers(Visitor& visit, Run::Inputs& inputs) {
  visit("files", inputs.files);
  visit("digest", Printable(inputs.digest));
  visit.Maybe("skipped", inputs.skipped);
  visit.Maybe("skipped_paths", Printable(inputs.skipped_paths));
}

// The members before the files.
template <class Visitor>
void VisitMembers(Visitor& visit, Run& run) {
  EncodedText config(run.config), baseline(run.baseline);
  EncodedText compared_with(run.compared_with);
  const auto visit_or_null = [&](const char* name, std::string& text) {
    std::optional<std::string> shown;
    if (!text.empty()) shown = text;
    visit(name, shown);
    text = shown.value_or("");
  };
  visit_or_null("config", config.shown);
  visit("profile", Printable(run.profile));
  visit("fail_on", run.fail_on, kFound);
  visit("select", Printable(run.select));
  visit("ignore", Printable(run.ignore));
  visit.Maybe("config_hex", config.hex);
  visit_or_null("baseline_file", baseline.shown);
  visit.Maybe("baseline_file_hex", baseline.hex);
  visit.Maybe("compared_with", compared_with.shown);
  visit.Maybe("compared_with_hex", compared_with.hex);
  visit("severities", run.severities);
  visit("shard", run.shard);
  visit("inputs", run.inputs);
  visit.Require(run.shard.index < run.shard.count, "shard",
                "has an index that is not below its count");
  run.config = config.Decoded(visit, "config_hex");
  run.baseline = baseline.Decoded(visit, "baseline_file_hex");
  run.compared_with = compared_with.Decoded(visit, "compared_with_hex");
}

// Also used for a line of a baseline.
template <class Visitor>
void VisitMembers(Visitor& visit, KnownFinding& known) {
  visit("file", known.file);
  visit("rule", known.rule);
  visit("subject", known.subject);
  visit("reason", known.reason);
}

template <class Visitor>
void VisitMembers(Visitor& visit, BaselineOutcome& outcome) {
  visit("known", outcome.known);
  visit("stale", outcome.stale);
  visit("refused", outcome.refused);
}

// The members after the files.  Totals are not read back.
template <class Visitor>
void VisitMembers(Visitor& visit, Totals& totals) {
  visit.Written("complete", totals.complete());
  visit.Maybe("unfinished", totals.unfinished);
  visit.Written(
      "results",
      Json{{"pass", totals.pass}, {"fail", totals.fail}, {"incomplete", totals.incomplete}});
  visit.Written("counts", totals.counts);
  visit.Maybe("baseline", totals.baseline);
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_REPORT_MEMBERS_H_
