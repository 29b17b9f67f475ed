// Implementation: an implementation under test, run in either mode and
// restarted when necessary.
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

// Reads files with one reader, through a Session or by bare commands.
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

#endif  // GGUF_CONFORMANCE_READERS_PROCESS_IMPLEMENTATION_H_
