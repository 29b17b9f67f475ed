// ByteSource: a file that arrives from its beginning on.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_BYTE_SOURCE_H_
#define GGUF_CONFORMANCE_INPUT_BYTE_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"

namespace gguf {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Makes `*bytes` the first `count` bytes of the file, or all of it when it is
  // shorter.  `*bytes` is what the last call left.  Errors say what happened.
  virtual absl::Status ReadTo(uint64_t count, std::string* bytes) = 0;

  // Of the whole file, once something was read; nothing when that is not said.
  virtual std::optional<uint64_t> size() const = 0;
};

// A pipe, a socket or a file, read once.  Does not close it.
class StreamSource : public ByteSource {
 public:
  explicit StreamSource(int fd) : fd_(fd) {}
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;
  std::optional<uint64_t> size() const override { return std::nullopt; }

 private:
  const int fd_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_BYTE_SOURCE_H_
