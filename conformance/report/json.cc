// The JSON report, member by member.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/report/escape.h"
#include "conformance/rules/gguf_kind.h"
#include "conformance/rules/readers.h"
#include "nlohmann/json.hpp"
#include "parser/quote.h"
#include "parser/utf8.h"

namespace gguf {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json EndianJson(const std::optional<Endian>& endian) {
  if (!endian) return nullptr;
  return *endian == Endian::kLittle ? "little" : "big";
}

Json FindingJson(const Finding& finding) {
  const Diagnostic& diagnostic = finding.diagnostic;
  Json args = Json::object();
  for (const auto& [name, value] : diagnostic.args) args[name] = value;
  return {{"rule", diagnostic.rule->id},
          {"severity", SeverityName(finding.severity)},
          {"subject", diagnostic.subject},
          {"offset", diagnostic.where.begin},
          {"length", diagnostic.where.size()},
          {"message", diagnostic.message},
          {"args", std::move(args)}};
}

// Sets "name", or an escaped name and "name_hex" when it is no UTF-8.
void SetText(absl::string_view name, absl::string_view text, Json* json) {
  const std::string key(name);
  if (IsValidUtf8(text)) {
    (*json)[key] = std::string(text);
  } else {
    (*json)[key] = Escape(text, text.size());
    (*json)[key + "_hex"] = Hex(text);
  }
}

Json StatsJson(const FileReport::TensorStats& tensor) {
  const WeightStats& weights = tensor.weights;
  const auto number = [&](double value) {
    return weights.count == 0 ? Json(nullptr)
                              : Json(absl::StrFormat("%.9g", value));
  };
  Json json;
  SetText("name", tensor.name, &json);
  json["type"] = tensor.type;
  json["dims"] = Json::array();
  for (const uint64_t dim : tensor.dims) {
    json["dims"].push_back(absl::StrCat(dim));
  }
  json["min"] = number(weights.min);
  json["max"] = number(weights.max);
  json["mean"] = number(weights.mean);
  json["std"] = number(weights.StandardDeviation());
  json["zeros"] = weights.zeros;
  json["subnormals"] = weights.subnormals;
  json["nan"] = weights.nan;
  json["infinite"] = weights.infinite;
  return json;
}

Json ReadersJson(const FileReport& file) {
  Json readers = Json::array();
  for (const ReaderVerdict& verdict : JudgeReaders(file)) {
    Json because = Json::array();
    for (const Diagnostic* diagnostic : verdict.because) {
      because.push_back({{"rule", diagnostic->rule->id},
                         {"subject", diagnostic->subject},
                         {"offset", diagnostic->where.begin}});
    }
    Json json = {{"reader", verdict.reader->name},
                 {"version", verdict.reader->version},
                 {"verdict", EffectName(verdict.effect)},
                 {"because", std::move(because)}};
    if (!verdict.why.empty()) json["why"] = verdict.why;
    readers.push_back(std::move(json));
  }
  return readers;
}

Json FileJson(const FileReport& file, const Report& report) {
  Json json;
  SetText("path", file.path, &json);
  json["size"] = OrNull(file.size);
  json["format"] = file.format;
  if (!file.about.empty()) json["about"] = file.about;
  json["version"] = OrNull(file.version);
  json["endian"] = EndianJson(file.endian);
  json["kind"] = file.kind ? Json(KindName(*file.kind)) : Json(nullptr);
  json["keys"] = OrNull(file.keys);
  json["tensors"] = OrNull(file.tensors);
  if (file.shard) {
    json["shard"] = {{"number", file.shard->number},
                     {"count", file.shard->count}};
  }
  json["result"] = ResultName(ResultOf(file, report.fail_on));
  if (!file.incomplete.empty()) json["incomplete"] = file.incomplete;
  json["counts"] = {{"error", file.counts.error},
                    {"warning", file.counts.warning},
                    {"note", file.counts.note}};
  json["findings"] = Json::array();
  for (const Finding& finding : file.findings) {
    json["findings"].push_back(FindingJson(finding));
  }
  json["more"] = Json::array();
  for (const FileReport::More& more : file.more) {
    json["more"].push_back({{"rule", more.rule->id}, {"count", more.count}});
  }
  json["not_checked"] = Json::array();
  for (const FileReport::NotChecked& rule : file.not_checked) {
    json["not_checked"].push_back({{"rule", rule.rule->id}, {"why", rule.why}});
  }
  if (report.readers) json["readers"] = ReadersJson(file);
  if (!file.stats.empty()) {
    json["stats"] = Json::array();
    for (const FileReport::TensorStats& tensor : file.stats) {
      json["stats"].push_back(StatsJson(tensor));
    }
  }
  return json;
}

}  // namespace

std::string JsonReport(const Report& report) {
  Json json = {{"schema", "ggufcheck/report/1"},
               {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}},
               {"profile", report.profile},
               {"fail_on", SeverityName(report.fail_on)},
               {"select", report.select},
               {"ignore", report.ignore},
               {"files", Json::array()}};
  for (const FileReport& file : report.files) {
    json["files"].push_back(FileJson(file, report));
  }
  return EscapeJsonDocument(
             json.dump(2, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

}  // namespace gguf
