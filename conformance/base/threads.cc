// Starts threads, and waits for them.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/threads.h"

#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace gguf {

void RunThreads(uint64_t count, const std::function<void()>& work) {
  std::mutex mutex;  // Guards `first`.
  std::exception_ptr first;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!first) first = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  try {
    for (uint64_t i = 1; i < count; ++i) threads.emplace_back(guarded);
  } catch (const std::exception&) {
    // No more threads, or no memory for them: the running ones do the work.
  }
  guarded();
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace gguf
