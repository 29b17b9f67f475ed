// Process: a third-party program, isolated from the rest of the machine.
//
// It has no core dumps; no network where the system permits this; only the
// given environment; and no open files except its three pipes.  A supervisor
// kills it with all its descendants, at the latest when the runner, or the
// thread that started it, ends in any way.  Where the system permits this, they
// have a PID namespace, which the kernel ends with the supervisor.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_

#include <errno.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf::readers {

struct ProcessOptions {
  std::vector<std::string> command;      // The first is looked up in PATH.
  std::vector<std::string> environment;  // "NAME=value"; complete.
  std::string folder;                    // Working directory; empty: current.
  uint64_t address_space = 0;            // In bytes; 0 for no limit.
};

// What a supervisor writes at its end.
struct Ending {
  int status;         // Of the program, as of waitpid().
  uint64_t peak_kib;  // Its peak resident memory.
};

// The signal that makes a supervisor kill the program.
constexpr int kStopSignal = SIGTERM;

// A process that the system cannot kill now (it waits for a device, or runs as
// another user) must not hold up the run.
constexpr int kMostSecondsToKill = 5;

// Owns a file descriptor, and closes it when destroyed.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  // -1 if closed.
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

  // Calls read() until no signal interrupts it.
  ssize_t Read(void* to, size_t size) const {
    ssize_t got;
    do {
      got = read(fd_, to, size);
    } while (got < 0 && errno == EINTR);
    return got;
  }

  void Close() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// Runs one program.  The destructor kills it.
class Process {
 public:
  // NotFound or PermissionDenied: the program cannot be run.  Other errors: the
  // system is out of processes or pipes.  Makes the runner ignore SIGPIPE.
  static absl::StatusOr<std::unique_ptr<Process>> Start(const ProcessOptions& options);

  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Writes to its standard input.  Returns false if the pipe is full or closed.
  bool Write(absl::string_view text);
  void CloseInput() { stdin_.Close(); }

  enum class Event { kOutput, kNothing, kEnded };

  // Waits at most `milliseconds` for output.  Appends standard output, at most
  // 64 KiB, and keeps the end of standard error.  kEnded: the process has ended
  // and all its output was read.
  Event Wait(int milliseconds, std::string* output);

  // Kills the process and all its descendants.
  void Kill();
  // Makes it abort: many runtimes then write what it was doing.
  void Abort();

  // True after kEnded or Kill(); status() is then the status of waitpid().
  bool ended() const { return supervisor_ < 0; }
  int status() const { return status_; }

  // The last bytes of standard error since ForgetErrors(), at most 256 KiB, and
  // the number of all bytes.
  const std::string& error_tail() const { return error_tail_; }
  uint64_t error_bytes() const { return error_bytes_; }
  void ForgetErrors();

  // Returns whether the process and its descendants use more memory than this,
  // in bytes, including swapped memory, without pages of mapped files.  Pages
  // that several share count once.  More than 1,000 processes count as too much
  // memory.
  bool UsesMoreThan(uint64_t memory) const;
  // Returns the peak resident memory of the process in KiB, including mapped
  // files, since its start or the last ForgetPeak().
  uint64_t PeakKib() const;
  void ForgetPeak() const;

  bool has_network() const { return has_network_; }

 private:
  Process() = default;

  void ReadErrors();
  void Poll(int milliseconds);
  bool HasEnded() const;

  pid_t supervisor_ = -1;  // -1 once it was waited for.
  pid_t pid_ = -1;         // In /proc.
  FileDescriptor ending_;  // For the supervisor's Ending.
  FileDescriptor end_;     // Its pidfd; closed on old kernels.
  int status_ = 0;
  uint64_t peak_kib_at_end_ = 0;
  bool has_network_ = true;
  FileDescriptor stdin_, stdout_, stderr_;
  std::string error_tail_;
  uint64_t error_bytes_ = 0;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_
