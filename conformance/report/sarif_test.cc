// Tests the SARIF report property by property, against SARIF 2.1.0 (numbers are
// its sections) and the further requirements of GitHub's code scanning.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include "conformance/base/project.h"
#include "conformance/report/writers.h"
#include "conformance/rules/catalogue.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using nlohmann::json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::set<std::string> kLevels = {"none", "note", "warning", "error"};

// Expects an object with these members, some of which are required.
void ExpectMembers(const json& object, const std::set<std::string>& required,
                   const std::set<std::string>& optional = {}) {
  ASSERT_TRUE(object.is_object()) << object;
  for (const std::string& name : required) {
    EXPECT_EQ(object.count(name), 1) << name << " is missing: " << object;
  }
  for (const auto& member : object.items()) {
    EXPECT_TRUE(required.count(member.key()) + optional.count(member.key()))
        << member.key() << " is unknown: " << object;
  }
}

// 3.11: a message has a text; its braces are placeholders unless doubled
// (3.11.5), and "[text](target)" is a link (3.11.6).
void ExpectMessage(const json& message) {
  ExpectMembers(message, {"text"});
  std::string text = message["text"];
  EXPECT_FALSE(text.empty());
  EXPECT_THAT(text, Not(HasSubstr("](")));
  for (const std::string brace : {"{", "}"}) {
    for (size_t at = 0; (at = text.find(brace, at)) != std::string::npos;) {
      ASSERT_EQ(text.substr(at, 2), brace + brace) << text;
      at += 2;
    }
  }
}

// 3.4, RFC 3986.
void ExpectArtifactLocation(const json& location) {
  ExpectMembers(location, {"uri"}, {"uriBaseId"});
  const std::string uri = location["uri"];
  EXPECT_THAT(uri, ContainsRegex("^(file:///)?([A-Za-z0-9._~/-]|%[0-9A-F]"
                                 "[0-9A-F])+$"));
  const bool is_absolute = uri.rfind("file:///", 0) == 0;
  if (location.count("uriBaseId") > 0) {
    EXPECT_FALSE(is_absolute) << uri;  // 3.4.4.
    EXPECT_THAT(uri, Not(ContainsRegex("(^|/)\\.\\.?(/|$)")));
  }
}

// 3.49.
void ExpectRule(const json& rule) {
  ExpectMembers(
      rule,
      {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"},
      {"helpUri"});
  EXPECT_THAT(rule["id"].get<std::string>(), ContainsRegex("^[a-z0-9-]+$"));
  for (const char* text : {"shortDescription", "fullDescription", "help"}) {
    ExpectMessage(rule[text]);
  }
  const json& configuration = rule["defaultConfiguration"];  // 3.50.
  ExpectMembers(configuration, {}, {"enabled", "level"});
  EXPECT_EQ(kLevels.count(configuration.value("level", "warning")), 1u);
  EXPECT_TRUE(configuration.value("enabled", true) || configuration.count("level") == 0);
  EXPECT_TRUE(rule["properties"]["tags"].is_array());  // 3.8.2.
  EXPECT_EQ(rule.value("helpUri", ""), RuleUrl(rule["id"].get<std::string>()));
}

// 3.27 and, for the place, 3.28 to 3.33.
void ExpectResult(const json& result, const json& rules) {
  ExpectMembers(result,
                {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"},
                {"suppressions", "properties"});
  EXPECT_EQ(rules.at(result["ruleIndex"].get<size_t>())["id"],
            result["ruleId"]);  // 3.27.6.
  EXPECT_EQ(kLevels.count(result["level"]), 1u);
  ExpectMessage(result["message"]);
  ASSERT_EQ(result["locations"].size(), 1u);
  const json& location = result["locations"][0];
  ExpectMembers(location, {"physicalLocation", "logicalLocations"});
  ExpectMembers(location["physicalLocation"], {"artifactLocation", "region"});
  ExpectArtifactLocation(location["physicalLocation"]["artifactLocation"]);
  const json& region = location["physicalLocation"]["region"];
  ExpectMembers(region, {"startLine", "byteOffset", "byteLength"});
  EXPECT_EQ(region["startLine"], 1);  // GitHub needs one; positive (3.30.5).
  EXPECT_GE(region["byteOffset"], 0);
  EXPECT_GE(region["byteLength"], 0);
  for (const json& logical : location["logicalLocations"]) {
    ExpectMembers(logical, {"fullyQualifiedName"});
    EXPECT_FALSE(logical["fullyQualifiedName"].get<std::string>().empty());
  }
  for (const auto& fingerprint : result["partialFingerprints"].items()) {
    EXPECT_THAT(fingerprint.value().get<std::string>(), ContainsRegex("^[0-9a-f]{16}:[0-9]+$"));
  }
}

// 3.27.23: either all results have suppressions (3.35), or none.
void ExpectSuppressions(const json& results) {
  for (const json& result : results) {
    EXPECT_EQ(result.count("suppressions"), results[0].count("suppressions"));
    for (const json& one : result.value("suppressions", json::array())) {
      ExpectMembers(one, {"kind", "status"}, {"justification"});
      EXPECT_EQ(one["kind"], "external");
      EXPECT_EQ(one["status"], "accepted");
    }
  }
}

// 3.20, 3.58.
void ExpectInvocation(const json& invocation) {
  ExpectMembers(invocation,
                {"executionSuccessful", "exitCode", "toolExecutionNotifications", "properties"});
  EXPECT_TRUE(invocation["executionSuccessful"].is_boolean());
  EXPECT_TRUE(invocation["exitCode"].is_number_integer());
  for (const json& notification : invocation["toolExecutionNotifications"]) {
    ExpectMembers(notification, {"level", "message"}, {"locations"});
    EXPECT_EQ(kLevels.count(notification["level"]), 1u);
    ExpectMessage(notification["message"]);
    for (const json& location : notification.value("locations", json())) {
      ExpectArtifactLocation(location["physicalLocation"]["artifactLocation"]);
    }
  }
}

// 3.13, 3.14, 3.18, 3.19: everything, from the top.
json Sarif(const TestReport& report) {
  const json log = json::parse(Written(NewSarifWriter, report));
  ExpectMembers(log, {"$schema", "version", "runs"});
  EXPECT_EQ(log["version"], "2.1.0");
  EXPECT_EQ(log["runs"].size(), 1u);
  const json& run = log["runs"][0];
  ExpectMembers(run, {"tool", "results", "invocations", "columnKind"});
  EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
  ExpectMembers(run["tool"], {"driver"});
  const json& driver = run["tool"]["driver"];
  ExpectMembers(driver, {"name", "version", "semanticVersion", "informationUri", "rules"});
  EXPECT_EQ(driver["name"], "ggufcheck");
  EXPECT_EQ(driver["semanticVersion"], kToolVersion);
  std::set<std::string> ids;
  for (const json& rule : driver["rules"]) {
    ExpectRule(rule);
    EXPECT_TRUE(ids.insert(rule["id"]).second) << rule["id"];  // 3.19.23.
  }
  EXPECT_TRUE(run["results"].is_array());
  for (const json& result : run["results"]) {
    ExpectResult(result, driver["rules"]);
  }
  ExpectSuppressions(run["results"]);
  EXPECT_EQ(run["invocations"].size(), 1u);
  ExpectInvocation(run["invocations"][0]);
  return run;
}

TEST(SarifTest, ACleanFileHasNeitherResultsNorRules) {
  const json run = Sarif(ReportOn(FileWithTensor().Build(), "a.gguf"));
  EXPECT_EQ(run["results"], json::array());  // Not absent, nor null: 3.14.23.
  EXPECT_EQ(run["tool"]["driver"]["rules"], json::array());
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
  EXPECT_EQ(run["invocations"][0]["exitCode"], 0);
}

TEST(SarifTest, AFindingSaysWhatAndWhere) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0, 7).Build();
  const json run = Sarif(ReportOn(bytes, "./models/a b.gguf"));
  ASSERT_EQ(run["results"].size(), 1u);
  json result = run["results"][0];
  result.erase("ruleIndex");
  result.erase("partialFingerprints");
  EXPECT_EQ(result, json::parse(R"({
    "ruleId": "tensor-offset-aligned", "level": "error",
    "message": {"text": "tensor[w].offset is 7, not a multiple of 32"},
    "locations": [{
      "physicalLocation": {
        "artifactLocation":
            {"uri": "models/a%20b.gguf", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 1, "byteOffset": 49, "byteLength": 8}},
      "logicalLocations": [{"fullyQualifiedName": "tensor[w].offset"}]}]})"));
  // A run with findings is still successful.
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], true);
  EXPECT_EQ(run["invocations"][0]["exitCode"], 1);
}

json FingerprintsOf(const GgufBuilder& file) {
  json all;
  const json run = Sarif(ReportOn(file.Build(), "a"));
  for (const json& result : run["results"]) {
    all.push_back(result["partialFingerprints"]["primaryLocationLineHash"]);
  }
  return all;
}

TEST(SarifTest, FingerprintsOutliveAMoveOfTheBytes) {
  const json before = FingerprintsOf(GgufBuilder().Tensor("v", {32}, 0, 7).Tensor("w", {32}, 0, 9));
  const json after = FingerprintsOf(
      GgufBuilder().U32("a.key", 1).Tensor("v", {32}, 0, 11).Tensor("w", {32}, 0, 13));
  ASSERT_GE(before.size(), 2u);
  EXPECT_EQ(before[0], after[0]);
  EXPECT_EQ(std::set<json>(before.begin(), before.end()).size(), before.size());
}

TEST(SarifTest, WhatABaselineKnowsIsSuppressed) {
  const json results = Sarif(ReportWithBaseline("r\x1b"))["results"];
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["suppressions"], json::array());
  EXPECT_EQ(results[2]["suppressions"], json::parse(R"([{"kind": "external",
      "status": "accepted", "justification": "r\\x1b"}])"));
  EXPECT_EQ(results[2]["ruleId"], results[0]["ruleId"]);
}

TEST(SarifTest, DeclaresEachRuleWithResultsOnce) {
  const json run =
      Sarif(ReportOn(GgufBuilder().Tensor("v", {32}, 0, 7).Tensor("w", {32}, 0, 9).Build(), "a"));
  ASSERT_GE(run["results"].size(), 2u);
  std::set<json> found;
  for (const json& result : run["results"]) found.insert(result["ruleId"]);
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), found.size());
}

TEST(SarifTest, RulesOfSafetyHaveASecuritySeverity) {
  const json rules = Sarif(ReportOn(GgufBuilder().U32("nodot", 1).Tensor("w", {32}, 0, 7).Build(),
                                    "a"))["tool"]["driver"]["rules"];
  const auto properties = [&](const char* id) {
    for (const json& rule : rules) {
      if (rule["id"] == id) return rule["properties"];
    }
    return json();
  };
  EXPECT_EQ(properties("tensor-offset-aligned"), json::parse(R"({"tags": ["gguf", "security"],
                            "security-severity": "8.0"})"));
  EXPECT_EQ(properties("key-namespaced"), json::parse(R"({"tags": ["gguf"]})"));
}

TEST(SarifTest, RulesHaveTheSeveritiesOfTheRun) {
  const auto configuration = [](const gguf::Run& run) {
    TestReport report = ReportOn(GgufBuilder().U32("nodot", 1).Build(), "a");
    report.run = run;
    const json sarif = Sarif(report);
    for (const json& rule : sarif["tool"]["driver"]["rules"]) {
      if (rule["id"] == "key-namespaced") return rule["defaultConfiguration"];
    }
    return json();
  };
  gguf::Run run;
  run.profile = "ours";
  EXPECT_EQ(configuration(run), json({{"level", "note"}}));
  const Rule* rule = FindRule("key-namespaced");
  run.severities = {{rule, Severity::kError}};
  EXPECT_EQ(configuration(run), json({{"level", "error"}}));
  run.severities = {{rule, Severity::kOff}};
  EXPECT_EQ(configuration(run), json({{"enabled", false}}));
}

TEST(SarifTest, PathsAreUris) {
  const auto place = [](const std::string& path) {
    const std::string bytes = GgufBuilder().Tensor("w", {32}, 0, 7).Build();
    return Sarif(ReportOn(
        bytes, path))["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        .dump();
  };
  EXPECT_EQ(place("/m/a%.gguf"), R"({"uri":"file:///m/a%25.gguf"})");
  EXPECT_EQ(place("../a:b.gguf"), R"({"uri":"../a%3Ab.gguf"})");
  EXPECT_EQ(place("x/../a\xC3\xA9"), R"({"uri":"a%C3%A9","uriBaseId":"%SRCROOT%"})");
  EXPECT_EQ(place("-"), R"({"uri":"-","uriBaseId":"%SRCROOT%"})");
}

TEST(SarifTest, WhatWasNotCheckedIsANotification) {
  Limits limits;
  limits.tensors = 0;
  CheckOptions options;
  options.limits = limits;
  const json cut = Sarif(ReportOn(FileWithTensor().Build(), "a", options));
  const json& invocation = cut["invocations"][0];
  EXPECT_EQ(invocation["executionSuccessful"], false);
  EXPECT_EQ(invocation["exitCode"], 3);
  const json& first = invocation["toolExecutionNotifications"][0];
  EXPECT_EQ(first["level"], "error");
  EXPECT_THAT(first["message"]["text"].get<std::string>(),
              testing::MatchesRegex("could not finish: .*the limit of 0 tensors: the file has 1"));

  const json blocked = Sarif(ReportOn(GgufBuilder().Tensor("w", {32}, 0, 7).Build(), "a"));
  const json& note = blocked["invocations"][0]["toolExecutionNotifications"][0];
  EXPECT_EQ(note["level"], "note");
  EXPECT_THAT(note["message"]["text"].get<std::string>(),
              HasSubstr("not checked: last-tensor-padded, no-trailing-data: "));

  TestReport report = ReportOn(FileWithTensor().Build(), "a");
  report.unfinished = "interrupted";
  const json unfinished = Sarif(report)["invocations"][0];
  EXPECT_EQ(unfinished["executionSuccessful"], false);
  EXPECT_EQ(unfinished["toolExecutionNotifications"].back()["message"]["text"], "interrupted");
}

TEST(SarifTest, NotificationsAreBoundedAndTheRestIsCounted) {
  TestReport report;
  report.unfinished = "interrupted";
  for (int i = 0; i < 1500; ++i) {
    report.files.push_back(Unchecked("no", *Profile::Find("safety")));
    report.files.back().path = "a";
  }
  const json invocation = Sarif(report)["invocations"][0];
  const json& notifications = invocation["toolExecutionNotifications"];
  ASSERT_EQ(notifications.size(), 1001u);
  EXPECT_EQ(notifications[999]["message"]["text"], "interrupted");
  EXPECT_EQ(notifications[1000]["message"]["text"], "501 more notifications");
}

TEST(SarifTest, FindingsThatAreNotListedAreCounted) {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  const json run = Sarif(ReportOn(b.Build(), "a"));
  EXPECT_EQ(run["results"].size(), 100u);
  EXPECT_THAT(run["invocations"][0]["toolExecutionNotifications"].dump(),
              HasSubstr("50 more findings of key-namespaced are not listed"));
}

TEST(SarifTest, HostileTextIsNeitherRawNorALink) {
  const TestReport report = HostileReport();
  ExpectPrintable(Written(NewSarifWriter, report));
  const json run = Sarif(report);
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "dir/%1B%5B31m%0A%3A%3Aerror%3A%3A%3Cb%3E%26%5D%5D%3E%5Bx%5D%28/"
            "h%29%60%7C%2A%7B0%7D%250A%40a%E2%80%AE%22%5C%FF");
  EXPECT_THAT(run["results"].dump(), HasSubstr("[x] (//h)"));
}

}  // namespace
}  // namespace gguf
