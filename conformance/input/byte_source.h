// ByteSource: a file that is read sequentially from its beginning.
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

  // Extends `*bytes` to the first `count` bytes of the file, or to all of it
  // when it is shorter.  `*bytes` must be as the last call left it.
  virtual absl::Status ReadTo(uint64_t count, std::string* bytes) = 0;

  // Returns the size of the whole file, after the first read; nothing if
  // unknown.
  virtual std::optional<uint64_t> size() const = 0;
};

// A descriptor of a pipe, a socket or a file, read once and not closed.
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
