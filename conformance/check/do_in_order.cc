// Adds up the progress of files that are checked at the same time.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/do_in_order.h"

#include <algorithm>
#include <utility>

namespace gguf {

RunProgress::RunProgress(const std::vector<Group>& groups,
                         std::function<void(const GateProgress&)> show)
    : show_(std::move(show)) {
  for (const Group& group : groups) {
    groups_.push_back({group});
    progress_.files += group.files;
    progress_.bytes += group.bytes;
  }
}

void RunProgress::Read(size_t group, uint64_t done, uint64_t total) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = groups_[group];
  if (done < state.done) {
    state.before += state.total;
  } else if (state.total > 0 && total > state.total) {
    // Some of the data is read once more.
    state.all.bytes += total - state.total;
    progress_.bytes += total - state.total;
  }
  state.done = done;
  state.total = total;
  Count(&state, state.before + done);
  show_(progress_);
}

void RunProgress::Finish(size_t group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  State& state = groups_[group];
  Count(&state, state.all.bytes);
  progress_.files_done += state.all.files;
  show_(progress_);
}

void RunProgress::Count(State* state, uint64_t bytes) {
  bytes = std::clamp(bytes, state->counted, state->all.bytes);
  progress_.bytes_done += bytes - state->counted;
  state->counted = bytes;
}

}  // namespace gguf
