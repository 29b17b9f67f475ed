// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/judge.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "conformance/readers/run/compare.h"
#include "conformance/readers/run/expected.h"

namespace gguf::readers {
namespace {

std::string InWords(const corpus::Case& a_case,
                    const ExpectedVerdict& verdict) {
  switch (verdict.should) {
    case Should::kAccept:
      return "accepts the file and reads its contents";
    case Should::kReject:
      return "rejects the file";
    case Should::kNotTested:
      return absl::StrCat("accepts or rejects the file; ", verdict.why);
    case Should::kEither:
      break;
  }
  return absl::StrCat("accepts or rejects the file: ",
                      absl::StrJoin(a_case.flags, ", "));
}

// Returns the verdict of a difference: "accept", "reject" or "accept or
// reject".
const char* VerdictWord(Should should) {
  switch (should) {
    case Should::kAccept:
      return "accept";
    case Should::kReject:
      return "reject";
    case Should::kNotTested:
    case Should::kEither:
      break;
  }
  return "accept or reject";
}

// Judges a wrong verdict.  It is a failure at level must, non-strict at should,
// and only information at may.
void JudgeWrong(const corpus::Case& a_case, const Observation& seen,
                Judgement* judged) {
  const bool accepted = seen.outcome.kind == OutcomeKind::kAccept;
  judged->difference = {"verdict", accepted ? "reject" : "accept",
                        seen.outcome.Name(), LevelName(1)};
  if (a_case.level == "may") {
    judged->result = CaseResult::kInfo;
    return;
  }
  judged->levels[1] = LevelState::kFail;
  if (a_case.level == "should") {
    judged->result = CaseResult::kNonStrict;
  } else {
    judged->result =
        accepted ? CaseResult::kFalseAccept : CaseResult::kFalseReject;
  }
}

// Judges the contents of a correctly accepted file.
void JudgeContents(const Caps& caps, const Answer& expected,
                   const Answer& observed, Judgement* judged) {
  for (const LevelResult& level : Compare(expected, observed, caps)) {
    judged->levels[level.level] = level.state;
    if (level.state != LevelState::kFail) continue;
    judged->result = CaseResult::kWrongValues;
    if (judged->difference) continue;
    judged->difference = level.difference;
    judged->difference->level = LevelName(level.level);
  }
}

}  // namespace

absl::StatusOr<Judgement> Judge(const corpus::Case& a_case, const Caps& caps,
                                const Observation& seen) {
  const ExpectedVerdict verdict = VerdictFor(a_case, caps);
  Judgement judged;
  judged.expected = InWords(a_case, verdict);
  if (!seen.outcome.safe()) {
    judged.result = CaseResult::kUnsafe;
    judged.levels[0] = LevelState::kFail;
    judged.difference = {"", VerdictWord(verdict.should), seen.outcome.detail,
                         LevelName(0)};
    return judged;
  }
  judged.levels[0] = LevelState::kPass;
  if (seen.outcome.kind == OutcomeKind::kSkip) {
    judged.result = CaseResult::kSkip;
    return judged;
  }
  if (verdict.should == Should::kEither ||
      verdict.should == Should::kNotTested) {
    judged.result = verdict.should == Should::kEither ? CaseResult::kInfo
                                                      : CaseResult::kNotTested;
    return judged;
  }
  const bool accepted = seen.outcome.kind == OutcomeKind::kAccept;
  if (accepted != (verdict.should == Should::kAccept)) {
    JudgeWrong(a_case, seen, &judged);
    return judged;
  }
  judged.result = CaseResult::kPass;
  judged.levels[1] = LevelState::kPass;
  if (accepted && (caps.kv || caps.tensors || caps.data || caps.deq)) {
    const auto expected = ExpectedAnswer(a_case.document, caps);
    if (absl::IsFailedPrecondition(expected.status())) return judged;
    if (!expected.ok()) return expected.status();
    JudgeContents(caps, *expected, seen.answer, &judged);
  }
  return judged;
}

}  // namespace gguf::readers
