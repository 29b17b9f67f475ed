// DoInOrder: runs work in several threads and delivers results in order.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_DO_IN_ORDER_H_
#define GGUF_CONFORMANCE_GATE_DO_IN_ORDER_H_

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "conformance/threads/threads.h"

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_DO_IN_ORDER_H_
