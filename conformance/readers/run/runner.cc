// Runs cases, repeats failures with a new process, and confirms the results.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/runner.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/threads.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/run/cases.h"
#include "conformance/readers/run/judge.h"

namespace gguf::readers {
namespace {

using Records = std::vector<std::optional<CaseRecord>>;  // By case.

std::string Text(const CaseRecord& record) {
  return absl::StrCat(record.outcome, " (", InfoOf(record.result).name, ")");
}

// Whether the reader survived and gave a verdict.
bool IsSafe(const CaseRecord& record) { return record.levels[0] == LevelState::kPass; }

bool IsHang(const CaseRecord& record) { return record.outcome == "hang"; }

// Whether two readings of a case agree.
bool Agree(const CaseRecord& a, const CaseRecord& b) {
  return a.outcome == b.outcome && a.result == b.result && a.levels == b.levels;
}

// Returns the worse of two different readings, marked as unstable.
CaseRecord Unstable(const CaseRecord& first, const CaseRecord& again) {
  const std::string detail = absl::StrCat("first ", Text(first), ", then ", Text(again));
  // The worse one has the evidence; CaseResult begins with the worst.
  CaseRecord unstable = again.result < first.result ? again : first;
  unstable.outcome = Outcome{OutcomeKind::kUnstable}.Name();
  unstable.result = CaseResult::kUnsafe;
  unstable.levels = {LevelState::kFail};
  unstable.difference = {"", "the same result again", detail, LevelName(0)};
  return unstable;
}

class Runner {
 public:
  Runner(const RunOptions& options, const std::vector<corpus::Case>& cases,
         const std::string& folder)
      : options_(options), cases_(cases), folder_(folder) {}

  RunResult Run();

 private:
  // kAlone: a new process for each case.
  enum class How { kTogether, kAlone };

  // Reads these cases with several threads.
  void Pass(const std::vector<size_t>& which, How how, Records* records);
  void Work(const std::vector<size_t>& which, How how, std::atomic<size_t>* next, Records* records);
  absl::StatusOr<CaseRecord> Read(size_t which, How how, Implementation* tested) const;

  // Repeats readings that need confirmation.
  void ReadAgain();
  std::vector<size_t> ToReadAlone() const;
  std::vector<size_t> ToReadTogether() const;
  std::vector<size_t> Suspects(const std::vector<size_t>& alone, const Records& again) const;
  void Settle(size_t which, const CaseRecord& again, const Records& before);

  void Stop(absl::string_view why);
  bool stopped() const { return stopped_ || options_.limits.interrupted(); }

  const RunOptions& options_;
  const std::vector<corpus::Case>& cases_;
  const std::string folder_;

  // Of the first readings, by case: the records; whether the implementation
  // wrote an unexpected protocol line, so that they may be about other files;
  // and the case that the same implementation read before.
  Records records_;
  std::vector<char> doubted_;
  std::vector<std::optional<size_t>> before_;

  std::atomic<size_t> read_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // Guards the members below.
  std::string why_stopped_;
};

RunResult Runner::Run() {
  records_.resize(cases_.size());
  doubted_.resize(cases_.size());
  before_.resize(cases_.size());
  std::vector<size_t> all(cases_.size());
  std::iota(all.begin(), all.end(), 0);
  Pass(all, How::kTogether, &records_);
  ReadAgain();
  RunResult result;
  for (std::optional<CaseRecord>& record : records_) {
    if (record) result.records.push_back(*std::move(record));
  }
  result.incomplete = why_stopped_;
  if (options_.limits.interrupted()) result.incomplete = "interrupted";
  return result;
}

void Runner::Pass(const std::vector<size_t>& which, How how, Records* records) {
  std::atomic<size_t> next{0};
  // Each process ends with the thread that started it.
  RunThreads(std::min<uint64_t>(options_.jobs, which.size()), [&] {
    try {
      Work(which, how, &next, records);
    } catch (const std::exception& error) {  // Such as out of memory.
      Stop(absl::StrCat("internal error: ", error.what()));
    }
  });
}

void Runner::Work(const std::vector<size_t>& which, How how, std::atomic<size_t>* next,
                  Records* records) {
  const bool is_first = records == &records_;
  Implementation tested(options_.reader);
  std::optional<size_t> before;
  for (size_t i = (*next)++; i < which.size() && !stopped(); i = (*next)++) {
    absl::StatusOr<CaseRecord> record = Read(which[i], how, &tested);
    if (!record.ok()) return Stop(record.status().message());
    // It may have been killed because of the interruption.
    if (options_.limits.interrupted() && !IsSafe(*record)) break;
    if (is_first) {
      before_[which[i]] = before;
      options_.first(*record);
    }
    before = which[i];
    (*records)[which[i]] = *std::move(record);
    options_.progress(++read_);
  }
  tested.End(options_.limits);
  if (!is_first) return;
  for (const size_t doubted : tested.doubted()) doubted_[doubted] = true;
}

absl::StatusOr<CaseRecord> Runner::Read(size_t which, How how, Implementation* tested) const {
  const corpus::Case& a_case = cases_[which];
  const corpus::Loader load = corpus::FolderLoader(options_.cases);
  const absl::StatusOr<std::string> text = load(a_case.id);
  if (!text.ok()) return text.status();
  const auto file = WriteCase(a_case, load, folder_);
  if (!file.ok()) return file.status();

  WatchLimits limits = options_.limits;
  limits.memory = std::max(limits.memory, a_case.budget_mib << 20);
  auto seen = tested->Read(which, file->path, limits);
  if (!seen.ok()) return seen.status();
  if (how == How::kAlone) {
    Outcome end = tested->End(limits);
    if (end.kind != OutcomeKind::kSkip) seen->outcome = std::move(end);
  }
  // The reader's messages may name the file.
  const std::string folder = absl::StrCat(file->folder.path(), "/");
  for (std::string* message : {&seen->answer.text, &seen->stderr_tail}) {
    absl::StrReplaceAll({{folder, ""}}, message);
  }
  absl::StatusOr<CaseRecord> record = Judge(a_case, options_.caps, *seen);
  if (record.ok() && record->result != CaseResult::kPass) {
    AddEvidence(a_case, options_.cases, *text, file->image,
                RunCommand(options_.reader, options_.named_cases, a_case), &*record);
  }
  return record;
}

std::vector<size_t> Runner::ToReadAlone() const {
  std::vector<size_t> which;
  int hangs = 0;
  for (size_t i = 0; i < records_.size(); ++i) {
    if (!records_[i]) continue;
    if (IsHang(*records_[i]) && ++hangs > kMostHangsAgain) continue;
    if (doubted_[i] || !IsSafe(*records_[i])) which.push_back(i);
  }
  return which;
}

// Returns the other failures in reverse order.
std::vector<size_t> Runner::ToReadTogether() const {
  std::vector<size_t> which;
  for (size_t i = records_.size(); i-- > 0;) {
    if (records_[i] && !doubted_[i] && IsSafe(*records_[i]) && IsUnexpected(records_[i]->result)) {
      which.push_back(i);
    }
  }
  return which;
}

// A case that fails only in sequence may be caused by the one before it.
std::vector<size_t> Runner::Suspects(const std::vector<size_t>& alone, const Records& again) const {
  std::vector<size_t> suspects;
  for (const size_t i : alone) {
    if (again[i] && !doubted_[i] && before_[i] && !again[*before_[i]] &&
        !Agree(*records_[i], *again[i])) {
      suspects.push_back(*before_[i]);
    }
  }
  return suspects;
}

void Runner::ReadAgain() {
  const std::vector<size_t> alone = ToReadAlone();
  Records again(records_.size()), before(records_.size());
  Pass(alone, How::kAlone, &again);
  Pass(ToReadTogether(), How::kTogether, &again);
  const std::vector<size_t> suspects = Suspects(alone, again);
  Pass(suspects, How::kAlone, &before);
  for (size_t i = 0; i < again.size(); ++i) {
    if (again[i]) Settle(i, *again[i], before);
  }
  for (const size_t i : suspects) {
    if (before[i] && !IsSafe(*before[i])) records_[i] = before[i];
  }
}

// Chooses between the first and the second reading of a case.
void Runner::Settle(size_t which, const CaseRecord& again, const Records& before) {
  CaseRecord& first = *records_[which];
  const bool before_did_it =
      before_[which] && before[*before_[which]] && !IsSafe(*before[*before_[which]]);
  const bool was_slow = IsHang(first) && !IsHang(again);
  if (doubted_[which] || before_did_it || was_slow) {
    first = again;
  } else if (!Agree(first, again)) {
    first = Unstable(first, again);
  }
}

void Runner::Stop(absl::string_view why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!stopped_) why_stopped_ = std::string(why);
  stopped_ = true;
}

}  // namespace

RunResult RunCases(const RunOptions& options, const std::vector<corpus::Case>& cases) {
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return {{}, std::string(folder.status().message())};
  return Runner(options, cases, folder->path()).Run();
}

}  // namespace gguf::readers
