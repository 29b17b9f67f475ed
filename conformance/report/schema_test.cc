// The JSON report obeys schemas/report.schema.json, and the schema can say no.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/report/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/testing/gguf_builder.h"
#include "re2/re2.h"

namespace gguf {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

// Checks a document against a schema of JSON Schema 2020-12, as far as the
// schema of the report uses it: an unknown keyword is a violation, too.
class SchemaChecker {
 public:
  explicit SchemaChecker(json schema) : schema_(std::move(schema)) {}

  // Each as "/place/in/document: what is wrong".
  std::vector<std::string> Violations(const json& document) {
    violations_.clear();
    Check(schema_, document, "");
    return violations_;
  }

 private:
  void Complain(const std::string& at, const std::string& what) {
    violations_.push_back(absl::StrCat(at, ": ", what));
  }

  void Check(const json& schema, const json& value, const std::string& at) {
    for (const auto& [keyword, wanted] : schema.items()) {
      if (keyword == "$ref") {  // "#/$defs/name"
        const json::json_pointer place(wanted.get<std::string>().substr(1));
        Check(schema_.at(place), value, at);
      } else if (keyword == "type") {
        CheckType(wanted, value, at);
      } else if (keyword == "enum") {
        if (std::find(wanted.begin(), wanted.end(), value) == wanted.end()) {
          Complain(at, absl::StrCat(value.dump(), " is none of the values"));
        }
      } else if (keyword == "minimum") {
        if (value.is_number() && value < wanted) Complain(at, "is too small");
      } else if (keyword == "pattern") {
        if (value.is_string() &&
            !RE2::PartialMatch(value.get<std::string>(),
                               wanted.get<std::string>())) {
          Complain(at, "does not match the pattern");
        }
      } else if (keyword == "items") {
        for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
          Check(wanted, value[i], absl::StrCat(at, "/", i));
        }
      } else if (keyword == "required") {
        for (const std::string name : wanted) {
          if (value.is_object() && !value.contains(name)) {
            Complain(at, absl::StrCat(name, " is missing"));
          }
        }
      } else if (keyword == "properties" || keyword == "additionalProperties") {
        if (value.is_object()) CheckMembers(keyword, schema, value, at);
      } else if (keyword != "$schema" && keyword != "$defs" &&
                 keyword != "title" && keyword != "description") {
        Complain(at, absl::StrCat("keyword ", keyword, " is not supported"));
      }
    }
  }

  void CheckType(const json& wanted, const json& value, const std::string& at) {
    const std::string type =
        value.is_number_integer() ? "integer" : value.type_name();
    const json types = wanted.is_array() ? wanted : json::array({wanted});
    if (std::find(types.begin(), types.end(), type) == types.end()) {
      Complain(at, absl::StrCat("is of type ", type));
    }
  }

  void CheckMembers(const std::string& keyword, const json& schema,
                    const json& value, const std::string& at) {
    const json named = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      const bool is_named = named.contains(name);
      if (is_named != (keyword == "properties")) continue;
      const json& rule = is_named ? named[name] : schema[keyword];
      if (rule == false) {
        Complain(at, absl::StrCat(name, " is unknown"));
      } else {
        Check(rule, member, absl::StrCat(at, "/", name));
      }
    }
  }

  const json schema_;
  std::vector<std::string> violations_;
};

std::vector<std::string> Violations(const json& document) {
  std::ifstream file("conformance/report/schemas/report.schema.json");
  return SchemaChecker(json::parse(file)).Violations(document);
}

json Written(FileReport file, const std::string& path) {
  Report report;
  report.profile = "upload";
  file.path = path;
  report.files.push_back(std::move(file));
  return json::parse(JsonReport(report));
}

json ReportOn(const std::string& bytes, const std::string& path = "a.gguf",
              const Limits& limits = {}) {
  return Written(
      Validate(AsBytes(bytes), "a.gguf", *Profile::Find("upload"), {limits}),
      path);
}

// With findings, some of them not kept, and rules that were not checked.
json BrokenFile() {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  return ReportOn(b.Tensor("w", {32}, 0, 7).Build());
}

TEST(SchemaTest, EveryKindOfReportObeysIt) {
  const std::string good = GgufBuilder().Tensor("w", {32}, 0).Build();
  EXPECT_THAT(Violations(ReportOn(good)), IsEmpty());
  EXPECT_THAT(Violations(ReportOn(GgufBuilder(2, true).Build())), IsEmpty());
  EXPECT_THAT(Violations(ReportOn(good, "a\xFF.gguf")), IsEmpty());
  EXPECT_THAT(Violations(ReportOn(std::string("tjgg\3\0\0\0rest", 12))),
              IsEmpty());
  EXPECT_THAT(Violations(ReportOn("<html>", "-")), IsEmpty());
  EXPECT_THAT(Violations(ReportOn("")), IsEmpty());
  EXPECT_THAT(Violations(json::parse(JsonReport(Report()))), IsEmpty());

  const json broken = BrokenFile();
  EXPECT_THAT(Violations(broken), IsEmpty());
  for (const char* member : {"findings", "more", "not_checked"}) {
    EXPECT_FALSE(broken["files"][0][member].empty()) << member;
  }
  Limits limits;
  limits.tensors = 0;
  EXPECT_EQ(ReportOn(good, "a", limits)["files"][0]["result"], "incomplete");
  EXPECT_THAT(Violations(ReportOn(good, "a", limits)), IsEmpty());
  const FileReport missing = Unchecked("no", *Profile::Find("upload"));
  EXPECT_THAT(Violations(Written(missing, "missing.gguf")), IsEmpty());
}

TEST(SchemaTest, WhatNoReportMayBeIsRefused) {
  const struct {
    const char* change;  // A JSON patch.
    const char* violation;
  } cases[] = {
      {R"({"op":"remove","path":"/tool/version"})",
       "/tool: version is missing"},
      {R"({"op":"add","path":"/files/0/colour","value":1})",
       "/files/0: colour is unknown"},
      {R"({"op":"replace","path":"/files/0/size","value":1.5})",
       "/files/0/size: is of type number"},
      {R"({"op":"replace","path":"/files/0/findings/0/offset","value":-1})",
       "/files/0/findings/0/offset: is too small"},
      {R"({"op":"replace","path":"/files/0/more/0/count","value":0})",
       "/files/0/more/0/count: is too small"},
      {R"({"op":"replace","path":"/files/0/result","value":"ok"})",
       "/files/0/result: \"ok\" is none of the values"},
      {R"({"op":"replace","path":"/files/0/findings/1/severity","value":"off"})",
       "/files/0/findings/1/severity: \"off\" is none of the values"},
      {R"({"op":"replace","path":"/files/0/not_checked/0/rule","value":"A b"})",
       "/files/0/not_checked/0/rule: does not match the pattern"},
      {R"({"op":"add","path":"/files/0/findings/0/args/n","value":7})",
       "/files/0/findings/0/args/n: is of type integer"},
      {R"({"op":"replace","path":"/files","value":{}})",
       "/files: is of type object"},
      {R"({"op":"replace","path":"","value":[]})", ": is of type array"},
  };
  const json broken = BrokenFile();
  for (const auto& [change, violation] : cases) {
    const json changed = broken.patch(json::array({json::parse(change)}));
    EXPECT_THAT(Violations(changed), ElementsAre(violation)) << change;
  }
}

TEST(SchemaTest, AKeywordThatNobodyChecksIsRefused) {
  EXPECT_THAT(SchemaChecker(json{{"maximum", 1}}).Violations(2),
              ElementsAre(": keyword maximum is not supported"));
}

}  // namespace
}  // namespace gguf
