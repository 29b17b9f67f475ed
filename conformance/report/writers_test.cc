// Tests each writer on a small file and on a hostile one.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/writers.h"

#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/base/project.h"
#include "conformance/report/dump.h"
#include "conformance/report/json.h"
#include "conformance/report/text.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/readers.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/written.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using std::string_literals::operator""s;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string Text(const TestReport& report) {
  return Written(
      [](const Run& run, std::ostream& out) { return NewTextWriter(run, TextStyle{}, out); },
      report);
}

std::string JsonOf(const TestReport& report) { return Written(NewJsonWriter, report); }

TEST(WritersTest, HostileTextReachesNoOutputRaw) {
  TestReport report = HostileReport();
  report.files[0].readers = JudgeReaders(report.files[0]);
  ExpectPrintable(Text(report));
  EXPECT_THAT(Text(report), Not(HasSubstr("\n::")));
  EXPECT_THAT(Text(report), HasSubstr("kv[tokenizer.chat_template]"));
  const TestReport known = ReportWithBaseline(kHostile);
  ExpectPrintable(Text(known));
  EXPECT_THAT(Text(known), Not(HasSubstr("\n::")));
  for (const ReportFormat& format : kReportFormats) {
    SCOPED_TRACE(format.name);
    ExpectPrintable(Written(format.make, report));
    ExpectPrintable(Written(format.make, known));
  }

  const std::string bytes =
      GgufBuilder().String(kHostile, kHostile).Tensor(kHostile, {2}, 0).Build();
  std::ostringstream dump;
  Diagnostics found(1);
  WriteDump(Parse({AsBytes(bytes), kHostile}, Limits(), &found), dump);
  ExpectPrintable(dump.str());
  EXPECT_EQ(nlohmann::json::parse(dump.str())["kv"][0]["value"], kHostile);
}

TEST(WritersTest, WhatIsKnownIsSaidApart) {
  const TestReport report = ReportWithBaseline("r");
  const std::string text = Text(report);
  EXPECT_THAT(text, HasSubstr("\n  known: 1 finding in the baseline\n"));
  EXPECT_THAT(text, EndsWith("\ncompared with: r\nconfiguration: ../r\n"));
  const auto json = nlohmann::json::parse(JsonOf(report));
  EXPECT_EQ(json["config"], "../r");
  const auto& file = json["files"][0];
  EXPECT_EQ(file["known"][0]["finding"], file["findings"][0]);
  EXPECT_EQ(file["known"][0]["reason"], "r");
  EXPECT_EQ(json["baseline"]["known"], 1);
  const nlohmann::json line = {
      {"file", "r"}, {"rule", "key-unique"}, {"subject", "r"}, {"reason", "r"}};
  EXPECT_EQ(json["baseline"]["stale"][0], line);
  EXPECT_EQ(json["baseline"]["refused"][0], line);

  const auto plain = nlohmann::json::parse(JsonOf(ReportOn("GGUF", "a")));
  EXPECT_EQ(plain["config"], nullptr);
  EXPECT_EQ(plain.count("baseline") + plain["files"][0].count("known"), 0u);
}

TEST(WritersTest, WhatFilesWereComparedWithIsNamed) {
  TestReport report = ReportOn("GGUF", "a");
  for (const auto writer : {NewJsonWriter, NewMarkdownWriter, NewSarifWriter}) {
    EXPECT_THAT(Written(writer, report), Not(HasSubstr("compared")));
  }
  EXPECT_THAT(Text(report), Not(HasSubstr("compared")));
  report.run.compared_with = "a\xFF-F16.gguf";
  EXPECT_THAT(Text(report), EndsWith("\ncompared with: a\\xff-F16.gguf\n"));
  EXPECT_THAT(Written(NewMarkdownWriter, report),
              HasSubstr(", compared with ` a\\xff-F16.gguf `.\n"));
  EXPECT_THAT(Written(NewHtmlWriter, report), HasSubstr(", compared with a\\xff-F16.gguf<"));
  EXPECT_THAT(Written(NewSarifWriter, report),
              HasSubstr("\"comparedWith\": \"a\\\\xff-F16.gguf\""));
  const auto json = nlohmann::json::parse(JsonOf(report));
  EXPECT_EQ(json["compared_with"], "a\\xff-F16.gguf");
  EXPECT_EQ(json["compared_with_hex"], "61ff2d4631362e67677566");
}

TEST(WritersTest, ReadersAreATableUnderTheirFile) {
  const std::string bytes = PlainFile().Tensor("w", {32}, 0, 7).Tensor("v", {256}, 16).Build();
  TestReport report = ReportOn(bytes, "a.gguf");
  EXPECT_THAT(Text(report), Not(HasSubstr("readers")));
  report.files[0].readers = JudgeReaders(report.files[0]);
  const std::string text = Text(report);
  EXPECT_THAT(text, HasSubstr("\n  readers\n"));
  EXPECT_THAT(text, HasSubstr("\n    rejects   ggml: tensor[w].offset is 7, not a multiple of 32 "
                              "[tensor-offset-aligned]"));
  EXPECT_THAT(text, HasSubstr("\n    accepts   @huggingface/gguf\n"));
  EXPECT_THAT(text, HasSubstr("candle: types: IQ2_XXS"));
  EXPECT_THAT(text, HasSubstr("\nrefused by: "));
  EXPECT_THAT(text, HasSubstr("ggml (1 file)"));
  EXPECT_THAT(text, Not(HasSubstr("@huggingface/gguf (1 file)")));
}

TEST(WritersTest, TheRepairFollowsTheFirstFindingOfARule) {
  const TestReport report =
      ReportOn(GgufBuilder().Tensor("v", {32}, 0, 7).Tensor("w", {32}, 0, 9).Build(), "a.gguf");
  EXPECT_THAT(Text(report), HasSubstr("repair: "));
  const std::string terminal = Written(
      [](const gguf::Run& run, std::ostream& out) {
        return NewTextWriter(run, TextStyle{false, 1000}, out);
      },
      report);
  const std::string repair =
      absl::StrCat("\n        repair: ", FindRule("tensor-offset-aligned")->repair,
                   " ggufcheck fix repairs this.\n");
  const size_t first = terminal.find(repair);
  ASSERT_NE(first, std::string::npos) << terminal;
  EXPECT_EQ(terminal.find(repair, first + 1), std::string::npos);
}

TEST(WritersTest, OnATerminalAComparisonFitsAScreen) {
  TestReport report = ReportOn(GgufBuilder().Build(), "model-Q4_K_M.gguf");
  FileReport& file = report.files[0];
  file.not_checked.clear();
  for (int i = 0; i < 100; ++i) {
    Finding finding = {Severity::kError, {}};
    finding.diagnostic.rule = FindRule("compare-error-in-bound");
    finding.diagnostic.subject = "tensor[blk.31.attn_output.weight].data";
    finding.diagnostic.message =
        "is unlike the base: the error is 1.414 times the root mean square of "
        "the base, and the cosine is -0.005868; from F16, Q4_K loses at most "
        "0.0935";
    file.findings.push_back(finding);
    ComparedTensor tensor;
    tensor.name = "blk.31.attn_output.weight";
    tensor.type = "Q4_K";
    tensor.origin_type = "F16";
    tensor.result = ComparedTensor::kError;
    tensor.rmse = 1.414;
    file.compared.push_back(tensor);
  }
  file.counts.error = file.findings.size();
  const std::string text = Written(
      [](const gguf::Run& run, std::ostream& out) {
        return NewTextWriter(run, TextStyle{false, 80}, out);
      },
      report);
  EXPECT_THAT(text, HasSubstr("...  and 99 more  [compare-error-in-bound]"));
  EXPECT_THAT(text, HasSubstr("\n    blk.31.attn_output.weight  error "));
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  EXPECT_LE(lines.size(), 24u) << text;
  for (const std::string& line : lines) EXPECT_LE(line.size(), 80u) << line;
  // A finding is one line of a log.
  EXPECT_THAT(Text(report), HasSubstr("...  and 97 more"));
}

TEST(WritersTest, TheJsonReportHasTheMembersOfItsSchema) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0, 7).Build();
  const auto json = nlohmann::json::parse(JsonOf(ReportOn(bytes, "a.gguf")));
  EXPECT_EQ(json["schema"], "ggufcheck/report/1");
  EXPECT_EQ(json["tool"]["name"], "ggufcheck");
  EXPECT_EQ(json["profile"], "upload");
  const auto& file = json["files"][0];
  EXPECT_EQ(file["path"], "a.gguf");
  EXPECT_EQ(file["size"], bytes.size());
  EXPECT_EQ(file["format"], "gguf");
  EXPECT_EQ(file["version"], 3);
  EXPECT_EQ(file["endian"], "little");
  EXPECT_EQ(file["result"], "fail");
  EXPECT_EQ(file["counts"], nlohmann::json::parse(R"({"error":1,"warning":0,"note":0})"));
  const auto expected = nlohmann::json::parse(R"([{
      "rule": "tensor-offset-aligned", "severity": "error",
      "subject": "tensor[w].offset", "offset": 49, "length": 8,
      "message": "is 7, not a multiple of 32",
      "args": {"offset": "7", "alignment": "32"}}])");
  auto findings = file["findings"];
  const Rule& rule = *FindRule("tensor-offset-aligned");
  EXPECT_EQ(findings[0]["summary"], rule.summary);
  EXPECT_EQ(findings[0]["repair"], rule.repair);
  EXPECT_EQ(findings[0].value("url", ""), RuleUrl(rule.id));
  for (const char* name : {"summary", "repair", "fix", "url"}) findings[0].erase(name);
  EXPECT_EQ(findings, expected);
  // Also excludes the five about weights.
  EXPECT_EQ(file["not_checked"].size(), 7u);
  EXPECT_EQ(file["not_checked"][0]["rule"], "last-tensor-padded");
}

TEST(WritersTest, VulnerabilitiesOfTheClassOfAFindingAreNamed) {
  std::string bytes = GgufBuilder().Tensor("w", {32}, 0).Build();
  bytes.pop_back();
  TestReport report = ReportOn(bytes, "a.gguf");
  const std::string records = "CVE-2026-7482 (ollama)";
  const auto writers = {NewSarifWriter, NewJunitWriter, NewMarkdownWriter, NewGithubWriter};
  for (const auto writer : writers) EXPECT_THAT(Written(writer, report), Not(HasSubstr(records)));
  EXPECT_THAT(Text(report), Not(HasSubstr(records)));
  report.run.profile = "safety";
  for (const auto writer : writers) EXPECT_THAT(Written(writer, report), HasSubstr(records));
  const auto json = nlohmann::json::parse(JsonOf(report));
  const auto& finding = json["files"][0]["findings"][0];
  EXPECT_EQ(finding["rule"], "tensor-data-in-file");
  EXPECT_EQ(finding["vulnerabilities"], records);
}

TEST(WritersTest, PathsThatAreNotUtf8AreEscapedAndGivenInHex) {
  const auto json = nlohmann::json::parse(JsonOf(ReportOn("GGUF", "a\xFF.gguf")));
  EXPECT_EQ(json["files"][0]["path"], "a\\xff.gguf");
  EXPECT_EQ(json["files"][0]["path_hex"], "61ff2e67677566");
}

TEST(WritersTest, UnknownFilesHaveNullsAndEveryRuleNotChecked) {
  const auto json = nlohmann::json::parse(JsonOf(ReportOn("<html>", "-")));
  const auto& file = json["files"][0];
  EXPECT_EQ(file["format"], "unknown");
  EXPECT_TRUE(file["version"].is_null());
  EXPECT_TRUE(file["endian"].is_null());
  EXPECT_GT(file["not_checked"].size(), 30u);
}

TEST(WritersTest, FindingsThatWereNotKeptAreCounted) {
  GgufBuilder b;
  for (int i = 0; i < 150; ++i) b.U32("nodot" + std::to_string(i), 1);
  const TestReport report = ReportOn(b.Build(), "a.gguf");
  const auto json = nlohmann::json::parse(JsonOf(report));
  const auto& file = json["files"][0];
  EXPECT_EQ(file["counts"]["note"], 150);
  EXPECT_EQ(file["findings"].size(), 100u);
  EXPECT_EQ(file["more"][0]["rule"], "key-namespaced");
  EXPECT_EQ(file["more"][0]["count"], 50);
  EXPECT_THAT(Text(report), HasSubstr("...  and 50 more  [key-namespaced]"));
}

TEST(WritersTest, TheTextReportSaysWhatWhereAndWhatNext) {
  const std::string bytes = GgufBuilder().Tensor("w", {32}, 0, 7).Build();
  EXPECT_EQ(Text(ReportOn(bytes, "a.gguf")),
            "FAIL  a.gguf  (GGUF v3, little endian, 1 tensor, 0 keys, 224 bytes)\n"
            "  1 error\n    0x31  tensor[w].offset is 7, not a "
            "multiple of 32  [tensor-offset-aligned]\n        A tensor's offset "
            "shall be a multiple of the alignment.\n        repair: Lay the data out again, "
            "with each tensor padded to the alignment. ggufcheck fix repairs this.\n  not checked: "
            "last-tensor-padded, no-trailing-data (all: a tensor is misplaced or of "
            "unknown size, so the end of the data is unknown)\n  learn more: "
            "ggufcheck explain tensor-offset-aligned\n  fix: 1 finding: ggufcheck fix "
            "a.gguf --output NEW\nnot checked: the weights of tensors; use "
            "--weights\n");
}

TEST(WritersTest, SeveralFilesHaveASumAndAnUnfinishedRunSaysSo) {
  TestReport report = ReportOn(FileWithTensor().Build(), "a.gguf");
  report.files.push_back(report.files[0]);
  EXPECT_THAT(Text(report),
              EndsWith("\n2 files: 2 pass, 0 fail, 0 incomplete; 0 errors, 0 warnings, 0 "
                       "notes\nnot checked: the weights of tensors; use --weights\n"));
  report.unfinished = "interrupted";
  EXPECT_THAT(Text(report), HasSubstr(" notes\nINCOMPLETE  interrupted\n"));
}

TEST(WritersTest, LinesOfJsonAreWhatTheDocumentHas) {
  TestReport report = ReportOn(GgufBuilder().Build(), "a.gguf");
  report.files.push_back(report.files[0]);
  report.unfinished = "interrupted";
  const auto document = nlohmann::json::parse(JsonOf(report));
  std::vector<nlohmann::json> lines;
  for (const absl::string_view line : absl::StrSplit(Written(NewJsonLinesWriter, report), '\n')) {
    if (!line.empty()) lines.push_back(nlohmann::json::parse(line));
  }
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["record"], "run");
  EXPECT_EQ(lines[0]["schema"], "ggufcheck/report-lines/1");
  EXPECT_EQ(lines[0]["profile"], document["profile"]);
  nlohmann::json file = lines[2];
  EXPECT_EQ(file["record"], "file");
  file.erase("record");
  EXPECT_EQ(file, document["files"][1]);
  EXPECT_EQ(lines[3]["record"], "end");
  EXPECT_EQ(lines[3]["complete"], false);
  EXPECT_EQ(lines[3]["unfinished"], "interrupted");
  EXPECT_EQ(lines[3]["results"], document["results"]);
}

TEST(WritersTest, TheDumpHasEveryKindOfValue) {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  b.Key("x.nan", 6, ByteWriter().U32(0x7fc12345));
  b.Key("x.f64", 12, ByteWriter().U64(0x3FB999999999999A));
  b.Key("x.i8", 1, ByteWriter().U8(0xFE));
  b.Key("x.i64", 11, ByteWriter().U64(uint64_t{1} << 63));
  b.Key("x.u64", 10, ByteWriter().U64(~uint64_t{0}));
  b.Key("x.true", 7, ByteWriter().U8(1)).Key("x.odd", 7, ByteWriter().U8(2));
  b.Key("x.s", 8, ByteWriter().String("\xFF\xFE\0a"s));
  b.Key("x.nest", 9, ByteWriter().U32(9).U64(2).U32(4).U64(1).U32(7).U32(4).U64(0));
  b.Key("x.fs", 9, ByteWriter().U32(6).U64(2).U32(0x3F800000).U32(0));
  b.Key("x.none", 9, ByteWriter().U32(6).U64(0));
  b.Key("x.ss", 9, ByteWriter().U32(8).U64(2).String("a").String("\xFF"));
  b.Tensor("w", {2, 2}, 0).Tensor("u", {1, 1, 1, 1, 3}, 0x7FFFFFFF);
  const std::string bytes = b.Build();
  std::ostringstream dump;
  Diagnostics found(1);
  WriteDump(Parse({AsBytes(bytes), "Mixtral-8x7B-v0.1-KQ2.gguf"}, Limits(), &found), dump);
  EXPECT_EQ(nlohmann::json::parse(dump.str()), nlohmann::json::parse(R"({
    "format":"gguf","version":"3","endian":"little","alignment":"32","kv":[
    {"key":"general.architecture","type":"str","value":"llama"},
    {"key":"x.nan","type":"f32","bits":"7fc12345","value":"nan"},
    {"key":"x.f64","type":"f64","bits":"3fb999999999999a","value":"0.1"},
    {"key":"x.i8","type":"i8","value":"-2"},
    {"key":"x.i64","type":"i64","value":"-9223372036854775808"},
    {"key":"x.u64","type":"u64","value":"18446744073709551615"},
    {"key":"x.true","type":"bool","value":true},
    {"key":"x.odd","type":"bool","value":"2"},
    {"key":"x.s","type":"str","hex":"fffe0061"},
    {"key":"x.nest","type":"arr","elem":"arr","value":[
        {"elem":"u32","value":["7"]},{"elem":"u32","value":[]}]},
    {"key":"x.fs","type":"arr","elem":"f32","bits":["3f800000","00000000"],
        "value":["1","0"]},
    {"key":"x.none","type":"arr","elem":"f32","bits":[],"value":[]},
    {"key":"x.ss","type":"arr","elem":"str","value":["a",{"hex":"ff"}]}],
    "tensors":[
    {"name":"w","type":"F32","dims":["2","2"],"offset":"0","size":"16"},
    {"name":"u","type":"2147483647","dims":["1","1","1","1","3"],"offset":"32",
        "size":null}],
    "file_name":{"BaseName":"Mixtral","SizeLabel":"8x7B","Version":"v0.1",
        "Encoding":"KQ2"}})"));
}

TEST(WritersTest, ABrokenFileIsDumpedAsFarAsItGoes) {
  GgufBuilder b;
  b.U32("k.a", 1).Key("k.b", 13, ByteWriter().U64(0));
  std::ostringstream dump;
  Diagnostics found(1);
  const std::string bytes = b.Build();
  WriteDump(Parse(AsBytes(bytes), Limits(), &found), dump);
  const auto json = nlohmann::json::parse(dump.str());
  EXPECT_EQ(json["incomplete"], true);
  EXPECT_EQ(json["kv"].size(), 1u);
  EXPECT_EQ(json["tensors"].size(), 0u);
  EXPECT_TRUE(json["file_name"].is_null());
}

}  // namespace
}  // namespace gguf
