// The JSON report conforms to schemas/report.schema.json, and the manifest of
// the corpus to its schema; the schemas reject errors.
//
// SPDX-License-Identifier: Apache-2.0

#include <limits>
#include <string>
#include <vector>

#include "conformance/base/json.h"
#include "conformance/model/model.h"
#include "conformance/model/summary.h"
#include "conformance/report/json.h"
#include "conformance/rules/causes/causes.h"
#include "conformance/rules/readers.h"
#include "conformance/testing/json_schema.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Violations(const json& document) {
  return SchemaViolations(JsonFile("conformance/report/schemas/report.schema.json"), document);
}

json JsonOf(FileReport file, const std::string& path) {
  TestReport report;
  report.run.profile = "upload";
  file.path = path;
  report.files.push_back(std::move(file));
  return json::parse(Written(NewJsonWriter, report));
}

json Checked(const std::string& bytes, const std::string& path = "a.gguf",
             const Limits& limits = {}) {
  return JsonOf(Validate({AsBytes(bytes), "a.gguf"}, *Profile::Find("upload"), {limits}), path);
}

// A report with findings, some of them not kept, and unchecked rules.
json BrokenFile() {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  return Checked(b.Tensor("w", {32}, 0, 7).Build());
}

TEST(SchemaTest, EveryKindOfReportObeysIt) {
  const std::string good = GgufBuilder().Tensor("w", {32}, 0).Build();
  EXPECT_THAT(Violations(Checked(good)), IsEmpty());
  EXPECT_THAT(Violations(Checked(GgufBuilder(2, true).Build())), IsEmpty());
  EXPECT_THAT(Violations(Checked(good, "a\xFF.gguf")), IsEmpty());
  EXPECT_THAT(Violations(Checked(std::string("tjgg\3\0\0\0rest", 12))), IsEmpty());
  EXPECT_THAT(Violations(Checked("<html>", "-")), IsEmpty());
  EXPECT_THAT(Violations(Checked("")), IsEmpty());
  EXPECT_THAT(Violations(json::parse(Written(NewJsonWriter, TestReport()))), IsEmpty());

  const json broken = BrokenFile();
  EXPECT_THAT(Violations(broken), IsEmpty());
  for (const char* member : {"findings", "more", "not_checked"}) {
    EXPECT_FALSE(broken["files"][0][member].empty()) << member;
  }
  Limits limits;
  limits.tensors = 0;
  EXPECT_EQ(Checked(good, "a", limits)["files"][0]["result"], "incomplete");
  EXPECT_THAT(Violations(Checked(good, "a", limits)), IsEmpty());
  FileReport shard = Unchecked("no", *Profile::Find("upload"));
  shard.shard = {2, 3};
  const json of_set = JsonOf(shard, "m-00002-of-00003.gguf");
  EXPECT_THAT(Violations(of_set), IsEmpty());
  EXPECT_EQ(of_set["files"][0]["shard"], R"({"number": 2, "count": 3})"_json);
  shard.shard = {1, 3, "fail"};
  const json of_first = JsonOf(shard, "m-00001-of-00003.gguf");
  EXPECT_THAT(Violations(of_first), IsEmpty());
  EXPECT_EQ(of_first["files"][0]["shard"]["result"], "fail");
  FileReport compared = Unchecked("no", *Profile::Find("upload"));
  compared.compared.resize(2);
  compared.compared[0].result = ComparedTensor::kScale;
  compared.compared[0].worst_block = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Violations(JsonOf(compared, "m.gguf")), IsEmpty());
  const FileReport missing = Unchecked("no", *Profile::Find("upload"));
  EXPECT_THAT(Violations(JsonOf(missing, "missing.gguf")), IsEmpty());
}

TEST(SchemaTest, SoDoReportsWithABaseline) {
  for (const char* text : {"r", kHostile, "\xFF"}) {
    const TestReport report = ReportWithBaseline(text);
    EXPECT_THAT(Violations(json::parse(Written(NewJsonWriter, report))), IsEmpty());
  }
}

TEST(SchemaTest, SoDoReportsWithReaders) {
  const std::string nested = GgufBuilder().Key("k.list", 9, ByteWriter().U32(9).U64(0)).Build();
  TestReport report;
  CheckOptions options;
  options.readers = true;
  const Profile& safety = *Profile::Find("safety");  // It has the rule off.
  report.files.push_back(Validate(AsBytes(nested), safety, options));
  report.files.push_back(Unchecked("no", safety));
  for (FileReport& file : report.files) file.readers = JudgeReaders(file);
  report.unfinished = "interrupted";
  const json written = json::parse(Written(NewJsonWriter, report));
  EXPECT_THAT(Violations(written), IsEmpty());

  const json& readers = written["files"][0]["readers"];
  const json because = {
      {"rule", "array-not-nested"}, {"subject", "kv[k.list].value.element_type"}, {"offset", 42}};
  const json ggml = {{"reader", "ggml"},
                     {"version", readers[1]["version"]},
                     {"verdict", "rejects"},
                     {"stage", "load"},
                     {"because", json::array({because})}};
  EXPECT_EQ(readers[1], ggml);
  EXPECT_EQ(readers[5]["verdict"], "accepts");
  EXPECT_EQ(written["files"][1]["readers"][1]["why"], "no");
  EXPECT_EQ(BrokenFile()["files"][0].count("readers"), 0);  // Not requested.
}

TEST(SchemaTest, WhatNoReportMayBeIsRefused) {
  const struct {
    const char* change;  // A JSON patch.
    const char* violation;
  } cases[] = {
      {R"({"op":"remove","path":"/tool/version"})", "/tool: Missing required property 'version'."},
      {R"({"op":"add","path":"/files/0/colour","value":1})",
       "/files/0: Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"replace","path":"/files/0/size","value":1.5})",
       "/files/0/size: Value type not permitted by 'type' constraint."},
      {R"({"op":"replace","path":"/files/0/findings/0/offset","value":-1})",
       "/files/0/findings/0/offset: Expected number greater than or equal to "
       "0.000000"},
      {R"({"op":"replace","path":"/files/0/more/0/count","value":0})",
       "/files/0/more/0/count: Expected number greater than or equal to "
       "1.000000"},
      {R"({"op":"replace","path":"/files/0/result","value":"ok"})",
       "/files/0/result: Failed to match against any enum values."},
      {R"({"op":"replace","path":"/files/0/findings/1/severity","value":"off"})",
       "/files/0/findings/1/severity: Failed to match against any enum "
       "values."},
      {R"({"op":"replace","path":"/files/0/not_checked/0/rule","value":"A b"})",
       "/files/0/not_checked/0/rule: Failed to match regex specified by "
       "'pattern' constraint."},
      {R"({"op":"add","path":"/files/0/findings/0/args/n","value":7})",
       "/files/0/findings/0/args/n: Value type not permitted by 'type' "
       "constraint."},
      {R"({"op":"replace","path":"/files","value":{}})",
       "/files: Value type not permitted by 'type' constraint."},
      {R"({"op":"replace","path":"","value":[]})",
       ": Value type not permitted by 'type' constraint."},
  };
  const json broken = BrokenFile();
  for (const auto& [change, violation] : cases) {
    const json changed = broken.patch(json::array({json::parse(change)}));
    EXPECT_THAT(Violations(changed), ElementsAre(violation)) << change;
  }
}

// The schema is open, because members may be added; this manifest has only the
// members that it describes.
std::vector<std::string> ManifestViolations(const json& document) {
  json schema = JsonFile("corpus/manifest.schema.json");
  for (const char* type : {"manifest", "case", "budget"}) {
    json& object = schema["$defs"][type];
    EXPECT_FALSE(object.contains("additionalProperties")) << type;
    object["additionalProperties"] = false;
  }
  return SchemaViolations(schema, document);
}

TEST(ReportSchemaTest, HasTheKindsOfCauses) {
  const json schema = JsonFile("conformance/report/schemas/report.schema.json");
  json kinds = json::array();
  for (const CauseKind& kind : CauseKinds()) kinds.push_back(kind.id);
  EXPECT_EQ(schema["$defs"]["cause"]["properties"]["kind"]["enum"], kinds);
}

TEST(ManifestSchemaTest, TheManifestObeysIt) {
  const json manifest = JsonFile("corpus/manifest.json");
  EXPECT_FALSE(manifest["cases"].empty());
  EXPECT_THAT(ManifestViolations(manifest), IsEmpty());
}

TEST(ManifestSchemaTest, EveryMemberIsDescribed) {
  const json schema = JsonFile("corpus/manifest.schema.json");
  for (const char* type : {"manifest", "case", "budget"}) {
    for (const auto& [name, member] : schema["$defs"][type]["properties"].items()) {
      EXPECT_TRUE(member.contains("description")) << type << ", " << name;
    }
  }
}

TEST(ManifestSchemaTest, WhatNoManifestMayBeIsRefused) {
  const struct {
    const char* change;  // A JSON patch.
    const char* violation;
  } cases[] = {
      {R"({"op":"replace","path":"/schema","value":"ggufcheck/report/1"})",
       "/schema: Failed to match against any enum values."},
      {R"({"op":"add","path":"/colour","value":1})",
       ": Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"add","path":"/flags/X","value":""})",
       "/flags/X: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"remove","path":"/cases/0/sha256"})",
       "/cases/0: Missing required property 'sha256'."},
      {R"({"op":"add","path":"/cases/0/colour","value":1})",
       "/cases/0: Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"replace","path":"/cases/0/id","value":"a/b"})",
       "/cases/0/id: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"replace","path":"/cases/0/verdict","value":"good"})",
       "/cases/0/verdict: Failed to match against any enum values."},
      {R"({"op":"replace","path":"/cases/0/file","value":"../a.gguf"})",
       "/cases/0/file: Failed to match regex specified by 'pattern' "
       "constraint."},
      {R"({"op":"replace","path":"/cases/0/size","value":"7"})",
       "/cases/0/size: Value type not permitted by 'type' constraint."},
      {R"({"op":"replace","path":"/cases/0/version","value":-1})",
       "/cases/0/version: Expected number greater than or equal to 0.000000"},
      {R"({"op":"replace","path":"/cases/0/budget/ms","value":0})",
       "/cases/0/budget/ms: Expected number greater than or equal to 1.000000"},
      {R"({"op":"add","path":"/cases/0/rules/x","value":["A b"]})",
       "/cases/0/rules/x/0: Failed to match regex specified by 'pattern' "
       "constraint."},
      {R"({"op":"add","path":"/cases/0/causes","value":["A b"]})",
       "/cases/0/causes/0: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"replace","path":"/cases","value":{}})",
       "/cases: Value type not permitted by 'type' constraint."},
  };
  json small = JsonFile("corpus/manifest.json");  // Its first case is enough.
  small["cases"] = json::array({small["cases"][0]});
  for (const auto& [change, violation] : cases) {
    const json changed = small.patch(json::array({json::parse(change)}));
    EXPECT_THAT(ManifestViolations(changed), ElementsAre(violation)) << change;
  }
}

std::vector<std::string> ShowViolations(const std::string& bytes) {
  Diagnostics found(1);
  const Model model(Parse(Source(AsBytes(bytes), bytes.size(), "a.gguf"), Limits(), &found));
  const json file = json::parse(JsonText(SummaryJson({"a.gguf", SummaryOf(model)})));
  return SchemaViolations(JsonFile("conformance/report/schemas/show.schema.json"),
                          {{"schema", "ggufcheck/show/1"}, {"files", {file}}});
}

TEST(SchemaTest, EverySummaryObeysItsSchema) {
  GgufBuilder b;
  b.String("general.architecture", "llama").String("general.name", "\xFF");
  b.U32("llama.context_length", 4096).U32("llama.block_count", 1);
  b.Key("llama.rope.freq_base", 6, b.New().U32(0x7FC00000));  // NaN.
  b.String("tokenizer.ggml.model", "llama").U32("tokenizer.ggml.bos_token_id", 9);
  b.String("tokenizer.chat_template", "a\nb").String("general.license", "mit");
  const std::string bytes = b.Tensor("w", {32}, 0).Build();
  EXPECT_THAT(ShowViolations(bytes), IsEmpty());
  for (size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_THAT(ShowViolations(bytes.substr(0, size)), IsEmpty()) << size;
  }
  EXPECT_THAT(ShowViolations(std::string("tjgg\3\0\0\0rest", 12)), IsEmpty());
}

}  // namespace
}  // namespace gguf
