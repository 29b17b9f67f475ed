// Session: a running implementation that reads one file after the other; and
// Implementation, which starts it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conformance/readers/process/failure.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {

// An Observation is the result of reading one file.
struct Observation {
  Outcome outcome;
  Answer answer;            // Complete if the outcome is safe.
  std::string stderr_tail;  // At most 4 KiB.
  Failure failure;          // Of an outcome that is not safe.
  absl::Duration time;
  uint64_t peak_kib = 0;  // Peak resident memory, with mapped files.
};

// Owns one process that implements the protocol.
class Session {
 public:
  // Starts the reader and waits at most `patience` for its greeting.  Errors
  // state what happened instead.
  static absl::StatusOr<std::unique_ptr<Session>> Start(
      const Reader& reader, absl::Duration patience = absl::Seconds(30),
      const std::function<bool()>& interrupted = [] { return false; });

  const Greeting& greeting() const { return greeting_; }
  bool has_network() const { return has_network_; }

  // Whether it is running and has written no unexpected protocol line.
  bool Ready();

  // Sends an absolute path without line breaks, and reads the answer.  Requires
  // Ready().  If the outcome is not safe, the process is killed.
  Observation Read(const std::string& path, const WatchLimits& limits);

  // Closes its input and waits for its end.  Returns what went wrong since the
  // last verdict: an unexpected protocol line (kProtocol), a signal, a
  // sanitizer report or a flood.  kSkip: nothing that concerns the file; the
  // detail states a non-zero exit code or a process that did not exit.
  Outcome Close(const WatchLimits& limits);

  // Whether it wrote unexpected protocol lines, so that its verdicts may belong
  // to other files.
  bool out_of_step() const { return out_of_step_; }

 private:
  explicit Session(std::unique_ptr<Process> process)
      : has_network_(process->has_network()), watch_(std::move(process)) {}

  absl::Status Greet(const WatchLimits& limits);

  bool has_network_;
  LineWatch watch_;
  Greeting greeting_;
  bool out_of_step_ = false;
};

// Runs a reader whose command has {path}, for one file.
absl::StatusOr<Observation> ReadBare(const Reader& reader, const std::string& path,
                                     const WatchLimits& limits);

// Reads files with one reader, through a Session, which it restarts when
// necessary, or by bare commands.
class Implementation {
 public:
  // Keeps a reference to the reader.
  explicit Implementation(const Reader& reader) : reader_(reader) {}

  // Reads a file, which doubted() identifies by `number`.  Error: the reader
  // could not be started.
  absl::StatusOr<Observation> Read(size_t number, const std::string& path,
                                   const WatchLimits& limits);

  // Ends the process.  Returns what went wrong after the last verdict, like
  // Session::Close().
  Outcome End(const WatchLimits& limits);

  // The files whose observations are unreliable, because the implementation
  // wrote an unexpected protocol line or ended after its verdict.
  const std::vector<size_t>& doubted() const { return doubted_; }

 private:
  // Marks the files of an ended session as doubted.
  void Doubt(bool out_of_step);

  const Reader& reader_;
  std::unique_ptr<Session> session_;
  std::vector<size_t> asked_;  // In this session.
  std::vector<size_t> doubted_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_
