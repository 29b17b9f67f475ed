// Testee: a reader that is asked about files, whichever way it is run, and
// started again when that is needed.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_PROCESS_IMPLEMENTATION_H_
#define GGUF_CONFORMANCE_READERS_PROCESS_IMPLEMENTATION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/process/session.h"

namespace gguf::readers {

class Implementation {
 public:
  // Keeps a reference to the reader.
  explicit Implementation(const Reader& reader) : reader_(reader) {}

  // Asks for a file; `number` stands for it below.  Error: the reader could not
  // be started.
  absl::StatusOr<Observation> Read(size_t number, const std::string& path,
                                   const WatchLimits& limits);

  // Ends the process.  What went wrong behind the last verdict, as
  // Session::Close() has it.
  Outcome End(const WatchLimits& limits);

  // The files whose observations are not to be believed, because the testee
  // wrote something unasked or ended behind its verdict.
  const std::vector<size_t>& doubted() const { return doubted_; }

 private:
  // What is known when a session ends.
  void Doubt(bool out_of_step);

  const Reader& reader_;
  std::unique_ptr<Session> session_;
  std::vector<size_t> asked_;  // In this session.
  std::vector<size_t> doubted_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_IMPLEMENTATION_H_
