// The pipes, the end and the memory of a process.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

namespace gguf::readers {
namespace {

namespace fs = std::filesystem;

constexpr size_t kErrorTail = 256 << 10;  // A traceback of 1,000 frames.
constexpr size_t kChunk = 64 << 10;

// Appends available bytes, at most a chunk.  Returns false if there are none;
// if the other end is closed, also closes ours.
bool ReadChunk(FileDescriptor* from, std::string* to) {
  if (!from->is_open()) return false;
  const size_t old = to->size();
  to->resize(old + kChunk);
  const ssize_t got = from->Read(&(*to)[old], kChunk);
  to->resize(old + std::max<ssize_t>(got, 0));
  if (got == 0 || (got < 0 && errno != EAGAIN)) from->Close();
  return got > 0;
}

constexpr size_t kMostProcesses = 1000;  // More are a breach of any limit.

// The memory of a process: fast to get, but a page counts for each process that
// shares it; and slow, where each process has its part of the page.
constexpr absl::string_view kResident[] = {"RssAnon:", "RssShmem:", "VmSwap:"};
constexpr absl::string_view kShares[] = {"Pss_Anon:", "Pss_Shmem:", "SwapPss:"};

// Returns an empty string if the process is gone.  It may end after the file
// was opened: getline() then fails quietly, where a stream buffer iterator
// would throw.
std::string ReadProc(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  return text;
}

// Returns the sum of the numbers after these names, in KiB, or 0 if there are
// none.
uint64_t SumKib(absl::string_view text, absl::Span<const absl::string_view> names) {
  uint64_t sum = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::c_none_of(names,
                        [&](absl::string_view name) { return absl::ConsumePrefix(&line, name); })) {
      continue;
    }
    absl::ConsumeSuffix(&line, " kB");
    uint64_t kib = 0;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kib)) sum += kib;
  }
  return sum;
}

// Returns the threads of a process as "/proc/PID/task/TID".
std::vector<std::string> ThreadsOf(pid_t pid) {
  std::vector<std::string> threads;
  std::error_code error;
  for (fs::directory_iterator it(absl::StrCat("/proc/", pid, "/task"), error);
       !error && it != fs::directory_iterator(); it.increment(error)) {
    threads.push_back(it->path().string());
  }
  return threads;
}

// A process whose first thread has ended reports no memory, but its other
// threads do.
uint64_t ResidentKib(const std::vector<std::string>& threads) {
  for (const std::string& thread : threads) {
    const uint64_t kib = SumKib(ReadProc(thread + "/status"), kResident);
    if (kib > 0) return kib;
  }
  return 0;
}

void AddChildren(const std::vector<std::string>& threads, std::vector<pid_t>* ids) {
  for (const std::string& thread : threads) {
    const std::string children = ReadProc(thread + "/children");
    for (absl::string_view word : absl::StrSplit(children, ' ', absl::SkipEmpty())) {
      pid_t child;
      if (absl::SimpleAtoi(word, &child)) ids->push_back(child);
    }
  }
}

struct ProcessMemory {
  pid_t pid;
  uint64_t resident_kib;
};

std::vector<ProcessMemory> Descendants(pid_t pid) {
  std::vector<ProcessMemory> found;
  std::vector<pid_t> ids;
  AddChildren(ThreadsOf(pid), &ids);
  for (size_t i = 0; i < ids.size() && i <= kMostProcesses; ++i) {
    const std::vector<std::string> threads = ThreadsOf(ids[i]);
    found.push_back({ids[i], ResidentKib(threads)});
    AddChildren(threads, &ids);
  }
  return found;
}

// Falls back to the resident memory: old kernels do not report shares.
uint64_t SharesKib(const ProcessMemory& process) {
  const std::string text = ReadProc(absl::StrCat("/proc/", process.pid, "/smaps_rollup"));
  return absl::StrContains(text, kShares[0]) ? SumKib(text, kShares) : process.resident_kib;
}

// Returns whether the descendants of a process, without itself, use more than
// `bytes` in one measurement.
bool MeasureMoreThan(uint64_t bytes, pid_t pid) {
  const std::vector<ProcessMemory> descendants = Descendants(pid);
  if (descendants.size() > kMostProcesses) return true;
  uint64_t resident = 0, shares = 0;
  for (const ProcessMemory& process : descendants) {
    resident += process.resident_kib;
  }
  if (resident <= bytes >> 10) return false;
  for (const ProcessMemory& process : descendants) {
    shares += SharesKib(process);
  }
  return shares > bytes >> 10;
}

}  // namespace

Process::~Process() { Kill(); }

bool Process::Write(absl::string_view text) {
  ssize_t written;
  do {
    written = write(stdin_.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(text.size());
}

Process::Event Process::Wait(int milliseconds, std::string* output) {
  for (bool waited = false;; waited = true) {
    const bool ended = HasEnded();  // Before the last output is read.
    const bool has_output = ReadChunk(&stdout_, output);
    ReadErrors();  // Has what the process wrote before the output.
    if (has_output) return Event::kOutput;
    if (ended) {
      Kill();
      return Event::kEnded;
    }
    if (waited) return Event::kNothing;
    Poll(milliseconds);
  }
}

void Process::Poll(int milliseconds) {
  // Without an open pipe, the end of the process must be polled for.
  if (!stdout_.is_open()) milliseconds = std::min(milliseconds, 1);
  pollfd both[] = {{stdout_.get(), POLLIN, 0}, {stderr_.get(), POLLIN, 0}};
  poll(both, 2, milliseconds);
}

void Process::ReadErrors() {
  constexpr int kMostChunks = 16;  // It may write endlessly.
  std::string chunk;
  for (int i = 0; i < kMostChunks && ReadChunk(&stderr_, &chunk); ++i) {
    error_bytes_ += chunk.size();
    error_tail_ += chunk;
    if (error_tail_.size() > kErrorTail) {
      error_tail_.erase(0, error_tail_.size() - kErrorTail);
    }
    chunk.clear();
  }
}

void Process::Abort() {
  if (!ended()) kill(pid_, SIGABRT);
}

void Process::ForgetErrors() {
  ReadErrors();
  error_tail_.clear();
  error_bytes_ = 0;
}

bool Process::HasEnded() const {
  if (ended()) return true;
  siginfo_t info = {};
  waitid(P_PID, supervisor_, &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == supervisor_;
}

void Process::Kill() {
  if (ended()) return;
  kill(supervisor_, kStopSignal);
  Ending ending;
  const bool reported = ending_.Read(&ending, sizeof(ending)) == sizeof(ending);
  // The supervisor of a PID namespace ends after all others there.
  pollfd end = {end_.get(), POLLIN, 0};
  if (!end_.is_open() || poll(&end, 1, kMostSecondsToKill * 1000) != 0) {
    while (waitpid(supervisor_, &status_, 0) < 0 && errno == EINTR) {
    }
  }
  supervisor_ = -1;
  if (!reported) return;  // The supervisor was itself killed.
  status_ = ending.status;
  peak_kib_at_end_ = ending.peak_kib;
}

bool Process::UsesMoreThan(uint64_t memory) const {
  // Processes are measured one after the other.  When one ends in between, the
  // others have its part of the shared pages, which then counts twice; but not
  // in several measurements.
  constexpr int kMeasurements = 3;
  for (int i = 0; i < kMeasurements; ++i) {
    if (ended() || !MeasureMoreThan(memory, supervisor_)) return false;
  }
  return true;
}

uint64_t Process::PeakKib() const {
  if (ended()) return peak_kib_at_end_;
  return SumKib(ReadProc(absl::StrCat("/proc/", pid_, "/status")), {"VmHWM:"});
}

void Process::ForgetPeak() const {
  if (ended()) return;
  std::ofstream(absl::StrCat("/proc/", pid_, "/clear_refs")) << "5";
}

}  // namespace gguf::readers
