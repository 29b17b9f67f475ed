// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/judge.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/protocol.h"
#include "corpus/language/case.h"
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
std::string Letters(const CaseRecord& judged) {
  std::string letters;
  for (const LevelState state : judged.levels) {
    letters += state == LevelState::kPass ? 'p' : state == LevelState::kFail ? 'f' : '-';
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
      {Verdict::kInvalid, "must", OutcomeKind::kAccept, "false-accept", "pf----"},
      {Verdict::kInvalid, "should", OutcomeKind::kAccept, "non-strict", "pf----"},
      {Verdict::kInvalid, "may", OutcomeKind::kAccept, "info", "p-----"},
      {Verdict::kEither, "must", OutcomeKind::kAccept, "info", "p-----"},
      {Verdict::kEither, "must", OutcomeKind::kReject, "info", "p-----"},
      {Verdict::kEither, "may", OutcomeKind::kCrash, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kHang, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kExit, "unsafe", "f-----"},
      {Verdict::kInvalid, "must", OutcomeKind::kProtocol, "unsafe", "f-----"},
  };
  for (const auto& row : rows) {
    const CaseRecord judged =
        Judge(CaseOf(row.verdict, row.level), Caps(), Saw(row.outcome)).value();
    const std::string what =
        absl::StrCat(VerdictName(row.verdict), " ", row.level, " ", row.result);
    EXPECT_STREQ(InfoOf(judged.result).name, row.result) << what;
    EXPECT_EQ(Letters(judged), row.levels) << what;
    const bool as_it_should = judged.result == CaseResult::kPass ||
                              judged.result == CaseResult::kSkip || row.verdict == Verdict::kEither;
    EXPECT_EQ(!judged.difference, as_it_should && judged.levels[0] != LevelState::kFail) << what;
  }
}

TEST(JudgeTest, ContentsOfCorrectlyAcceptedFilesAreCompared) {
  Caps caps;
  caps.kv = caps.tensors = true;
  Observation seen = Saw(OutcomeKind::kAccept);
  seen.answer.kv = {{"a", "u32 7"}};
  seen.answer.tensors = {{"w", 0, 0, {2, 2}}};
  corpus::Case valid = CaseOf(corpus::Verdict::kValid, "must");
  const auto state = [&](const char* text) {
    valid.document = corpus::ReadText(text, nullptr)->document;
  };
  state("gguf 3\nkv \"a\" u32 7\ntensor \"w\" F32 [2 2]\n");
  EXPECT_EQ(Letters(Judge(valid, caps, seen).value()), "pppp--");

  seen.answer.tensors[0].offset = 32;
  seen.answer.kv[0].value = "u32 8";
  const CaseRecord judged = Judge(valid, caps, seen).value();
  EXPECT_EQ(Letters(judged), "ppff--");
  EXPECT_EQ(judged.result, CaseResult::kWrongValues);
  EXPECT_EQ(judged.difference->level, "L2");
  EXPECT_EQ(judged.difference->path, "kv[a]");

  valid.verdict = corpus::Verdict::kEither;
  EXPECT_EQ(Letters(Judge(valid, caps, seen).value()), "p-----");
  valid.verdict = corpus::Verdict::kValid;
  state("gguf 3\nkv \"a\" 4 { u32 7 }\n");
  EXPECT_EQ(Letters(Judge(valid, caps, seen).value()), "pp----");
  state("gguf 3\nkv \"a\" u32 7\ncut 100\n");
  EXPECT_FALSE(Judge(valid, caps, seen).ok());
}

TEST(JudgeTest, AFaultOfTheModelNeedsTheCapabilityModels) {
  corpus::Case a_case = CaseOf(corpus::Verdict::kInvalid, "must");
  a_case.scope = "model";
  const Observation seen = Saw(OutcomeKind::kAccept);
  CaseRecord judged = Judge(a_case, Caps(), seen).value();
  EXPECT_EQ(judged.result, CaseResult::kNotTested);
  EXPECT_EQ(Letters(judged), "p-----");
  Caps caps;
  caps.models = true;
  judged = Judge(a_case, caps, seen).value();
  EXPECT_EQ(judged.result, CaseResult::kFalseAccept);
}

}  // namespace
}  // namespace gguf::readers
