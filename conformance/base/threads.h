// RunThreads: runs the same work in several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_THREADS_H_
#define GGUF_CONFORMANCE_BASE_THREADS_H_

#include <cstdint>
#include <functional>

namespace gguf {

// Runs `work` concurrently in up to `count` threads, including the caller's,
// and returns when all have ended.  If the system allows fewer threads, those
// do the work.  Rethrows the first exception of a thread.
void RunThreads(uint64_t count, const std::function<void()>& work);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_THREADS_H_
