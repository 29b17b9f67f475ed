// The JSON reports, member by member.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "conformance/report/escape.h"
#include "conformance/report/json_stream.h"
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
  for (const ReaderVerdict& verdict : file.readers) {
    Json because = Json::array();
    for (const Diagnostic& diagnostic : verdict.because) {
      because.push_back({{"rule", diagnostic.rule->id},
                         {"subject", diagnostic.subject},
                         {"offset", diagnostic.where.begin}});
    }
    Json json = {{"reader", verdict.reader->name},
                 {"version", verdict.reader->version},
                 {"verdict", WordOf(verdict.effect)},
                 {"because", std::move(because)}};
    if (!verdict.why.empty()) json["why"] = verdict.why;
    readers.push_back(std::move(json));
  }
  return readers;
}

Json CountsJson(const FileReport::Counts& counts) {
  return {{"error", counts.error},
          {"warning", counts.warning},
          {"note", counts.note}};
}

// What stands before the files.
Json HeadJson(const Run& run, absl::string_view schema) {
  Json json = {{"schema", std::string(schema)},
               {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}},
               {"config", nullptr},
               {"profile", run.profile},
               {"fail_on", SeverityName(run.fail_on)},
               {"select", run.select},
               {"ignore", run.ignore}};
  if (!run.config.empty()) SetText("config", run.config, &json);
  json["baseline_file"] = nullptr;
  if (!run.baseline.empty()) SetText("baseline_file", run.baseline, &json);
  json["severities"] = Json::array();
  for (const auto& [rule, severity] : run.severities) {
    json["severities"].push_back(
        {{"rule", rule->id}, {"severity", SeverityName(severity)}});
  }
  json["shard"] = {{"index", run.shard.index}, {"count", run.shard.count}};
  json["inputs"] = {{"files", run.inputs.files}, {"digest", run.inputs.digest}};
  return json;
}

Json KnownJson(const std::vector<KnownFinding>& all) {
  Json list = Json::array();
  for (const KnownFinding& known : all) {
    list.push_back({{"file", known.file},
                    {"rule", known.rule},
                    {"subject", known.subject},
                    {"reason", known.reason}});
  }
  return list;
}

// What stands behind them.
Json EndJson(const Totals& totals) {
  Json json = {{"complete", totals.complete()}};
  if (!totals.unfinished.empty()) json["unfinished"] = totals.unfinished;
  json["results"] = {{"pass", totals.pass},
                     {"fail", totals.fail},
                     {"incomplete", totals.incomplete}};
  json["counts"] = CountsJson(totals.counts);
  if (totals.baseline) {
    json["baseline"] = {{"known", totals.baseline->known},
                        {"stale", KnownJson(totals.baseline->stale)},
                        {"refused", KnownJson(totals.baseline->refused)}};
  }
  return json;
}

}  // namespace

Json FileJson(const FileReport& file, Severity fail_on) {
  Json json = {{"index", file.index}};
  SetText("path", file.path, &json);
  json["size"] = OrNull(file.size);
  json["format"] = file.format;
  if (!file.about.empty()) json["about"] = file.about;
  json["version"] = OrNull(file.version);
  json["endian"] = EndianJson(file.endian);
  json["kind"] = file.kind ? Json(WordOf(*file.kind)) : Json(nullptr);
  json["keys"] = OrNull(file.keys);
  json["tensors"] = OrNull(file.tensors);
  if (file.shard) {
    json["shard"] = {{"number", file.shard->number},
                     {"count", file.shard->count}};
  }
  json["result"] = ResultName(ResultOf(file, fail_on));
  if (!file.incomplete.empty()) json["incomplete"] = file.incomplete;
  json["counts"] = CountsJson(file.counts);
  json["findings"] = Json::array();
  for (const Finding& finding : file.findings) {
    json["findings"].push_back(FindingJson(finding));
  }
  if (!file.known.empty()) {
    json["known"] = Json::array();
    for (const FileReport::Known& known : file.known) {
      json["known"].push_back(
          {{"finding", FindingJson(known.finding)}, {"reason", known.reason}});
    }
  }
  json["more"] = Json::array();
  for (const FileReport::More& more : file.more) {
    json["more"].push_back({{"rule", more.rule->id},
                            {"severity", SeverityName(more.severity)},
                            {"count", more.count}});
  }
  json["not_checked"] = Json::array();
  for (const FileReport::NotChecked& rule : file.not_checked) {
    json["not_checked"].push_back({{"rule", rule.rule->id}, {"why", rule.why}});
  }
  if (!file.readers.empty()) json["readers"] = ReadersJson(file);
  if (!file.stats.empty()) {
    json["stats"] = Json::array();
    for (const FileReport::TensorStats& tensor : file.stats) {
      json["stats"].push_back(StatsJson(tensor));
    }
  }
  return json;
}

namespace {

class JsonWriter : public ReportWriter {
 public:
  JsonWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on), json_(out) {
    json_.BeginObject();
    json_.Members(HeadJson(run, kReportSchema));
    json_.Key("files");
    json_.BeginArray();
  }

  void Add(const FileReport& file) override {
    json_.Value(FileJson(file, fail_on_));
  }

  void End(const Totals& totals) override {
    json_.End();
    json_.Members(EndJson(totals));
    json_.End();
  }

 private:
  const Severity fail_on_;
  JsonStream json_;
};

class JsonLinesWriter : public ReportWriter {
 public:
  JsonLinesWriter(const Run& run, std::ostream& out)
      : fail_on_(run.fail_on), out_(out) {
    Write("run", HeadJson(run, kReportLinesSchema));
  }

  void Add(const FileReport& file) override {
    Write("file", FileJson(file, fail_on_));
  }

  void End(const Totals& totals) override { Write("end", EndJson(totals)); }

 private:
  void Write(const char* record, const Json& members) {
    Json json = {{"record", record}};
    json.update(members);
    out_ << JsonText(json, false) << '\n';
  }

  const Severity fail_on_;
  std::ostream& out_;
};

}  // namespace

std::unique_ptr<ReportWriter> NewJsonWriter(const Run& run, std::ostream& out) {
  return std::make_unique<JsonWriter>(run, out);
}

std::unique_ptr<ReportWriter> NewJsonLinesWriter(const Run& run,
                                                 std::ostream& out) {
  return std::make_unique<JsonLinesWriter>(run, out);
}

}  // namespace gguf
