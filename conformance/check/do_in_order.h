// DoInOrder: runs work in several threads and delivers results in order; and RunProgress, how far a
// run over many files is.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_DO_IN_ORDER_H_
#define GGUF_CONFORMANCE_CHECK_DO_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/base/threads.h"

namespace gguf {

// The work on the pieces 0 to count - 1.
template <class Result>
struct OrderedWork {
  uint64_t count = 0;
  unsigned threads = 1;
  // The most results that wait in memory: no piece is started that is this far
  // ahead of the next one to be taken.
  uint64_t window = 1;

  // Called by any thread.
  std::function<Result(uint64_t piece)> work;
  // Called by one thread at a time, in order.  Returning false stops the start
  // of further pieces.
  std::function<bool(Result result)> take;
  // Called before each piece.  Returning true stops the start of further
  // pieces.
  std::function<bool()> stop;
};

namespace internal {

template <class Result>
class OrderedWorker {
 public:
  explicit OrderedWorker(const OrderedWork<Result>& job) : job_(job) {}

  // Works until no piece is left to start.  After an exception no thread starts
  // another one.
  void Run() {
    uint64_t piece;
    try {
      while (Claim(&piece)) Deliver(piece, job_.work(piece));
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
      changed_.notify_all();
      throw;
    }
  }

  uint64_t taken() const { return taken_; }

 private:
  bool Claim(uint64_t* piece) {
    std::unique_lock<std::mutex> lock(mutex_);
    const auto may_go_on = [this] { return stopped_ || next_ < taken_ + job_.window; };
    changed_.wait(lock, may_go_on);
    if (job_.stop()) stopped_ = true;
    if (stopped_ || next_ == job_.count) return false;
    *piece = next_++;
    return true;
  }

  // Delivers a result.  Started pieces are taken even after a stop.
  void Deliver(uint64_t piece, Result result) {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting_.emplace(piece, std::move(result));
    while (!waiting_.empty() && waiting_.begin()->first == taken_) {
      Result first = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      ++taken_;
      if (!job_.take(std::move(first))) stopped_ = true;
    }
    changed_.notify_all();
  }

  const OrderedWork<Result>& job_;
  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  uint64_t next_ = 0;   // The next piece to start.
  uint64_t taken_ = 0;  // Also the number of the next piece to be taken.
  bool stopped_ = false;
  std::map<uint64_t, Result> waiting_;
};

}  // namespace internal

// Returns how many pieces were taken: the first ones, without a gap.  Rethrows
// exceptions of `work` and `take`.
template <class Result>
uint64_t DoInOrder(const OrderedWork<Result>& job) {
  internal::OrderedWorker<Result> worker(job);
  RunThreads(std::min<uint64_t>(job.threads, job.count), [&] { worker.Run(); });
  return worker.taken();
}

// RunProgress: how far a run over many files is.

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

#endif  // GGUF_CONFORMANCE_CHECK_DO_IN_ORDER_H_
