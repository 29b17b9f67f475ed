// Judges what a reader did with a case.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/judge.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"

namespace gguf::readers {
namespace {

std::string InWords(const corpus::Case& a_case, const ExpectedVerdict& verdict) {
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
  return absl::StrCat("accepts or rejects the file: ", absl::StrJoin(a_case.flags, ", "));
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
void JudgeWrong(bool accepted, CaseRecord* record) {
  record->difference = {"verdict", accepted ? "reject" : "accept", record->outcome, LevelName(1)};
  if (record->level == "may") {
    record->result = CaseResult::kInfo;
    return;
  }
  record->levels[1] = LevelState::kFail;
  if (record->level == "should") {
    record->result = CaseResult::kNonStrict;
  } else {
    record->result = accepted ? CaseResult::kFalseAccept : CaseResult::kFalseReject;
  }
}

// Judges the contents of a correctly accepted file.
void JudgeContents(const Caps& caps, const Answer& expected, const Answer& observed,
                   CaseRecord* record) {
  for (const LevelResult& level : Compare(expected, observed, caps)) {
    record->levels[level.level] = level.state;
    if (level.state != LevelState::kFail) continue;
    record->result = CaseResult::kWrongValues;
    if (record->difference) continue;
    record->difference = level.difference;
    record->difference->level = LevelName(level.level);
  }
}

// Returns a record with what the case says and what the reader did.
CaseRecord RecordOf(const corpus::Case& a_case, const Observation& seen) {
  CaseRecord record;
  record.id = a_case.id;
  record.section = a_case.section;
  record.title = a_case.title;
  record.verdict = std::string(corpus::VerdictName(a_case.verdict));
  record.level = a_case.level;
  record.importance = a_case.importance;
  record.flags = a_case.flags;
  record.outcome = seen.outcome.Name();
  if (seen.outcome.kind == OutcomeKind::kReject) {
    record.rejection = {seen.answer.reject_class, seen.answer.text};
  } else if (seen.outcome.kind == OutcomeKind::kSkip) {
    record.rejection = {"skip", seen.answer.text};
  }
  record.stderr_tail = seen.stderr_tail;
  record.seconds = absl::ToDoubleSeconds(seen.time);
  record.peak_kib = seen.peak_kib;
  return record;
}

}  // namespace

absl::StatusOr<CaseRecord> Judge(const corpus::Case& a_case, const Caps& caps,
                                 const Observation& seen) {
  const ExpectedVerdict verdict = VerdictFor(a_case, caps);
  CaseRecord record = RecordOf(a_case, seen);
  record.expected = InWords(a_case, verdict);
  if (!seen.outcome.safe()) {
    record.result = CaseResult::kUnsafe;
    record.levels[0] = LevelState::kFail;
    record.difference = {"", VerdictWord(verdict.should), seen.outcome.detail, LevelName(0)};
    return record;
  }
  record.levels[0] = LevelState::kPass;
  if (seen.outcome.kind == OutcomeKind::kSkip) {
    record.result = CaseResult::kSkip;
    return record;
  }
  if (verdict.should == Should::kEither || verdict.should == Should::kNotTested) {
    record.result = verdict.should == Should::kEither ? CaseResult::kInfo : CaseResult::kNotTested;
    return record;
  }
  const bool accepted = seen.outcome.kind == OutcomeKind::kAccept;
  if (accepted != (verdict.should == Should::kAccept)) {
    JudgeWrong(accepted, &record);
    return record;
  }
  record.levels[1] = LevelState::kPass;
  if (accepted && (caps.kv || caps.tensors || caps.data || caps.deq)) {
    const auto expected = ExpectedAnswer(a_case.document, caps);
    if (absl::IsFailedPrecondition(expected.status())) return record;
    if (!expected.ok()) return expected.status();
    JudgeContents(caps, *expected, seen.answer, &record);
  }
  return record;
}

}  // namespace gguf::readers
