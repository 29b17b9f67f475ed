// HttpSource: reads a file on a web server from its beginning.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/input/read_header.h"

namespace gguf {

struct HttpOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  // Abort a transfer that is slower than 1 KiB per second for this long.
  std::chrono::seconds stall_timeout{30};
  // The time limit of one request.
  std::chrono::milliseconds request_timeout{600'000};
  int redirects = 5;
  // Follow redirects to loopback, private and link-local addresses.  An
  // untrusted server could use them to probe this network.
  bool private_redirects = false;
  // Returning true ends a request.  May be empty.
  std::function<bool()> stop;
};

// Returns whether an argument is a URL that HttpSource reads: http:// or
// https://.
bool IsHttpUrl(absl::string_view path);

// Returns the URL without user, query and fragment, which may be secret, for
// reports and errors.
std::string ShownUrl(absl::string_view url);

// Sends range requests, one after another.  If the server does not support
// them, reads from the beginning again.  Not thread-safe.
class HttpSource : public ByteSource {
 public:
  HttpSource(const std::string& url, HttpOptions options);

  // Errors: NotFound and PermissionDenied as reported by the server;
  // Unavailable when the server cannot be reached, is too slow, or closes the
  // connection; Aborted when the file changed between two requests;
  // FailedPrecondition for a redirect that is not followed.
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;

  std::optional<uint64_t> size() const override { return size_; }

 private:
  struct Transfer;
  struct Free {
    void operator()(void* curl) const;
  };

  void SetOptions(const std::string& url);
  absl::Status Fetch(uint64_t begin, uint64_t end, std::string* bytes);
  // Checks that the response agrees with earlier ones.
  absl::Status Compare(const Transfer& transfer);

  const HttpOptions options_;
  const std::unique_ptr<void, Free> curl_;  // A CURL handle.
  std::optional<uint64_t> size_;
  std::string etag_, modified_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
