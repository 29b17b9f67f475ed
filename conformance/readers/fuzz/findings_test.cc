// Reports on fuzzing runs, in all formats.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/findings.h"

#include <string>

#include "conformance/testing/json_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tinyxml2.h"

namespace gguf::readers {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kHostile[] = "</script><b>\x1b[31m\r\n::error::]]>\xff{0}";

FuzzReport Sample() {
  FuzzReport report;
  report.tool = {"ggufcheck", "1"};
  report.reader.name = kHostile;
  report.executions = 12;
  FuzzGroup hang;
  hang.kind = "hang";
  hang.verdict = "invalid";
  hang.rejected_by = {"safety"};
  hang.rules = {"file-complete"};
  hang.signature = "hang||file-complete";
  hang.hex = "47475546";
  hang.size = 4;
  FuzzGroup crash;
  crash.kind = "crash";
  for (std::string* text : {&crash.message, &crash.text, &crash.output, &crash.reproduce,
                            &crash.signature, &crash.file}) {
    *text = kHostile;
  }
  crash.frames = {kHostile};
  report.groups = {hang, crash};
  SortGroups(&report.groups);
  return report;
}

TEST(FindingsTest, TheWorstComeFirst) { EXPECT_EQ(Sample().groups[0].kind, "crash"); }

TEST(FindingsTest, VerdictsInWords) {
  const FuzzReport report = Sample();
  EXPECT_EQ(VerdictWords(report.groups[0]), "crashes on a file that is valid");
  EXPECT_EQ(VerdictWords(report.groups[1]),
            "gives no verdict in time on a file that safety rejects by file-complete");
  FuzzGroup reject;
  reject.kind = "false-reject";
  EXPECT_EQ(VerdictWords(reject), "rejects the file, which is valid");
}

TEST(FindingsTest, JsonConformsToItsSchemaAndIsReadAgain) {
  const std::string text = FuzzJson(Sample());
  EXPECT_THAT(
      SchemaViolations(JsonFile("conformance/report/schemas/fuzz.schema.json"), json::parse(text)),
      IsEmpty());
  const auto again = ReadFuzzReport(text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FuzzJson(*again), text);
  for (const char* bad : {"", "[]", "{}", "{\"schema\":\"ggufcheck/run/1\"}", "{\"groups\":[1]}"}) {
    EXPECT_FALSE(ReadFuzzReport(bad).ok()) << bad;
  }
}

TEST(FindingsTest, NoFormatShowsControlCharactersOrMarkup) {
  const FuzzReport report = Sample();
  for (const std::string& text : {FuzzText(report, {}), FuzzJson(report), FuzzJunit(report),
                                  FuzzSarif(report), FuzzHtml(report)}) {
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    EXPECT_THAT(text, Not(HasSubstr("\n::error")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
  }
  EXPECT_THAT(FuzzHtml(report), Not(HasSubstr("</script>")));
}

TEST(FindingsTest, JunitIsXmlWithACaseForEachGroup) {
  tinyxml2::XMLDocument document;
  ASSERT_EQ(document.Parse(FuzzJunit(Sample()).c_str()), tinyxml2::XML_SUCCESS);
  const auto* suite = document.RootElement()->FirstChildElement();
  EXPECT_STREQ(suite->Attribute("tests"), "2");
  EXPECT_STREQ(suite->Attribute("failures"), "2");
}

TEST(FindingsTest, SarifHasAResultForEachGroup) {
  const json run = json::parse(FuzzSarif(Sample()))["runs"][0];
  EXPECT_EQ(run["results"].size(), 2u);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["id"], "crash");
  EXPECT_EQ(run["results"][0]["ruleId"], "crash");
}

TEST(FindingsTest, ARunWithoutFindings) {
  const FuzzReport report;
  EXPECT_THAT(FuzzText(report, {}), HasSubstr("nothing found"));
  EXPECT_THAT(FuzzHtml(report), HasSubstr("None."));
  EXPECT_THAT(FuzzJunit(report), HasSubstr("tests=\"1\""));
}

}  // namespace
}  // namespace gguf::readers
