// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/runner.h"

#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/readers/run/cases.h"
#include "corpus/language/case.h"
#include "corpus/testing/temp_corpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunnerTest : public testing::Test {
 protected:
  void Add(absl::string_view id) {
    corpus_.AddCase(id, absl::StrCat("title \"", id,
                                     "\"\nflags A\ngguf 3\n=== expect\n"
                                     "upload 0x0+4 error header-magic\n"));
  }

  RunOptions Options(const char* behaviour) {
    RunOptions options;
    options.reader.command = {"conformance/readers/testing/toy_adapter", behaviour};
    options.reader.sanitizer = "asan";  // The toy adapter may be built with one.
    options.cases = corpus_.cases();
    options.limits.time = absl::Seconds(60);
    return options;
  }

  RunResult Run(const RunOptions& options) {
    const auto ids = corpus::ListCases(corpus_.cases()).value();
    return RunCases(options, SelectCases({}, corpus_.cases(), ids).value());
  }

  // "name outcome result" of each record.
  std::vector<std::string> Lines(const RunResult& result) {
    std::vector<std::string> lines;
    for (const CaseRecord& record : result.records) {
      lines.push_back(absl::StrCat(record.id.substr(record.id.find('/') + 1), " ", record.outcome,
                                   " ", InfoOf(record.result).name));
    }
    return lines;
  }

  std::vector<std::string> RunWith(const char* behaviour) {
    const RunResult result = Run(Options(behaviour));
    EXPECT_EQ(result.incomplete, "");
    return Lines(result);
  }

  void AddThree() {
    for (const char* id : {"header/valid-a", "header/valid-b-bad", "header/valid-c"}) {
      Add(id);
    }
  }

  corpus::TempCorpus corpus_;
};

TEST_F(RunnerTest, ResultsByVerdict) {
  Add("header/either-a");
  Add("header/invalid-b");
  Add("header/valid-c");
  EXPECT_THAT(RunWith("good"), ElementsAre("either-a accept info", "invalid-b accept false-accept",
                                           "valid-c accept pass"));
}

TEST_F(RunnerTest, AnUnsafeOutcomeAffectsOnlyItsCase) {
  AddThree();
  EXPECT_THAT(RunWith("crash"), ElementsAre("valid-a accept pass", "valid-b-bad crash unsafe",
                                            "valid-c accept pass"));
  EXPECT_THAT(
      RunWith("two-verdicts"),
      ElementsAre("valid-a accept pass", "valid-b-bad protocol unsafe", "valid-c accept pass"));
}

TEST_F(RunnerTest, AnAnswerThatDependsOnEarlierFilesIsUnstable) {
  AddThree();
  const RunResult result = Run(Options("bleed"));
  EXPECT_THAT(Lines(result), ElementsAre("valid-a accept pass", "valid-b-bad reject false-reject",
                                         "valid-c unstable unsafe"));
  EXPECT_EQ(result.records[2].difference->observed,
            "first reject (false-reject), then accept (pass)");
}

TEST_F(RunnerTest, TroubleAfterAVerdictCountsForItsOwnCase) {
  AddThree();
  Add("header/valid-d");
  const auto blamed = [](const char* outcome) {
    return ElementsAre("valid-a accept pass", absl::StrCat("valid-b-bad ", outcome, " unsafe"),
                       "valid-c accept pass", "valid-d accept pass");
  };
  EXPECT_THAT(RunWith("late-reject"), blamed("protocol"));
  EXPECT_THAT(RunWith("late-at-end"), blamed("protocol"));
  EXPECT_THAT(RunWith("crash-late"), blamed("crash"));
}

TEST_F(RunnerTest, AHangThatDoesNotRepeatIsForgiven) {
  AddThree();
  RunOptions options = Options("hang-later");
  options.limits.time = absl::Seconds(1);
  EXPECT_THAT(Lines(Run(options)),
              ElementsAre("valid-a accept pass", "valid-b-bad accept pass", "valid-c accept pass"));
}

TEST_F(RunnerTest, OnlySomeHangsAreTriedAgain) {
  constexpr int kCases = kMostHangsAgain + 2;
  for (int i = 0; i < kCases; ++i) Add(absl::StrCat("header/valid-bad-", i));
  RunOptions options = Options("hang");
  options.limits.time = absl::Milliseconds(20);
  size_t read = 0;
  options.progress = [&](size_t done) { read = done; };
  const RunResult result = Run(options);
  EXPECT_EQ(read, kCases + kMostHangsAgain);
  for (const CaseRecord& record : result.records) {
    EXPECT_EQ(record.outcome, "hang");
  }
}

TEST_F(RunnerTest, ParallelRunsKeepTheOrder) {
  for (int i = 10; i < 40; ++i) Add(absl::StrCat("header/valid-", i));
  Add("header/valid-20-bad");
  RunOptions options = Options("crash");
  const std::vector<std::string> one = Lines(Run(options));
  options.jobs = 4;
  EXPECT_EQ(Lines(Run(options)), one);
  EXPECT_EQ(one.size(), 31u);
}

TEST_F(RunnerTest, ACaseThatDoesNotPassHasItsEvidence) {
  Add("header/invalid-b");
  Add("header/valid-c");
  const RunResult result = Run(Options("good"));
  const CaseRecord& failed = result.records[0];
  EXPECT_THAT(failed.text, HasSubstr("title \"header/invalid-b\""));
  EXPECT_EQ(failed.size, 24u);
  EXPECT_EQ(failed.hex.substr(0, 16), "4747554603000000");
  ASSERT_EQ(failed.marks.size(), 1u);
  EXPECT_EQ(failed.marks[0].rule, "header-magic");
  EXPECT_EQ(failed.repro,
            "ggufcheck readers run --cmd 'conformance/readers/testing/"
            "toy_adapter good' --sanitizer asan header/invalid-b");
  EXPECT_EQ(failed.expected, "rejects the file");
  EXPECT_EQ(result.records[1].text, "");
}

TEST_F(RunnerTest, ShardsAreWrittenNextToEachOther) {
  const auto add = [&](const char* id, const char* name, const char* other) {
    corpus_.AddCase(id, absl::StrCat("title \"x\"\nfile_name \"", name, "\"\nset \"", other,
                                     "\"\ngguf 3\n=== expect\nupload none\n"));
  };
  add("shards/valid-1", "m-00001-of-00002.gguf", "shards/valid-2");
  add("shards/valid-2", "m-00002-of-00002.gguf", "shards/valid-1");
  RunOptions options = Options("");
  options.reader.command = {
      "sh", "-c", R"(cd "${1%/*}" && test -f m-00001-of-00002.gguf -a -f m-00002-of-00002.gguf)",
      "sh", "{path}"};
  EXPECT_THAT(Lines(Run(options)), ElementsAre("valid-1 accept pass", "valid-2 accept pass"));
}

// Trouble with the temporary folder is not the reader's.
TEST_F(RunnerTest, FilesThatCannotBeWrittenEndTheRun) {
  AddThree();
  const char* const before = getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  const std::pair<std::string, const char*> kFolders[] = {
      {corpus_.root() + "/none", "the temporary folder (TMPDIR) cannot be used: "},
      {corpus_.root() + "/README.md", "the temporary folder (TMPDIR) cannot be used: "},
      {"/proc", "cannot make the folder /proc/ggufcheck-readers-"}};
  for (const auto& [folder, why] : kFolders) {
    setenv("TMPDIR", folder.c_str(), 1);
    for (const bool bare : {false, true}) {
      RunOptions options = Options("good");
      if (bare) options.reader.command = {"test", "-f", "{path}"};
      const RunResult result = Run(options);
      EXPECT_THAT(result.incomplete, testing::StartsWith(why)) << folder;
      EXPECT_THAT(Lines(result), testing::IsEmpty());
    }
  }
  if (before != nullptr) {
    setenv("TMPDIR", old.c_str(), 1);
  } else {
    unsetenv("TMPDIR");
  }
}

TEST_F(RunnerTest, AnIncompleteRunGivesTheReason) {
  AddThree();
  RunOptions options = Options("good");
  options.reader.command = {"no-such-program"};
  RunResult result = Run(options);
  EXPECT_THAT(result.incomplete, HasSubstr("cannot run no-such-program"));
  EXPECT_EQ(result.records.size(), 0u);

  options = Options("good");
  size_t read = 0;
  options.progress = [&](size_t done) { read = done; };
  options.limits.interrupted = [&] { return read == 2; };
  result = Run(options);
  EXPECT_EQ(result.incomplete, "interrupted");
  EXPECT_EQ(result.records.size(), 2u);

  options = Options("hang");
  options.limits.time = absl::Hours(1);
  std::vector<std::string> first;
  options.first = [&](const CaseRecord& record) { first.push_back(record.id); };
  options.limits.interrupted = [&] { return !first.empty(); };
  result = Run(options);
  EXPECT_EQ(result.incomplete, "interrupted");
  EXPECT_THAT(first, ElementsAre("header/valid-a"));
  EXPECT_THAT(Lines(result), ElementsAre("valid-a accept pass"));
}

}  // namespace
}  // namespace gguf::readers
