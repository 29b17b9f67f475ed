// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

constexpr size_t kErrorTail = 4096;
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

// Returns an empty string if the process is gone.  It may end after the file
// was opened: getline() then fails quietly, where a stream buffer iterator
// would throw.
std::string ReadProc(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text, '\0');
  return text;
}

// Returns the number after "NAME:" in /proc/PID/status, in KiB, or 0 if there
// is none.
uint64_t StatusKib(absl::string_view status, absl::string_view name) {
  for (absl::string_view line : absl::StrSplit(status, '\n')) {
    if (!absl::ConsumePrefix(&line, name)) continue;
    absl::ConsumeSuffix(&line, " kB");
    uint64_t kib = 0;
    return absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &kib) ? kib : 0;
  }
  return 0;
}

// Returns the resident bytes of a process and its descendants, without pages of
// files; 0 if /proc has no such process.
uint64_t TreeMemory(pid_t pid) {
  constexpr size_t kMostProcesses = 1000;  // The others are not counted.
  uint64_t kib = 0;
  std::vector<pid_t> tree = {pid};
  for (size_t i = 0; i < tree.size() && i < kMostProcesses; ++i) {
    const std::string folder = absl::StrCat("/proc/", tree[i]);
    kib += StatusKib(ReadProc(folder + "/status"), "RssAnon:");
    const std::string children =
        ReadProc(absl::StrCat(folder, "/task/", tree[i], "/children"));
    for (absl::string_view word :
         absl::StrSplit(children, ' ', absl::SkipEmpty())) {
      pid_t child;
      if (absl::SimpleAtoi(word, &child)) tree.push_back(child);
    }
  }
  return kib << 10;
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
    ReadErrors();
    if (ReadChunk(&stdout_, output)) return Event::kOutput;
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

void Process::ForgetErrors() {
  ReadErrors();
  error_tail_.clear();
  error_bytes_ = 0;
}

bool Process::HasEnded() const {
  if (pid_ < 0) return true;
  siginfo_t info = {};
  waitid(P_PID, pid_, &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid_;
}

void Process::Kill() {
  if (pid_ < 0) return;
  kill(-pid_, SIGKILL);  // Before wait4(), after which the id may be reused.
  rusage usage = {};
  while (wait4(pid_, &status_, 0, &usage) < 0 && errno == EINTR) {
  }
  peak_kib_at_end_ = usage.ru_maxrss;
  pid_ = -1;
}

uint64_t Process::MemoryInUse() const {
  return pid_ < 0 ? 0 : TreeMemory(pid_);
}

uint64_t Process::PeakKib() const {
  if (pid_ < 0) return peak_kib_at_end_;
  return StatusKib(ReadProc(absl::StrCat("/proc/", pid_, "/status")), "VmHWM:");
}

void Process::ForgetPeak() const {
  if (pid_ < 0) return;
  std::ofstream(absl::StrCat("/proc/", pid_, "/clear_refs")) << "5";
}

}  // namespace gguf::readers
