// Tests the JUnit report against the schema of Jenkins' xUnit plugin
// (junit-10.xsd).
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/base/project.h"
#include "conformance/report/writers.h"
#include "conformance/rules/catalogue.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"
#include "tinyxml2.h"

namespace gguf {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using tinyxml2::XMLElement;
using Names = std::set<std::string>;

// The schema's requirements for an element that the report uses.
struct Element {
  Names children;
  Names required;  // Attributes.
  Names optional;
  bool has_text;
};
const std::map<std::string, Element> kSchema = {
    {"testsuites",
     {{"testsuite"}, {}, {"name", "time", "tests", "failures", "disabled", "errors"}, false}},
    {"testsuite",
     {{"testsuite", "properties", "testcase", "system-out", "system-err"},
      {"name", "tests"},
      {"failures", "errors", "time", "disabled", "skipped", "timestamp", "hostname", "id",
       "package", "file", "log", "url", "version"},
      false}},
    {"testcase",
     {{"skipped", "error", "failure", "rerunFailure", "rerunError", "flakyFailure", "flakyError",
       "system-out", "system-err", "properties"},
      {"name"},
      {"time", "classname", "group", "assertions", "status", "class", "file", "line", "log", "url"},
      false}},
    {"failure", {{}, {}, {"type", "message"}, true}},
    {"error", {{}, {}, {"type", "message"}, true}},
    {"skipped", {{}, {}, {"type", "message"}, true}},
    {"system-out", {{}, {}, {}, true}},
};

void ExpectValid(const XMLElement& element) {
  const auto schema = kSchema.find(element.Name());
  ASSERT_NE(schema, kSchema.end()) << element.Name();
  const Element& allowed = schema->second;
  for (const std::string& name : allowed.required) {
    EXPECT_NE(element.Attribute(name.c_str()), nullptr) << name;
  }
  for (auto* a = element.FirstAttribute(); a != nullptr; a = a->Next()) {
    EXPECT_TRUE(allowed.required.count(a->Name()) + allowed.optional.count(a->Name()))
        << element.Name() << " has " << a->Name();
  }
  for (auto* node = element.FirstChild(); node != nullptr; node = node->NextSibling()) {
    if (const XMLElement* child = node->ToElement()) {
      EXPECT_EQ(allowed.children.count(child->Name()), 1u)
          << child->Name() << " in " << element.Name();
      ExpectValid(*child);
    } else {
      EXPECT_TRUE(allowed.has_text) << element.Name();
    }
  }
}

// Counts the test cases of a suite that have a given child element.
int CountCases(const XMLElement& suite, const char* said) {
  int count = 0;
  for (auto* test = suite.FirstChildElement("testcase"); test != nullptr;
       test = test->NextSiblingElement("testcase")) {
    if (said == nullptr || test->FirstChildElement(said) != nullptr) ++count;
  }
  return count;
}

// Parses and checks a report.
void Read(const TestReport& report, tinyxml2::XMLDocument* xml) {
  const std::string text = Written(NewJunitWriter, report);
  EXPECT_THAT(text, StartsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"));
  ASSERT_EQ(xml->Parse(text.c_str(), text.size()), tinyxml2::XML_SUCCESS);
  ASSERT_STREQ(xml->RootElement()->Name(), "testsuites");
  ExpectValid(*xml->RootElement());
  for (auto* suite = xml->RootElement()->FirstChildElement(); suite != nullptr;
       suite = suite->NextSiblingElement()) {
    EXPECT_EQ(suite->IntAttribute("tests"), CountCases(*suite, nullptr));
    EXPECT_EQ(suite->IntAttribute("failures"), CountCases(*suite, "failure"));
    EXPECT_EQ(suite->IntAttribute("errors"), CountCases(*suite, "error"));
    EXPECT_EQ(suite->IntAttribute("skipped"), CountCases(*suite, "skipped"));
  }
}

// Returns what follows "repair: " in a test case of a rule that has a safe fix.
std::string Repair(const char* id) {
  const std::string url = RuleUrl(id);
  return absl::StrCat(FindRule(id)->repair, " ggufcheck fix repairs this.\n", url,
                      url.empty() ? "" : "\n");
}

TEST(JunitTest, AFileIsASuiteAndARuleATestCase) {
  TestReport report = ReportOn(GgufBuilder().Tensor("w", {32}, 0, 7).Build(), "m/a.gguf");
  report.run.date = "2026-11-22T21:45:00Z";
  report.files[0].seconds = 0.25;
  report.files.push_back(ReportOn(FileWithTensor().Build(), "b").files[0]);
  EXPECT_THAT(Written(NewJunitWriter, report), StartsWith(
                                                   R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ggufcheck">
    <testsuite name="m/a.gguf" tests="3" failures="1" errors="0" skipped="1" time="0.250" timestamp="2026-11-22T21:45:00">
        <testcase name="completed" classname="m/a.gguf"/>
        <testcase name="tensor-offset-aligned" classname="m/a.gguf">
            <failure message="1 error" type="tensor-offset-aligned">A tensor's offset shall be a multiple of the alignment.
0x31  tensor[w].offset is 7, not a multiple of 32
repair: )" + Repair("tensor-offset-aligned") +
                                                   R"(</failure>
        </testcase>
        <testcase name="all-rules-checked" classname="m/a.gguf">
            <skipped message="not checked: last-tensor-padded, no-trailing-data: a tensor is misplaced or of unknown )"));
  tinyxml2::XMLDocument xml;
  Read(report, &xml);
}

TEST(JunitTest, OnlyWhatFailsTheFileFailsATest) {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  TestReport report = ReportOn(b.Build(), "a");
  EXPECT_THAT(Written(NewJunitWriter, report), Not(HasSubstr("<failure")));
  EXPECT_THAT(Written(NewJunitWriter, report), HasSubstr("... and 50 more"));
  report.run.fail_on = Severity::kNote;
  EXPECT_THAT(Written(NewJunitWriter, report), HasSubstr("<failure message=\"150 notes\""));
  tinyxml2::XMLDocument xml;
  Read(report, &xml);
}

TEST(JunitTest, ASuiteSaysHowManyFindingsAreKnown) {
  const TestReport report = ReportWithBaseline("r");
  tinyxml2::XMLDocument xml;
  Read(report, &xml);
  EXPECT_STREQ(xml.RootElement()->FirstChildElement()->FirstChildElement("system-out")->GetText(),
               "known: 1 finding in the baseline");
}

TEST(JunitTest, WhatDidNotEndIsAnError) {
  TestReport report;
  report.files.push_back(Unchecked("no such file", *Profile::Find("upload")));
  report.files.back().path = "a";
  report.unfinished = "interrupted";
  tinyxml2::XMLDocument xml;
  Read(report, &xml);
  const XMLElement* suite = xml.RootElement()->FirstChildElement();
  EXPECT_STREQ(suite->FirstChildElement()->FirstChildElement("error")->Attribute("message"),
               "no such file");
  EXPECT_STREQ(
      suite->NextSiblingElement()->FirstChildElement()->FirstChildElement("error")->Attribute(
          "message"),
      "interrupted");
}

TEST(JunitTest, HostileTextStaysText) {
  const TestReport report = HostileReport();
  const std::string text = Written(NewJunitWriter, report);
  ExpectPrintable(text);
  EXPECT_THAT(text, Not(HasSubstr("<b>")));
  tinyxml2::XMLDocument xml;
  Read(report, &xml);
  EXPECT_THAT(xml.RootElement()->FirstChildElement()->Attribute("name"),
              HasSubstr("<b>&]]>[x](//h)"));
}

}  // namespace
}  // namespace gguf
