// Reports can be read back, and are written again unchanged; the list of rules
// obeys its schema.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/json.h"

#include <fstream>
#include <limits>
#include <string>

#include "conformance/report/rules_json.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/readers.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/json_schema.h"
#include "conformance/testing/tiny_model.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// Returns a report after writing and reading it.
TestReport Again(const TestReport& report) {
  const Json json = Json::parse(Written(NewJsonWriter, report));
  TestReport again;
  const auto run = RunFromJson(json);
  EXPECT_TRUE(run.ok()) << run.status();
  again.run = *run;
  for (const Json& file : json["files"]) {
    auto read = FileFromJson(file);
    EXPECT_TRUE(read.ok()) << read.status();
    if (read.ok()) again.files.push_back(*std::move(read));
  }
  again.unfinished = report.unfinished;
  const auto baseline = BaselineFromJson(json);
  EXPECT_TRUE(baseline.ok()) << baseline.status();
  again.baseline = *baseline;
  return again;
}

void ExpectSameAgain(const TestReport& report) {
  EXPECT_EQ(Written(NewJsonWriter, Again(report)), Written(NewJsonWriter, report));
}

TEST(ReadJsonTest, EveryKindOfReportIsReadAsItWas) {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  TestReport many = ReportOn(b.Tensor("w", {32}, 0, 7).Build(), "a.gguf");
  many.run = {"safety",          Severity::kNote, {"key-*"},
              {"tensor-*", "x"}, {3, 8},          {123, "0123456789abcdef"}};
  many.files[0].index = 99;
  many.files[0].shard = {2, 3};
  many.files[0].readers = JudgeReaders(many.files[0]);
  many.unfinished = "interrupted";
  ExpectSameAgain(many);
  ExpectSameAgain(HostileReport());
  ExpectSameAgain(ReportWithBaseline(kHostile));
  ExpectSameAgain(ReportOn("<html>", "-"));
  ExpectSameAgain(ReportOn(GgufBuilder(2, true).Build(), "big"));
  ExpectSameAgain(ReportOn(std::string("tjgg\3\0\0\0rest", 12), "old"));
  TestReport missing;
  missing.files.push_back(Unchecked("no", *Profile::Find("upload")));
  ExpectSameAgain(missing);

  CheckOptions options;
  options.stats = true;
  const std::string model = MakeTinyModel("llama").Build();
  const TestReport stats = ReportOn(model, "m", options);
  ASSERT_FALSE(stats.files[0].stats.empty());
  ExpectSameAgain(stats);

  ComparedTensor tensor;
  tensor.name = "a\xFF";
  tensor.type = "Q4_K";
  tensor.origin_type = "F16";
  tensor.result = ComparedTensor::kBlock;
  tensor.weights = 512;
  tensor.rmse = 0.0712345;
  tensor.gain = -1e-9;
  tensor.worst_block = std::numeric_limits<double>::infinity();
  tensor.bad_blocks = 2;
  tensor.uneven_blocks = 3;
  tensor.scale_judged = true;
  tensor.slope = 0.25;
  TestReport compared = ReportOn(model, "m");
  compared.files[0].compared = {tensor, ComparedTensor()};
  ExpectSameAgain(compared);
}

TEST(ReadJsonTest, EveryKindOfTheSchemaIsKnown) {
  std::ifstream schema("conformance/report/schemas/report.schema.json");
  const Json kinds = Json::parse(schema)["$defs"]["file"]["properties"]["kind"]["enum"];
  Json file =
      Json::parse(Written(NewJsonWriter, ReportOn(FileWithTensor().Build(), "a")))["files"][0];
  ASSERT_GT(kinds.size(), 10u);
  for (const Json& kind : kinds) {
    file["kind"] = kind;
    EXPECT_TRUE(FileFromJson(file).ok()) << kind;
  }
}

TEST(ReadJsonTest, WhatIsNoReportIsAnError) {
  const Json good = Json::parse(
      Written(NewJsonWriter, ReportOn(GgufBuilder().Tensor("w", {32}, 0, 7).Build(), "a")));
  const struct {
    const char* at;
    Json value;
    const char* error;
  } cases[] = {
      {"/index", -1, "index is not an unsigned integer"},
      {"/index", 1.5, "index is not an unsigned integer"},
      {"/path", 7, "path is not a string"},
      {"/version", 5000000000u, "version is too large"},
      {"/endian", "middle", "endian is \"middle\", which is unknown"},
      {"/kind", "horse", "kind is \"horse\", which is unknown"},
      {"/format", "a\nb", "format contains a forbidden character"},
      {"/counts", nullptr, "counts is not an object"},
      {"/counts/error", "1", "counts.error is not an unsigned integer"},
      {"/counts/error", 0u, "counts do not match the findings"},
      {"/counts/warning", 1000u, "counts do not match the findings"},
      {"/findings", Json::array(), "counts do not match the findings"},
      {"/findings", 7, "findings is not a list"},
      {"/findings/0", 7, "findings[0] is not an object"},
      {"/findings/0/rule", "a-b", "findings[0].rule is \"a-b\", which is unknown"},
      {"/findings/0/severity", "off",
       "findings[0].severity is \"off\"; expected note or warning or error"},
      {"/findings/0/message", "\x1b[31m", "findings[0].message contains a forbidden character"},
      {"/findings/0/subject", "\xE2\x80\xAE", "findings[0].subject contains a forbidden character"},
      {"/findings/0/subject", "a##[b", "findings[0].subject contains a forbidden character"},
      {"/findings/0/length", ~uint64_t{0}, "findings[0].length is too large"},
      {"/findings/0/args/offset", 7, "findings[0].args.offset is not a string"},
      {"/shard",
       {{"number", 1u}, {"count", 3u}, {"result", "a\nb"}},
       "shard.result contains a forbidden character"},
      {"/not_checked/0/why", nullptr, "not_checked[0].why is not a string"},
  };
  EXPECT_TRUE(FileFromJson(good["files"][0]).ok());
  for (const auto& [at, value, error] : cases) {
    Json file = good["files"][0];
    file[Json::json_pointer(at)] = value;
    EXPECT_EQ(std::string(FileFromJson(file).status().message()), error) << at;
  }
  Json run = good;
  run["shard"]["index"] = 1u;
  EXPECT_EQ(std::string(RunFromJson(run).status().message()),
            "shard has an index that is not below its count");
  EXPECT_EQ(std::string(RunFromJson(Json::array()).status().message()), "is not an object");
}

nlohmann::json AllRules() {
  std::vector<const Rule*> rules;
  for (const Rule* rule : Catalogue()) rules.push_back(rule);
  return nlohmann::json::parse(JsonText(RulesJson(rules)));
}

TEST(RulesJsonTest, ObeysItsSchema) {
  const nlohmann::json schema = JsonFile("conformance/report/schemas/rules.schema.json");
  nlohmann::json rules = AllRules();
  EXPECT_THAT(SchemaViolations(schema, rules), testing::IsEmpty());
  rules["rules"][0]["status"] = "new";
  EXPECT_EQ(SchemaViolations(schema, rules).size(), 1u);
}

TEST(RulesJsonTest, HasWhatExplainSays) {
  const nlohmann::json one =
      nlohmann::json::parse(JsonText(RulesJson({FindRule("tensor-offset-aligned")})));
  ASSERT_EQ(one["rules"].size(), 1u);
  const nlohmann::json& rule = one["rules"][0];
  EXPECT_EQ(rule["id"], "tensor-offset-aligned");
  EXPECT_EQ(rule["about"], "container");
  EXPECT_EQ(rule["since"], "0.1.0");
  EXPECT_EQ(rule["status"], "stable");
  EXPECT_EQ(rule["severities"]["upload"], "error");
  EXPECT_EQ(rule["severities"].size(), 5u);
}

TEST(RulesJsonTest, ARuleInPreviewHasTheSeveritiesThatItWillHave) {
  const nlohmann::json all = AllRules();
  for (const nlohmann::json& rule : all["rules"]) {
    if (rule["status"] != "preview") continue;
    EXPECT_NE(rule["severities"]["pedantic"], "off") << rule["id"];
  }
}

}  // namespace
}  // namespace gguf
