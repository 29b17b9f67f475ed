// Writes SARIF 2.1.0.  Numbers in comments are sections of the standard.
//
// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/escape.h"
#include "conformance/base/json.h"
#include "conformance/base/project.h"
#include "conformance/base/text.h"
#include "conformance/report/file_view.h"
#include "conformance/report/writers.h"
#include "conformance/rules/profile.h"
#include "xxhash.h"

namespace gguf {
namespace {

using Json = nlohmann::ordered_json;

// Notifications follow all results, so they are kept until then.
constexpr size_t kMostNotifications = 1000;

// Escapes text: braces would be placeholders (3.11.5), and brackets followed by
// parentheses would be links (3.11.6).
Json Message(absl::string_view text) {
  return {{"text", absl::StrReplaceAll(text, {{"{", "{{"}, {"}", "}}"}, {"](", "] ("}})}};
}

// 3.4: a relative path is relative to the root of the sources; files outside of
// it cannot be expressed so.
Json ArtifactLocation(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  if (absl::StartsWith(normal, "/")) {
    return {{"uri", absl::StrCat("file://", UriPath(normal))}};
  }
  if (absl::StartsWith(normal, "../")) return {{"uri", UriPath(normal)}};
  return {{"uri", UriPath(normal)}, {"uriBaseId", "%SRCROOT%"}};
}

Json RuleJson(const Rule& rule, const Profile& profile) {
  const Severity severity = profile.SeverityOf(rule);
  Json configuration;
  if (severity == Severity::kOff) {
    configuration = {{"enabled", false}};
  } else {
    configuration = {{"level", SeverityName(severity)}};
  }
  Json properties = {{"tags", {"gguf"}}};
  if (rule.severities.safety >= Severity::kWarning) {
    properties["tags"].push_back("security");
    // A score as CVSS has them, of which GitHub makes high and medium.
    properties["security-severity"] = rule.severities.safety == Severity::kError ? "8.0" : "5.0";
  }
  Json json = {{"id", rule.id},
               {"shortDescription", Message(rule.summary)},
               {"fullDescription", Message(absl::StrCat(rule.summary, " ", rule.why))},
               {"help", Message(absl::StrCat(rule.summary, "\n\nWhy: ", rule.why, "\n\nTo repair: ",
                                             rule.repair, "\n\nSource: ", rule.citation))}};
  std::string url = RuleUrl(rule.id);
  if (!url.empty()) json["helpUri"] = std::move(url);
  json["defaultConfiguration"] = std::move(configuration);
  json["properties"] = std::move(properties);
  return json;
}

// 3.35.
Json Suppression(const std::string& reason) {
  Json suppression = {{"kind", "external"}, {"status", "accepted"}};
  if (!reason.empty()) {
    suppression["justification"] = Escape(reason, reason.size());
  }
  return suppression;
}

class SarifWriter : public ReportWriter {
 public:
  SarifWriter(const Run& run, std::ostream& out) : run_(run), json_(out) {
    json_.BeginObject();
    json_.Members(
        {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}});
    json_.Key("runs");
    json_.BeginArray();
    json_.BeginObject();
    json_.Key("results");
    json_.BeginArray();
  }

  void Add(const FileReport& file) override {
    const Json place = ArtifactLocation(file.path);
    const bool is_safety = IsSafety(file, run_.profile);
    std::map<std::string, int> same;  // Findings of one rule and subject.
    for (const Finding& finding : file.findings) {
      Json result = ResultJson(finding, is_safety, place, &same);
      // 3.27.23: either all results of a run have suppressions, or none.
      if (!run_.baseline.empty()) result["suppressions"] = Json::array();
      json_.Value(result);
    }
    for (const FileReport::Known& known : file.known) {
      Json result = ResultJson(known.finding, is_safety, place, &same);
      result["suppressions"] = Json::array({Suppression(known.reason)});
      json_.Value(result);
    }
    AddNotifications(file, place);
  }

  void End(const Totals& totals) override {
    json_.End();
    json_.Members({{"tool", {{"driver", DriverJson()}}},
                   {"invocations", Json::array({Invocation(totals)})},
                   {"columnKind", "unicodeCodePoints"}});
    json_.End();
    json_.End();
    json_.End();
  }

 private:
  Json DriverJson() const;
  // Returns the index of a rule with results in the driver's list.
  size_t IndexOf(const Rule& rule);
  Json ResultJson(const Finding& finding, bool is_safety, const Json& place,
                  std::map<std::string, int>* same);
  void Notify(const char* level, absl::string_view text, const Json* place);
  void AddNotifications(const FileReport& file, const Json& place);
  Json Invocation(const Totals& totals);

  const Run run_;
  JsonStream json_;
  std::vector<const Rule*> rules_;                    // Those with results.
  absl::flat_hash_map<const Rule*, size_t> indexes_;  // In rules_.
  Json notifications_ = Json::array();
  uint64_t more_notifications_ = 0;
};

Json SarifWriter::DriverJson() const {
  const Profile profile = ProfileOf(run_);
  Json rules = Json::array();
  for (const Rule* rule : rules_) rules.push_back(RuleJson(*rule, profile));
  return {{"name", "ggufcheck"},
          {"version", kToolVersion},
          {"semanticVersion", kToolVersion},
          {"informationUri", ProjectUrl()},
          {"rules", std::move(rules)}};
}

size_t SarifWriter::IndexOf(const Rule& rule) {
  const auto [index, is_new] = indexes_.try_emplace(&rule, rules_.size());
  if (is_new) rules_.push_back(&rule);
  return index->second;
}

Json SarifWriter::ResultJson(const Finding& finding, bool is_safety, const Json& place,
                             std::map<std::string, int>* same) {
  const Diagnostic& d = finding.diagnostic;
  // 3.27.17: stable across versions of the file, even if the finding moves.
  const std::string identity = absl::StrCat(d.rule->id, " ", d.subject);
  const std::string fingerprint =
      absl::StrFormat("%016x:%d", XXH64(identity.data(), identity.size(), 0), ++(*same)[identity]);
  std::string message = absl::StrCat(d.subject, " ", d.message);
  const std::string readers = is_safety ? VulnerableReaders({&d}) : "";
  if (!readers.empty()) absl::StrAppend(&message, ". ", readers);
  const Json region = {
      {"startLine", 1}, {"byteOffset", d.where.begin}, {"byteLength", d.where.size()}};
  const Json location = {{"physicalLocation", {{"artifactLocation", place}, {"region", region}}},
                         {"logicalLocations", Json::array({{{"fullyQualifiedName", d.subject}}})}};
  Json json = {{"ruleId", d.rule->id},
               {"ruleIndex", IndexOf(*d.rule)},
               {"level", SeverityName(finding.severity)},
               {"message", Message(message)},
               {"locations", Json::array({location})},
               {"partialFingerprints",
                {{"ggufcheck/v1", fingerprint}, {"primaryLocationLineHash", fingerprint}}}};
  if (!finding.replacement.empty()) {  // 3.55.
    const Json replacement = {
        {"deletedRegion", {{"byteOffset", d.where.begin}, {"byteLength", d.where.size()}}},
        {"insertedContent", {{"binary", absl::Base64Escape(finding.replacement)}}}};
    json["fixes"] = Json::array(
        {{{"description", Message(d.rule->repair)},
          {"artifactChanges", Json::array({{{"artifactLocation", place},
                                            {"replacements", Json::array({replacement})}}})}}});
  }
  if (!finding.cause.empty()) json["properties"] = {{"cause", finding.cause}};
  return json;
}

void SarifWriter::Notify(const char* level, absl::string_view text, const Json* place) {
  if (notifications_.size() == kMostNotifications) {
    ++more_notifications_;
    return;
  }
  Json notification = {{"level", level}, {"message", Message(text)}};
  if (place != nullptr) {
    notification["locations"] =
        Json::array({{{"physicalLocation", {{"artifactLocation", *place}}}}});
  }
  notifications_.push_back(std::move(notification));
}

void SarifWriter::AddNotifications(const FileReport& file, const Json& place) {
  if (!file.incomplete.empty()) {
    Notify("error", absl::StrCat("could not finish: ", file.incomplete), &place);
  }
  for (const Cause& cause : file.causes) {
    if (cause.findings == 0) continue;
    Notify("note", absl::StrCat(cause.id, ": ", cause.message, " ", cause.repair), &place);
  }
  for (const UncheckedRules& unchecked : UncheckedByReason(file)) {
    Notify("note", absl::StrCat("not checked: ", unchecked.List(), ": ", unchecked.why), &place);
  }
  for (const FileReport::More& more : file.more) {
    Notify("note", absl::StrCat(more.count, " more findings of ", more.rule->id, " are not listed"),
           &place);
  }
}

// 3.20.  An execution with findings is still successful.
Json SarifWriter::Invocation(const Totals& totals) {
  if (!totals.unfinished.empty()) {
    // Always added; replaces the last one when the list is full.
    if (notifications_.size() == kMostNotifications) {
      notifications_.erase(notifications_.size() - 1);
      ++more_notifications_;
    }
    Notify("error", totals.unfinished, nullptr);
  }
  if (more_notifications_ > 0) {
    notifications_.push_back(
        {{"level", "error"},
         {"message", Message(absl::StrCat(more_notifications_, " more notifications"))}});
  }
  Json properties = {{"profile", run_.profile},
                     {"failOn", SeverityName(run_.fail_on)},
                     {"select", run_.select},
                     {"ignore", run_.ignore},
                     {"files", totals.files()}};
  if (!run_.compared_with.empty()) {
    properties["comparedWith"] = Escape(run_.compared_with, run_.compared_with.size());
  }
  return {{"executionSuccessful", ExitCode(totals) != 3},
          {"exitCode", ExitCode(totals)},
          {"toolExecutionNotifications", notifications_},
          {"properties", properties}};
}

}  // namespace

std::unique_ptr<ReportWriter> NewSarifWriter(const Run& run, std::ostream& out) {
  return std::make_unique<SarifWriter>(run, out);
}

}  // namespace gguf
