// The JSON report, member by member.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include "conformance/report/escape.h"
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

Json FileJson(const FileReport& file, Severity fail_on) {
  Json json;
  if (IsValidUtf8(file.path)) {
    json["path"] = file.path;
  } else {
    json["path"] = Escape(file.path, file.path.size());
    json["path_hex"] = Hex(file.path);
  }
  json["size"] = OrNull(file.size);
  json["format"] = file.format;
  json["version"] = OrNull(file.version);
  json["endian"] = EndianJson(file.endian);
  json["keys"] = OrNull(file.keys);
  json["tensors"] = OrNull(file.tensors);
  json["result"] = ResultName(ResultOf(file, fail_on));
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
  return json;
}

}  // namespace

std::string JsonReport(const Report& report) {
  Json json = {{"schema", "ggufcheck/report/1"},
               {"tool", {{"name", "ggufcheck"}, {"version", kToolVersion}}},
               {"profile", report.profile},
               {"files", Json::array()}};
  for (const FileReport& file : report.files) {
    json["files"].push_back(FileJson(file, report.fail_on));
  }
  return EscapeJsonDocument(
             json.dump(2, ' ', false, Json::error_handler_t::replace)) +
         "\n";
}

}  // namespace gguf
