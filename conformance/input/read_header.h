// ReadHeader: reads the beginning of a GGUF file up to the end of its tables; and RangeSource,
// which reads it by HTTP range requests.
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
#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/input/http/client.h"

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

// RangeSource: reads a file from its beginning by HTTP range requests, over any
// transport.

// The parts of "bytes 100-199/1234"; the size may be unknown, "*".
struct ContentRange {
  uint64_t begin = 0;
  uint64_t end = 0;  // After the last byte.
  std::optional<uint64_t> size;
};

// The file on the server, according to a response.
struct ServedFile {
  std::optional<uint64_t> size;
  std::string etag, modified;

  friend bool operator==(const ServedFile& a, const ServedFile& b) {
    return a.size == b.size && a.etag == b.etag && a.modified == b.modified;
  }
};

// The response to a GET request for the bytes [begin, end) of a file, as it
// arrives.
class RangeResponse : public HttpReceiver {
 public:
  // `bytes` has the first `begin` bytes of the file, and gets the others; it
  // must outlive the response.
  RangeResponse(uint64_t begin, uint64_t end, std::string* bytes)
      : begin_(begin), end_(end), bytes_(bytes) {}

  void AddHeader(absl::string_view name, absl::string_view value, int code) override;
  bool AddBody(absl::string_view data, int code) override;

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  const ServedFile& file() const { return file_; }
  // Judges the complete response.  Errors are those of RangeSource::ReadTo.
  absl::Status Judge(int code) const;

 private:
  const uint64_t begin_;
  const uint64_t end_;
  std::string* const bytes_;

  ServedFile file_;
  std::optional<ContentRange> range_;  // Of the body, if known.
  bool has_bad_range_ = false;
  uint64_t body_ = 0;  // Bytes of the body so far.
};

// Sends range requests, one after another.  If the server does not support
// them, reads from the beginning again.  Not thread-safe.
class RangeSource : public ByteSource {
 public:
  // Errors: NotFound and PermissionDenied as reported by the server;
  // Unavailable for other responses without the bytes that were requested;
  // Aborted when the file changed between two requests; those of Get().
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;

  std::optional<uint64_t> size() const override { return file_.size; }

 protected:
  // Sends the request and passes the response on.  Returns its Judge(), or why
  // there is no complete response.
  virtual absl::Status Get(RangeResponse* response) = 0;

 private:
  ServedFile file_;  // According to the first response.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_READ_HEADER_H_
