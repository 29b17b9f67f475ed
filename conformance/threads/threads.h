// RunThreads: the same work by several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_THREADS_THREADS_H_
#define GGUF_CONFORMANCE_THREADS_THREADS_H_

#include <cstdint>
#include <functional>

namespace gguf {

// Runs `work` at the same time in up to `count` threads, one of them the
// caller's, and returns when all have ended.  Where the system allows fewer
// threads, the others do the work.  Rethrows the first exception of a thread.
void RunThreads(uint64_t count, const std::function<void()>& work);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_THREADS_THREADS_H_
