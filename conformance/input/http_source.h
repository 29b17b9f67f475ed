// HttpSource: the bytes of a file on a web server, from its beginning on.
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
#include "conformance/input/byte_source.h"

namespace gguf {

struct HttpOptions {
  std::chrono::milliseconds connect_timeout{10'000};
  // A transfer that is slower than 1 KiB a second for so long is given up.
  std::chrono::seconds stall_timeout{30};
  // For one request, whatever its speed.
  std::chrono::milliseconds request_timeout{600'000};
  int redirects = 5;
  // Follow redirects to loopback, private and link-local addresses, which a
  // stranger's server could choose so as to look into this network.
  bool private_redirects = false;
  // Ends a request when it says true.  May be empty.
  std::function<bool()> stop;
};

// Whether an argument is a URL that HttpSource reads: http:// or https://.
bool IsHttpUrl(absl::string_view path);

// The URL without user, query and fragment, which may be secret: what reports
// and errors show.
std::string ShownUrl(absl::string_view url);

// Reads by range requests, one after another; from a server that does not know
// them, by reading from the beginning again.  Not for several threads.
class HttpSource : public ByteSource {
 public:
  HttpSource(const std::string& url, HttpOptions options);

  // Errors: NotFound and PermissionDenied as the server says; Unavailable for
  // a server that cannot be reached, is too slow, or breaks off; Aborted when
  // the file changed between two requests; FailedPrecondition for a redirect
  // that is not followed.
  absl::Status ReadTo(uint64_t count, std::string* bytes) override;

  std::optional<uint64_t> size() const override { return size_; }

 private:
  struct Transfer;
  struct Free {
    void operator()(void* curl) const;
  };

  void SetOptions(const std::string& url);
  absl::Status Fetch(uint64_t begin, uint64_t end, std::string* bytes);
  // Nothing differs from what the server said before.
  absl::Status Compare(const Transfer& transfer);

  const HttpOptions options_;
  const std::unique_ptr<void, Free> curl_;  // A CURL handle.
  std::optional<uint64_t> size_;
  std::string etag_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
