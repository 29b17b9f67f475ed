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
#include "conformance/readers/process/session.h"
#include "conformance/readers/protocol/outcome.h"
#include "conformance/readers/run/case_file.h"
#include "conformance/readers/run/case_record.h"
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/judge.h"
#include "conformance/threads/threads.h"

namespace gguf::readers {
namespace {

// The result of one attempt to read a case.
struct Reading {
  Outcome outcome;
  CaseRecord record;
  // The implementation wrote an unexpected protocol line: this may be about
  // another file.
  bool doubted = false;
  // The case that the same implementation read before.
  std::optional<size_t> before;
};

std::string Text(const Reading& reading) {
  return absl::StrCat(reading.outcome.Name(), " (",
                      InfoOf(reading.record.result).name, ")");
}

// Whether two readings agree.
bool Same(const Reading& a, const Reading& b) {
  return Same(a.outcome, b.outcome) && a.record.result == b.record.result &&
         a.record.levels == b.record.levels;
}

// Returns the worse of two different readings, marked as unstable.
Reading Unstable(const Reading& first, const Reading& again) {
  const std::string detail =
      absl::StrCat("first ", Text(first), ", then ", Text(again));
  // The worse one has the evidence; CaseResult begins with the worst.
  Reading unstable = again.record.result < first.record.result ? again : first;
  unstable.outcome = {OutcomeKind::kUnstable, 0, detail};
  unstable.record.outcome = unstable.outcome.Name();
  unstable.record.result = CaseResult::kUnsafe;
  unstable.record.levels = {};
  unstable.record.levels[0] = LevelState::kFail;
  unstable.record.difference = {"", "the same result again", detail,
                                LevelName(0)};
  return unstable;
}

using Readings = std::vector<std::optional<Reading>>;  // By case.

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
  void Pass(const std::vector<size_t>& which, How how, Readings* readings);
  void Work(const std::vector<size_t>& which, How how,
            std::atomic<size_t>* next, Readings* readings);
  absl::StatusOr<Reading> Read(size_t which, How how,
                               Implementation* tested) const;

  // Repeats readings that need confirmation.
  void ReadAgain();
  std::vector<size_t> ToReadAlone() const;
  std::vector<size_t> ToReadTogether() const;
  std::vector<size_t> Suspects(const std::vector<size_t>& alone,
                               const Readings& again) const;
  void Settle(size_t which, const Reading& again, const Readings& before);

  void Stop(absl::string_view why);
  bool stopped() const { return stopped_ || options_.limits.interrupted(); }

  const RunOptions& options_;
  const std::vector<corpus::Case>& cases_;
  const std::string folder_;
  Readings readings_;
  std::atomic<size_t> read_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;  // Guards the members below.
  std::string why_stopped_;
};

RunResult Runner::Run() {
  readings_.resize(cases_.size());
  std::vector<size_t> all(cases_.size());
  std::iota(all.begin(), all.end(), 0);
  Pass(all, How::kTogether, &readings_);
  ReadAgain();
  RunResult result;
  for (std::optional<Reading>& reading : readings_) {
    if (reading) result.records.push_back(std::move(reading->record));
  }
  result.incomplete = why_stopped_;
  if (options_.limits.interrupted()) result.incomplete = "interrupted";
  return result;
}

void Runner::Pass(const std::vector<size_t>& which, How how,
                  Readings* readings) {
  std::atomic<size_t> next{0};
  // Each process ends with the thread that started it.
  RunThreads(std::min<uint64_t>(options_.jobs, which.size()), [&] {
    try {
      Work(which, how, &next, readings);
    } catch (const std::exception& error) {  // Such as out of memory.
      Stop(absl::StrCat("internal error: ", error.what()));
    }
  });
}

void Runner::Work(const std::vector<size_t>& which, How how,
                  std::atomic<size_t>* next, Readings* readings) {
  Implementation tested(options_.reader);
  std::optional<size_t> before;
  for (size_t i = (*next)++; i < which.size() && !stopped(); i = (*next)++) {
    absl::StatusOr<Reading> reading = Read(which[i], how, &tested);
    if (!reading.ok()) return Stop(reading.status().message());
    // It may have been killed because of the interruption.
    if (options_.limits.interrupted() && !reading->outcome.safe()) break;
    reading->before = before;
    before = which[i];
    if (readings == &readings_) options_.first(reading->record);
    (*readings)[which[i]] = *std::move(reading);
    options_.progress(++read_);
  }
  tested.End(options_.limits);
  for (const size_t doubted : tested.doubted()) {
    if ((*readings)[doubted]) (*readings)[doubted]->doubted = true;
  }
}

absl::StatusOr<Reading> Runner::Read(size_t which, How how,
                                     Implementation* tested) const {
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

  const absl::StatusOr<Judgement> judged = Judge(a_case, options_.caps, *seen);
  if (!judged.ok()) return judged.status();
  // The reader's messages may name the file.
  const std::string folder = absl::StrCat(file->folder.path(), "/");
  for (std::string* text : {&seen->answer.text, &seen->stderr_tail}) {
    absl::StrReplaceAll({{folder, ""}}, text);
  }
  Reading reading{seen->outcome, MakeRecord(a_case, *seen, *judged)};
  if (judged->result != CaseResult::kPass) {
    AddEvidence(a_case, options_.cases, *text, file->image,
                RunCommand(options_.reader, options_.named_cases, a_case),
                &reading.record);
  }
  return reading;
}

std::vector<size_t> Runner::ToReadAlone() const {
  std::vector<size_t> which;
  int hangs = 0;
  for (size_t i = 0; i < readings_.size(); ++i) {
    if (!readings_[i]) continue;
    const Reading& reading = *readings_[i];
    const bool hang = reading.outcome.kind == OutcomeKind::kHang;
    if (hang && ++hangs > kMostHangsAgain) continue;
    if (reading.doubted || !reading.outcome.safe()) which.push_back(i);
  }
  return which;
}

// Returns the other failures in reverse order.
std::vector<size_t> Runner::ToReadTogether() const {
  std::vector<size_t> which;
  for (size_t i = readings_.size(); i-- > 0;) {
    const std::optional<Reading>& reading = readings_[i];
    if (reading && !reading->doubted && reading->outcome.safe() &&
        IsUnexpected(reading->record.result)) {
      which.push_back(i);
    }
  }
  return which;
}

// A case that fails only in sequence may be caused by the one before it.
std::vector<size_t> Runner::Suspects(const std::vector<size_t>& alone,
                                     const Readings& again) const {
  std::vector<size_t> suspects;
  for (const size_t i : alone) {
    const Reading& first = *readings_[i];
    if (again[i] && !first.doubted && first.before && !again[*first.before] &&
        !Same(first, *again[i])) {
      suspects.push_back(*first.before);
    }
  }
  return suspects;
}

void Runner::ReadAgain() {
  const std::vector<size_t> alone = ToReadAlone();
  Readings again(readings_.size()), before(readings_.size());
  Pass(alone, How::kAlone, &again);
  Pass(ToReadTogether(), How::kTogether, &again);
  const std::vector<size_t> suspects = Suspects(alone, again);
  Pass(suspects, How::kAlone, &before);
  for (size_t i = 0; i < again.size(); ++i) {
    if (again[i]) Settle(i, *again[i], before);
  }
  for (const size_t i : suspects) {
    if (before[i] && !before[i]->outcome.safe()) readings_[i] = before[i];
  }
}

// Chooses between the first and the second reading of a case.
void Runner::Settle(size_t which, const Reading& again,
                    const Readings& before) {
  Reading& first = *readings_[which];
  const bool before_did_it = first.before && before[*first.before] &&
                             !before[*first.before]->outcome.safe();
  const bool was_slow = first.outcome.kind == OutcomeKind::kHang &&
                        again.outcome.kind != OutcomeKind::kHang;
  if (first.doubted || before_did_it || was_slow) {
    first = again;
    return;
  }
  if (!Same(first, again)) first = Unstable(first, again);
}

void Runner::Stop(absl::string_view why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!stopped_) why_stopped_ = std::string(why);
  stopped_ = true;
}

}  // namespace

RunResult RunCases(const RunOptions& options,
                   const std::vector<corpus::Case>& cases) {
  const absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder.ok()) return {{}, std::string(folder.status().message())};
  return Runner(options, cases, folder->path()).Run();
}

}  // namespace gguf::readers
