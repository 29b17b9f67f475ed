// WholeDigest: the SHA-256 of a whole file, computed by a thread of its own
// while others read the weights.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_DIGEST_WHOLE_DIGEST_H_
#define GGUF_CONFORMANCE_DIGEST_WHOLE_DIGEST_H_

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "parser/core/bytes.h"

namespace gguf {

// A SHA-256 cannot be divided among threads, so it is what takes longest.  The
// thread begins with the object, and reads each byte once, in the order of the
// file, as the scan of the weights does: both find the same bytes in memory.
class WholeDigest {
 public:
  using Progress = std::function<void(uint64_t done, uint64_t total)>;

  // Begins.  `progress` receives the number of bytes read, and of all bytes;
  // `stop` ends the work when it returns true.  Both may be empty.
  WholeDigest(Bytes bytes, Progress progress, std::function<bool()> stop);
  ~WholeDigest();
  WholeDigest(const WholeDigest&) = delete;
  WholeDigest& operator=(const WholeDigest&) = delete;

  // Waits for the end.  Returns 64 hex digits, or nothing if it was stopped.
  std::optional<std::string> Finish();

 private:
  void Run();

  const Bytes bytes_;
  const Progress progress_;
  const std::function<bool()> stop_;
  std::atomic<bool> is_cancelled_{false};
  std::optional<std::string> digest_;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_DIGEST_WHOLE_DIGEST_H_
