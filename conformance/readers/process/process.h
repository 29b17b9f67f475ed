// Process: a third party's program, kept apart from the rest of the machine.
//
// It has a process group of its own, which is killed as a whole, no core
// dumps, no network where the system permits that, only the environment that
// it is given, and no open file but its three pipes.  It ends with the thread
// that started it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/process/file_descriptor.h"

namespace gguf::readers {

struct ProcessOptions {
  std::vector<std::string> command;      // The first is searched for in PATH.
  std::vector<std::string> environment;  // "NAME=value"; all that there is.
  std::string folder;                    // To run in; empty: the current one.
  uint64_t address_space = 0;            // In bytes; 0 for no limit.
};

class Process {
 public:
  // NotFound or PermissionDenied: there is no such program; else the system
  // has no process or pipe left.  From now on the runner ignores SIGPIPE.
  static absl::StatusOr<std::unique_ptr<Process>> Start(
      const ProcessOptions& options);

  // Kills it.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Writes to its standard input.  False: it does not take that now, or no
  // more.
  bool Write(absl::string_view text);
  void CloseInput() { stdin_.Close(); }

  enum class Event { kOutput, kNothing, kEnded };

  // What it does within the next `milliseconds`: appends what it writes to
  // standard output, at most 64 KiB, and keeps the end of what it writes to
  // standard error.  kEnded: it has ended, and all it wrote was read.
  Event Wait(int milliseconds, std::string* output);

  // Kills the process and all others of its group.
  void Kill();

  // After kEnded or Kill(); then also the status of waitpid().
  bool ended() const { return pid_ < 0; }
  int status() const { return status_; }

  // The last bytes of standard error since ForgetErrors(), at most 4 KiB, and
  // how many there were.
  const std::string& error_tail() const { return error_tail_; }
  uint64_t error_bytes() const { return error_bytes_; }
  void ForgetErrors();

  // Memory of the process and its descendants, without mapped files, in bytes;
  // 0 when it has ended.
  uint64_t MemoryInUse() const;
  // The most that the process took, mapped files included, in KiB, since it
  // started or ForgetPeak() was called.
  uint64_t PeakKib() const;
  void ForgetPeak() const;

  bool has_network() const { return has_network_; }

 private:
  Process() = default;

  bool ReadOutput(std::string* output);
  void ReadErrors();
  void Poll(int milliseconds);
  bool HasEnded() const;

  pid_t pid_ = -1;  // -1: it was waited for.
  int status_ = 0;
  uint64_t peak_kib_at_end_ = 0;
  bool has_network_ = true;
  FileDescriptor stdin_, stdout_, stderr_;
  std::string error_tail_;
  uint64_t error_bytes_ = 0;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_PROCESS_H_
