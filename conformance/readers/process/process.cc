// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/process/process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/readers/process/proc_memory.h"
#include "conformance/readers/process/supervisor.h"

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
  while (waitpid(supervisor_, &status_, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = -1;
  // Without an Ending, the supervisor was itself killed.
  Ending ending;
  if (ending_.Read(&ending, sizeof(ending)) != sizeof(ending)) return;
  status_ = ending.status;
  peak_kib_at_end_ = ending.peak_kib;
}

bool Process::UsesMoreThan(uint64_t memory) const {
  return !ended() && DescendantsUseMoreThan(memory, supervisor_);
}

uint64_t Process::PeakKib() const {
  return ended() ? peak_kib_at_end_ : PeakKibOf(pid_);
}

void Process::ForgetPeak() const {
  if (ended()) return;
  std::ofstream(absl::StrCat("/proc/", pid_, "/clear_refs")) << "5";
}

}  // namespace gguf::readers
