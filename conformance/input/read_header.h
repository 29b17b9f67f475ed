// ReadHeader: reads the beginning of a GGUF file up to the end of its tables.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_READ_HEADER_H_
#define GGUF_CONFORMANCE_INPUT_READ_HEADER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "parser/core/deadline.h"
#include "parser/core/limits.h"

namespace gguf {

// A file that is read sequentially from its beginning.
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

// Reads at most `size` bytes, as soon as there are some; 0 at the end.
//
// Errors: Cancelled when the deadline passes; otherwise the system's.
absl::StatusOr<size_t> ReadSome(int fd, const Deadline& deadline, char* to, size_t size);

// A descriptor of a pipe, a socket or a file, read once and not closed.
class StreamSource : public ByteSource {
 public:
  // `deadline` must outlive this object.
  StreamSource(int fd, const Deadline& deadline) : fd_(fd), deadline_(deadline) {}
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;
  std::optional<uint64_t> size() const override { return std::nullopt; }

 private:
  const int fd_;
  const Deadline& deadline_;
};

struct FileHeader {
  std::string prefix;  // The beginning of the file, or all of it.
  uint64_t size;       // Size of the file.
};

// Reads until the header, the keys and the tensor table are complete, or until
// it is clear that they cannot be read; a check then reports the broken file.
// `size` is the size of the whole file, for sources that do not know it; if
// both are known, they must agree.  The first read is of `first_read` bytes, at
// least 1, which cover the keys of most models without a vocabulary.
//
// Errors: those of the source; InvalidArgument when no size is known;
// Unavailable when the source ends too early; Unimplemented for a legacy
// (pre-GGUF) format, whose tensor table is spread over the file.
absl::StatusOr<FileHeader> ReadHeader(ByteSource* source, std::optional<uint64_t> size,
                                      const Limits& limits, uint64_t first_read = 256 << 10);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_READ_HEADER_H_
