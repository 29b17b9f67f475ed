// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/judge.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/caps.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

Observation Saw(OutcomeKind kind) {
  Observation seen;
  seen.outcome.kind = kind;
  seen.outcome.detail = "detail";
  return seen;
}

corpus::Case CaseOf(corpus::Verdict verdict, const char* level) {
  corpus::Case a_case;
  a_case.verdict = verdict;
  a_case.level = level;
  return a_case;
}

// One letter for each of L0 to L5.
std::string Letters(const Judgement& judged) {
  std::string letters;
  for (const LevelState state : judged.levels) {
    letters += state == LevelState::kPass   ? 'p'
               : state == LevelState::kFail ? 'f'
                                            : '-';
  }
  return letters;
}

TEST(JudgeTest, VerdictsAgainstCases) {
  using corpus::Verdict;
  const struct {
    Verdict verdict;
    const char* level;
    OutcomeKind outcome;
    const char* result;
    const char* levels;
  } rows[] = {
      {Verdict::kValid, "must", OutcomeKind::kAccept, "pass", "pp----"},
      {Verdict::kValid, "must", OutcomeKind::kReject, "false-reject", "pf----"},
      {Verdict::kValid, "should", OutcomeKind::kReject, "non-strict", "pf----"},
      {Verdict::kValid, "may", OutcomeKind::kReject, "info", "p-----"},
      {Verdict::kValid, "must", OutcomeKind::kSkip, "skip", "p-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kReject, "pass", "pp----"},
      {Verdict::kInvalid, "must", OutcomeKind::kAccept, "false-accept",
       "pf----"},
      {Verdict::kInvalid, "should", OutcomeKind::kAccept, "non-strict",
       "pf----"},
      {Verdict::kInvalid, "may", OutcomeKind::kAccept, "info", "p-----"},
      {Verdict::kEither, "must", OutcomeKind::kAccept, "info", "p-----"},
      {Verdict::kEither, "must", OutcomeKind::kReject, "info", "p-----"},
      {Verdict::kEither, "may", OutcomeKind::kCrash, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kHang, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kExit, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kProtocol, "unsafe", "f-----"},
  };
  for (const auto& row : rows) {
    const Judgement judged =
        Judge(CaseOf(row.verdict, row.level), Caps(), Saw(row.outcome), [] {
          ADD_FAILURE() << "nothing to compare";
          return Answer();
        });
    const std::string what =
        absl::StrCat(VerdictName(row.verdict), " ", row.level, " ", row.result);
    EXPECT_STREQ(InfoOf(judged.result).name, row.result) << what;
    EXPECT_EQ(Letters(judged), row.levels) << what;
    const bool as_it_should = judged.result == CaseResult::kPass ||
                              judged.result == CaseResult::kSkip ||
                              row.verdict == Verdict::kEither;
    EXPECT_EQ(!judged.difference,
              as_it_should && judged.levels[0] != LevelState::kFail)
        << what;
  }
}

TEST(JudgeTest, ContentsOfCorrectlyAcceptedFilesAreCompared) {
  Caps caps;
  caps.kv = caps.tensors = true;
  Answer expected;
  expected.kv = {{"a", "u32 7"}};
  expected.tensors = {{"w", 0, 64, {2, 2}}};
  Observation seen = Saw(OutcomeKind::kAccept);
  seen.answer = expected;
  const corpus::Case valid = CaseOf(corpus::Verdict::kValid, "must");
  const auto answer = [&] { return expected; };
  EXPECT_EQ(Letters(Judge(valid, caps, seen, answer)), "pppp--");

  seen.answer.tensors[0].offset = 32;
  seen.answer.kv[0].value = "u32 8";
  const Judgement judged = Judge(valid, caps, seen, answer);
  EXPECT_EQ(Letters(judged), "ppff--");
  EXPECT_EQ(judged.result, CaseResult::kWrongValues);
  EXPECT_EQ(judged.difference->level, "L2");
  EXPECT_EQ(judged.difference->path, "kv[a]");

  const corpus::Case either = CaseOf(corpus::Verdict::kEither, "must");
  EXPECT_EQ(Letters(Judge(either, caps, seen, answer)), "p-----");
}

TEST(JudgeTest, AFaultOfTheModelNeedsTheCapabilityModels) {
  corpus::Case a_case = CaseOf(corpus::Verdict::kInvalid, "must");
  a_case.scope = "model";
  const auto none = [] { return Answer(); };
  Judgement judged = Judge(a_case, Caps(), Saw(OutcomeKind::kAccept), none);
  EXPECT_EQ(judged.result, CaseResult::kNotTested);
  EXPECT_EQ(Letters(judged), "p-----");
  Caps caps;
  caps.models = true;
  judged = Judge(a_case, caps, Saw(OutcomeKind::kAccept), none);
  EXPECT_EQ(judged.result, CaseResult::kFalseAccept);
}

}  // namespace
}  // namespace gguf::readers
