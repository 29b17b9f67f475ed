// Session: a testee that lives and is asked about one file after the other.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/protocol/outcome.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/process/reader.h"

namespace gguf::readers {

// What was seen of the reading of one file.
struct Observation {
  Outcome outcome;
  Answer answer;            // Complete when the outcome is safe.
  std::string stderr_tail;  // At most 4 KiB.
  absl::Duration time;
  uint64_t peak_kib = 0;  // Most resident memory, mapped files included.
};

class Session {
 public:
  // Starts the reader and waits for its greeting, at most `patience`.  Errors
  // say what came instead.
  static absl::StatusOr<std::unique_ptr<Session>> Start(
      const Reader& reader, absl::Duration patience = absl::Seconds(30));

  const Greeting& greeting() const { return greeting_; }
  bool has_network() const { return has_network_; }

  // Whether it can be asked: it lives, and has written nothing unasked.
  bool Ready();

  // Asks for the file at an absolute path without line breaks.  Call it when
  // it is ready.  When the outcome is not safe, the process is no more.
  Observation Read(const std::string& path, const WatchLimits& limits);

  // Ends its input and waits until it has ended.  Says what went wrong since
  // the last verdict: a line of the protocol that nobody asked for (kProtocol),
  // an end by a signal or a sanitizer, a flood.  kSkip: nothing that is about
  // the file; if it did not end with 0 or not at all, the detail says so.
  Outcome Close(const WatchLimits& limits);

  // Whether it wrote lines of the protocol unasked, by which its verdicts may
  // have come to belong to other files.
  bool out_of_step() const { return out_of_step_; }

 private:
  explicit Session(std::unique_ptr<Process> process)
      : has_network_(process->has_network()), watch_(std::move(process)) {}

  absl::Status Greet(absl::Duration patience);

  bool has_network_;
  LineWatch watch_;
  Greeting greeting_;
  bool out_of_step_ = false;
};

// Runs a reader whose command has {path} for one file.
absl::StatusOr<Observation> ReadBare(const Reader& reader,
                                     const std::string& path,
                                     const WatchLimits& limits);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_SESSION_H_
