// Logs are read as they were written, and match their schema.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/run_log.h"

#include <fstream>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/testing/json_schema.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace gguf::readers {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

RunHeader SomeHeader() {
  RunHeader header;
  header.tool = {"ggufcheck", "0.1.0"};
  header.date = "2026-11-21T20:00:00Z";
  header.reader = {"toy", "1.2", {"./toy", "--x"}, {"kv", "data"}, {"untyped"}, "bare", "asan"};
  header.corpus = {2, std::string(64, 'a'), "0.1.0"};
  header.level = "should";
  header.selectors = {"tensors/*"};
  header.shard = {1, 3};
  return header;
}

CaseRecord SomeFailure() {
  CaseRecord record;
  record.id = "tensors/invalid-x";
  record.section = "tensors";
  record.title = "a title";
  record.verdict = "invalid";
  record.level = "may";
  record.importance = "critical";
  record.flags = {"BigEndian"};
  record.outcome = "exit:7";
  record.result = CaseResult::kUnsafe;
  record.levels = {LevelState::kPass, LevelState::kFail};
  record.difference = Difference{"tensor[w].offset", "0", "7", "L3"};
  record.rejection = Rejection{"format", "no"};
  record.stderr_tail = "==1==ERROR";
  record.seconds = 0.25;
  record.peak_kib = 1ull << 40;
  record.expected = "rejected";
  record.known = "issue";
  record.why = "a reason";
  record.text = "title \"x\"\n";
  record.hex = "4747";
  record.hex_offset = 16;
  record.marks = {{17, 1, "tensor-offset-aligned"}};
  record.size = 18;
  record.repro = "ggufcheck readers run";
  return record;
}

RunFooter SomeFooter() { return {false, 1, 2.5, "interrupted"}; }

TEST(RunLogTest, WhatIsWrittenIsRead) {
  const CaseRecord failure = SomeFailure();
  CaseRecord pass;
  pass.id = "a/b";
  const std::string text =
      absl::StrCat(ToLine(SomeHeader()), ToLine(failure), ToLine(pass), ToLine(SomeFooter()));
  const auto log = ReadRunLog(text);
  ASSERT_TRUE(log.ok()) << log.status();
  ASSERT_EQ(log->cases.size(), 2u);
  ASSERT_TRUE(log->footer.has_value());

  // Compares every member, because the lines contain all of them.
  EXPECT_EQ(absl::StrCat(ToLine(log->header), ToLine(log->cases[0]), ToLine(log->cases[1]),
                         ToLine(*log->footer)),
            text);
  EXPECT_EQ(log->header.shard.count, 3u);
  EXPECT_EQ(log->header.reader.mode, "bare");
  EXPECT_EQ(log->cases[0].result, CaseResult::kUnsafe);
  EXPECT_EQ(log->cases[0].levels[1], LevelState::kFail);
  EXPECT_EQ(log->cases[0].difference->observed, "7");
  EXPECT_EQ(log->cases[0].rejection->type, "format");
  EXPECT_EQ(log->cases[0].marks[0].offset, 17u);
  EXPECT_EQ(log->cases[0].peak_kib, 1ull << 40);
  EXPECT_FALSE(log->cases[1].difference.has_value());
  EXPECT_FALSE(log->footer->complete);
  EXPECT_EQ(log->footer->why, "interrupted");
}

TEST(RunLogTest, APassHasNoBytes) {
  CaseRecord record = SomeFailure();
  EXPECT_THAT(ToLine(record), HasSubstr("\"hex\""));
  record.result = CaseResult::kPass;
  EXPECT_THAT(ToLine(record), Not(HasSubstr("\"hex\"")));
}

TEST(RunLogTest, HostileTextStaysInItsString) {
  CaseRecord record;
  record.id = "a/b";
  const std::string safe("\0\x1b[2J\r\n\"}", 9);
  record.stderr_tail = safe + "\xff\xed\xa0\x80\u202e";
  const std::string line = ToLine(record);
  EXPECT_THAT(line, HasSubstr(R"("\u0000\u001b[2J\r\n\"})"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_THAT(line, HasSubstr("\\u202e"));
  const auto log = ReadRunLog(ToLine(SomeHeader()) + line);
  ASSERT_TRUE(log.ok()) << log.status();
  EXPECT_EQ(log->cases[0].stderr_tail, safe + "\ufffd\ufffd\ufffd\ufffd\u202e");
}

TEST(RunLogTest, ATruncatedLogIsReadUpToItsEnd) {
  const std::string one = ToLine(SomeHeader()) + ToLine(SomeFailure());
  for (const std::string& more :
       {std::string(), ToLine(SomeFooter()).substr(0, 20), std::string("{")}) {
    const auto log = ReadRunLog(one + more);
    ASSERT_TRUE(log.ok()) << log.status();
    EXPECT_EQ(log->cases.size(), 1u);
    EXPECT_FALSE(log->footer.has_value());
  }
  // A last line that only lacks its newline is complete.
  std::string whole = one + ToLine(SomeFooter());
  whole.pop_back();
  EXPECT_TRUE(ReadRunLog(whole)->footer.has_value());
}

std::string ErrorOf(const std::string& text) {
  return std::string(ReadRunLog(text).status().message());
}

// Returns the error for a header and a line in which `from` is replaced.
std::string Changed(const std::string& line, const std::string& from, const std::string& to) {
  const std::string changed = absl::StrReplaceAll(line, {{from, to}});
  EXPECT_NE(changed, line) << from;
  return ErrorOf(ToLine(SomeHeader()) + changed);
}

TEST(RunLogTest, ErrorsNameTheLine) {
  const std::string header = ToLine(SomeHeader());
  const std::string failure = ToLine(SomeFailure());
  EXPECT_EQ(ErrorOf(""), "the log is empty");
  EXPECT_EQ(ErrorOf("GGUF"), "line 1: is not a JSON object");
  EXPECT_EQ(ErrorOf("{}"), "line 1: schema is missing");
  EXPECT_EQ(ErrorOf("{\"schema\":\"other/1\"}\n"),
            "line 1: schema is \"other/1\"; expected ggufcheck/run/1");
  EXPECT_EQ(ErrorOf(header + "\n" + failure), "line 2: is not a JSON object");
  EXPECT_EQ(ErrorOf(header + "[1]\n"), "line 2: is not a JSON object");
  EXPECT_EQ(ErrorOf(header + "{}\n"), "line 2: is neither a case nor the footer");
  EXPECT_EQ(ErrorOf(header + ToLine(SomeFooter()) + failure),
            "line 3: unexpected line after the footer");
  EXPECT_EQ(ErrorOf(header + "{\"case\":\"\\ud800\"}\n"), "line 2: is not a JSON object");

  EXPECT_EQ(Changed(failure, R"("seconds":0.25)", R"("seconds":"1")"),
            "line 2: seconds is not a number");
  EXPECT_EQ(Changed(failure, R"("size":18)", R"("size":-1)"),
            "line 2: size is not an unsigned integer");
  EXPECT_EQ(Changed(failure, R"("result":"unsafe")", R"("result":"\u001b")"),
            "line 2: result is \"\\x1b\", which is unknown");
  EXPECT_EQ(Changed(failure, R"("L1":"fail")", R"("L1":1)"), "line 2: levels.L1 is not a string");
  EXPECT_EQ(Changed(failure, R"("offset":17)", R"("offset":null)"),
            "line 2: marks[0].offset is not an unsigned integer");
  EXPECT_EQ(Changed(failure, R"("verdict":"invalid")", R"("verdict":"bad")"),
            "line 2: verdict is \"bad\"; expected valid or invalid or either");
  EXPECT_EQ(Changed(failure, R"("path":"tensor[w].offset",)", ""),
            "line 2: difference.path is missing");
  EXPECT_EQ(Changed(ToLine(SomeFooter()), "false", "0"), "line 2: complete is not true or false");
}

TEST(RunLogTest, UnknownMembersAreIgnored) {
  const std::string more =
      absl::StrReplaceAll(ToLine(SomeFailure()), {{R"("size":18)", R"("size":18,"colour":[{}])"}});
  EXPECT_TRUE(ReadRunLog(ToLine(SomeHeader()) + more).ok());
}

// Returns the schema violations of one line of this kind.
std::vector<std::string> Violations(const char* kind, const json& line) {
  json schema = JsonFile("conformance/report/schemas/run.schema.json");
  schema["$ref"] = absl::StrCat("#/$defs/", kind);
  return SchemaViolations(schema, line);
}

TEST(RunLogTest, TheSchemaDescribesEachLine) {
  EXPECT_THAT(Violations("header", json::parse(ToLine(SomeHeader()))), IsEmpty());
  EXPECT_THAT(Violations("header", json::parse(ToLine(RunHeader()))),
              testing::SizeIs(3));  // Name, version and date are malformed.
  EXPECT_THAT(Violations("footer", json::parse(ToLine(SomeFooter()))), IsEmpty());
  EXPECT_THAT(Violations("case", json::parse(ToLine(SomeFailure()))), IsEmpty());
  CaseRecord record = SomeFailure();
  for (const CaseResultInfo& info : CaseResults()) {
    record.result = info.result;
    record.difference.reset();
    record.rejection.reset();
    record.known.reset();
    EXPECT_THAT(Violations("case", json::parse(ToLine(record))), IsEmpty()) << info.name;
  }
}

TEST(RunLogTest, TheSchemaRejectsWrongLines) {
  const struct {
    const char* change;  // A JSON patch.
    const char* violation;
  } cases[] = {
      {R"({"op":"remove","path":"/outcome"})", ": Missing required property 'outcome'."},
      {R"({"op":"add","path":"/colour","value":1})",
       ": Object contains a property that could not be validated using "
       "'properties' or 'additionalProperties' constraints: 'colour'."},
      {R"({"op":"replace","path":"/outcome","value":"exit"})",
       "/outcome: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"replace","path":"/result","value":"ok"})",
       "/result: Failed to match against any enum values."},
      {R"({"op":"replace","path":"/levels/L0","value":"no"})",
       "/levels/L0: Failed to match against any enum values."},
      {R"({"op":"replace","path":"/hex","value":"4"})",
       "/hex: Failed to match regex specified by 'pattern' constraint."},
      {R"({"op":"replace","path":"/difference/level","value":"L6"})",
       "/difference/level: Failed to match against any enum values."},
  };
  const json line = json::parse(ToLine(SomeFailure()));
  for (const auto& [change, violation] : cases) {
    const json changed = line.patch(json::array({json::parse(change)}));
    EXPECT_THAT(Violations("case", changed), ElementsAre(violation)) << change;
  }
}

RunLog LogAt(const std::string& path) {
  std::ifstream file(path);
  return ReadRunLog(std::string(std::istreambuf_iterator<char>(file), {})).value();
}

CaseRecord Case(const char* id) {
  CaseRecord record;
  record.id = id;
  return record;
}

TEST(LogFileTest, GrowsAndIsReplacedByTheWholeLog) {
  const std::string path = testing::TempDir() + "/log";
  auto file = LogFile::Create(path, {}).value();
  EXPECT_FALSE(std::ifstream(path).is_open());
  RunLog log;
  ASSERT_TRUE(file->Begin(log.header).ok());
  EXPECT_EQ(LogAt(path).cases.size(), 0u);
  file->Add(Case("b/b"));
  file->Add(Case("a/a"));
  const RunLog growing = LogAt(path);
  ASSERT_EQ(growing.cases.size(), 2u);
  EXPECT_EQ(growing.cases[0].id, "b/b");
  EXPECT_FALSE(growing.footer.has_value());

  log.cases = {Case("a/a"), Case("b/b"), Case("c/c")};
  log.footer = RunFooter{true, 3, 1, ""};
  ASSERT_TRUE(file->Finish(log).ok());
  EXPECT_EQ(LogAt(path).cases.size(), 3u);
  EXPECT_EQ(LogAt(path).cases[0].id, "a/a");
  EXPECT_TRUE(LogAt(path).footer.has_value());
}

TEST(LogFileTest, WhatWasWrittenStaysWithoutFinish) {
  const std::string path = testing::TempDir() + "/killed";
  std::ofstream(path) << "an older log";
  auto file = LogFile::Create(path, {}).value();
  ASSERT_TRUE(file->Begin({}).ok());
  file->Add(Case("a/a"));
  file.reset();
  EXPECT_EQ(LogAt(path).cases.size(), 1u);
}

TEST(LogFileTest, ADeviceGetsOnlyTheWholeLog) {
  auto file = LogFile::Create("/dev/full", {}).value();
  RunLog log;
  ASSERT_TRUE(file->Begin(log.header).ok());
  file->Add(Case("a/a"));
  EXPECT_EQ(file->Finish(log).message(), "cannot write /dev/full: No space left on device");
}

TEST(LogFileTest, AnInputIsRefused) {
  const std::string path = testing::TempDir() + "/input";
  std::ofstream(path) << "x";
  InputFiles inputs;
  inputs.Add(path, "a case");
  EXPECT_FALSE(LogFile::Create(path, inputs).ok());
}

}  // namespace

}  // namespace gguf::readers
