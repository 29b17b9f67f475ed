// RangeSource: reads a file from its beginning by HTTP range requests, over any
// transport.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_RANGE_SOURCE_H_
#define GGUF_CONFORMANCE_INPUT_RANGE_SOURCE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/input/http/client.h"
#include "conformance/input/read_header.h"

namespace gguf {

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

#endif  // GGUF_CONFORMANCE_INPUT_RANGE_SOURCE_H_
