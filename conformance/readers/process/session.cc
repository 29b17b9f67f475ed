// Talks with a running reader, and classifies how the reading of a file ended.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/session.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "conformance/base/text.h"

namespace gguf::readers {
namespace {

// Appended to the reader's own options, so that they take precedence.  Leaks
// are not failures; a failed allocation returns null, as without a sanitizer.
constexpr std::pair<const char*, const char*> kSanitizerOptions[] = {
    {"ASAN_OPTIONS",
     "detect_leaks=0:allocator_may_return_null=1:halt_on_error=1:abort_on_error=0:handle_abort=1"},
    {"MSAN_OPTIONS", "allocator_may_return_null=1:halt_on_error=1:abort_on_error=0:handle_abort=1"},
    {"TSAN_OPTIONS", "allocator_may_return_null=1:halt_on_error=1:abort_on_error=0:handle_abort=1"},
    {"UBSAN_OPTIONS",
     "halt_on_error=1:abort_on_error=0:handle_abort=1:print_stacktrace=1:print_summary=1"},
};

// Returns sorted "NAME=value" entries: the runner's own PATH, HOME and TMPDIR,
// a UTF-8 locale, stacks from the runtime of Python, the variables that the reader configures, and
// options that make sanitizers exit with kSanitizerExit at the first report.
std::vector<std::string> EnvironmentOf(const Reader& reader) {
  std::map<std::string, std::string> variables = {{"LANG", "C.UTF-8"}, {"PYTHONFAULTHANDLER", "1"}};
  for (const char* name : {"PATH", "HOME", "TMPDIR"}) {
    if (const char* value = std::getenv(name)) variables[name] = value;
  }
  for (const auto& [name, value] : reader.environment) {
    variables[name] = value;
  }
  for (const auto& [name, options] : kSanitizerOptions) {
    std::string& value = variables[name];
    absl::StrAppend(&value, value.empty() ? "" : ":", options, ":exitcode=", kSanitizerExit);
  }
  std::vector<std::string> environment;
  for (const auto& [name, value] : variables) {
    environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

absl::StatusOr<std::unique_ptr<Process>> StartProcess(const Reader& reader,
                                                      std::vector<std::string> command) {
  ProcessOptions options;
  options.command = std::move(command);
  options.environment = EnvironmentOf(reader);
  options.folder = reader.folder;
  // A sanitizer reserves addresses by the terabyte.
  if (reader.sanitizer == "none") options.address_space = reader.address_space;
  return Process::Start(options);
}

OutcomeKind KindOf(AnswerVerdict verdict) {
  if (verdict == AnswerVerdict::kAccept) return OutcomeKind::kAccept;
  if (verdict == AnswerVerdict::kReject) return OutcomeKind::kReject;
  return OutcomeKind::kSkip;
}

// Quotes the end of standard error for a message.
std::string Stderr(const Process& process) {
  const std::string& tail = process.error_tail();
  if (tail.empty()) return "; it wrote nothing to standard error";
  constexpr size_t kShown = 400;
  return absl::StrCat("; standard error ends with ",
                      Quote(tail.substr(tail.size() - std::min(tail.size(), kShown)), kShown));
}

// Maps the exit code of a reader without the protocol to an outcome.
Outcome OutcomeOfExit(const Reader& reader, const Outcome& exit) {
  if (absl::c_linear_search(reader.accept_exit, exit.exit_code)) {
    return {OutcomeKind::kAccept, 0, ""};
  }
  if (absl::c_linear_search(reader.reject_exit, exit.exit_code)) {
    return {OutcomeKind::kReject, 0, ""};
  }
  return exit;
}

// Adds what is known of a process that began to read at this time.
void Measure(const Process& process, absl::Time begin, Observation* seen) {
  seen->time = absl::Now() - begin;
  seen->peak_kib = process.PeakKib();
  constexpr size_t kTail = 4096;
  const std::string& errors = process.error_tail();
  seen->stderr_tail = errors.substr(errors.size() - std::min(errors.size(), kTail));
  if (!seen->outcome.safe()) seen->failure = FailureOf(errors);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Session>> Session::Start(const Reader& reader,
                                                        absl::Duration patience,
                                                        const std::function<bool()>& interrupted) {
  absl::StatusOr<std::unique_ptr<Process>> process = StartProcess(reader, reader.command);
  if (!process.ok()) return process.status();
  std::unique_ptr<Session> session(new Session(*std::move(process)));
  WatchLimits limits;
  limits.time = patience;
  limits.interrupted = interrupted;
  const absl::Status greeted = session->Greet(limits);
  if (!greeted.ok()) return greeted;
  return session;
}

absl::Status Session::Greet(const WatchLimits& limits) {
  absl::Status status;
  const auto ended = watch_.Read(limits, [&](absl::string_view line) {
    if (!IsProtocolLine(line)) return true;
    absl::StatusOr<Greeting> greeting = ParseGreeting(line);
    status = greeting.status();
    if (greeting.ok()) greeting_ = *std::move(greeting);
    return false;
  });
  if (!ended) return status;
  const std::string what =
      ended->kind == OutcomeKind::kHang
          ? absl::StrCat("wrote no greeting within ", absl::FormatDuration(limits.time))
          : absl::StrCat("wrote no greeting: ", ended->detail);
  return absl::UnavailableError(absl::StrCat("the reader ", what, Stderr(watch_.process())));
}

bool Session::Ready() {
  constexpr size_t kMostUnasked = 1 << 20;  // It may log endlessly.
  size_t unasked = 0;
  while (const auto line = watch_.TakeWritten()) {
    if (IsProtocolLine(*line)) out_of_step_ = true;
    unasked += line->size() + 1;
    if (unasked > kMostUnasked) watch_.process().Kill();
  }
  return !out_of_step_ && !watch_.process().ended();
}

Observation Session::Read(const std::string& path, const WatchLimits& limits) {
  Observation seen;
  const absl::Time begin = absl::Now();
  watch_.process().ForgetErrors();
  watch_.process().ForgetPeak();
  watch_.process().Write(path + "\n");  // On failure, Read() below finds out why.
  AnswerReader reader;
  absl::Status status;
  auto ended = watch_.Read(limits, [&](absl::string_view line) {
    status = reader.Add(line);
    return status.ok() && !reader.done();
  });
  // Lines after the verdict are usually already buffered.
  while (!ended && status.ok()) {
    const auto line = watch_.TakeLine();
    if (!line) break;
    status = reader.Add(*line);
  }
  seen.answer = reader.Take();
  seen.outcome = {KindOf(seen.answer.verdict), 0, ""};
  if (!status.ok()) {
    const bool flood = absl::IsResourceExhausted(status);
    ended = Outcome{flood ? OutcomeKind::kFlood : OutcomeKind::kProtocol, 0,
                    std::string(status.message())};
  }
  if (ended) {
    watch_.process().Kill();
    seen.outcome = *std::move(ended);
  }
  Measure(watch_.process(), begin, &seen);
  return seen;
}

Outcome Session::Close(const WatchLimits& limits) {
  watch_.process().CloseInput();
  const auto take = [&](absl::string_view line) {
    if (IsProtocolLine(line)) out_of_step_ = true;
    return true;
  };
  Outcome end = watch_.Read(limits, take).value();
  if (out_of_step_) {
    return {OutcomeKind::kProtocol, 0, "wrote a protocol line after its verdict"};
  }
  if (end.kind == OutcomeKind::kExit) {
    return {
        OutcomeKind::kSkip, 0,
        end.exit_code == 0 ? "" : absl::StrCat("ended with exit code ", end.exit_code, ", not 0")};
  }
  if (end.kind == OutcomeKind::kHang) {
    return {OutcomeKind::kSkip, 0, "did not exit at the end of its input"};
  }
  end.detail = absl::StrCat("after its verdict: ", end.detail);
  return end;
}

absl::StatusOr<Observation> ReadBare(const Reader& reader, const std::string& path,
                                     const WatchLimits& limits) {
  std::vector<std::string> command = reader.command;
  for (std::string& word : command) {
    word = absl::StrReplaceAll(word, {{kPathMark, path}});
  }
  auto process = StartProcess(reader, std::move(command));
  if (!process.ok()) return process.status();
  const absl::Time begin = absl::Now();
  LineWatch watch(*std::move(process));
  Observation seen;
  watch.process().CloseInput();
  seen.outcome = watch.Read(limits, [](absl::string_view) { return true; }).value();
  if (seen.outcome.kind == OutcomeKind::kExit) {
    seen.outcome = OutcomeOfExit(reader, seen.outcome);
  }
  Measure(watch.process(), begin, &seen);
  return seen;
}

absl::StatusOr<Observation> Implementation::Read(size_t number, const std::string& path,
                                                 const WatchLimits& limits) {
  if (reader_.bare()) return ReadBare(reader_, path, limits);
  if (session_ != nullptr && !session_->Ready()) {
    Doubt(session_->out_of_step());
    session_.reset();
  }
  if (session_ == nullptr) {
    absl::StatusOr<std::unique_ptr<Session>> session =
        Session::Start(reader_, absl::Seconds(30), limits.interrupted);
    // It greeted before the run, so the machine may be very busy.
    if (absl::IsUnavailable(session.status())) {
      session = Session::Start(reader_, absl::Minutes(2), limits.interrupted);
    }
    if (!session.ok()) return session.status();
    session_ = *std::move(session);
    asked_.clear();
  }
  asked_.push_back(number);
  Observation seen = session_->Read(path, limits);
  if (!seen.outcome.safe()) session_.reset();
  return seen;
}

Outcome Implementation::End(const WatchLimits& limits) {
  Outcome end;
  if (session_ == nullptr) return end;
  end = session_->Close(limits);
  if (end.kind != OutcomeKind::kSkip) Doubt(session_->out_of_step());
  session_.reset();
  return end;
}

void Implementation::Doubt(bool out_of_step) {
  if (out_of_step) {
    doubted_.insert(doubted_.end(), asked_.begin(), asked_.end());
  } else if (!asked_.empty()) {
    doubted_.push_back(asked_.back());
  }
}

}  // namespace gguf::readers
