// RunProgress: how far a run over many files is.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_RUN_PROGRESS_H_
#define GGUF_CONFORMANCE_GATE_RUN_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace gguf {

struct GateProgress {
  uint64_t files_done = 0;
  uint64_t files = 0;
  // Of the data that the run reads; `bytes` is 0 if it reads only headers and
  // tables.  A file that is done counts with all of its bytes.
  uint64_t bytes_done = 0;
  uint64_t bytes = 0;
};

// Adds up the progress of groups of files.  Thread-safe.
class RunProgress {
 public:
  struct Group {
    uint64_t files = 1;
    // To be read, in all passes over the data.
    uint64_t bytes = 0;
  };

  // `show` is called after each change, by one thread at a time.
  RunProgress(const std::vector<Group>& groups, std::function<void(const GateProgress&)> show);

  // Records what one pass over the data of a file of the group has read.  A
  // smaller `done` than before begins the next pass, or the next file;
  // otherwise, a larger `total` than before adds to what the run reads.
  void Read(size_t group, uint64_t done, uint64_t total);

  // Records that all files of the group are done.
  void Finish(size_t group);

 private:
  struct State {
    Group all;
    uint64_t before = 0;  // Bytes of earlier passes.
    uint64_t done = 0;    // Of this pass.
    uint64_t total = 0;
    uint64_t counted = 0;  // Bytes of the group in progress_.
  };

  // Counts this many bytes of the group, at most all.
  void Count(State* state, uint64_t bytes);

  const std::function<void(const GateProgress&)> show_;
  std::mutex mutex_;  // Guards the members below.
  std::vector<State> groups_;
  GateProgress progress_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_RUN_PROGRESS_H_
