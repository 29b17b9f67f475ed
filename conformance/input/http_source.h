// HttpSource: reads a file on a web server from its beginning.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/input/range_source.h"

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

class HttpSource : public RangeSource {
 public:
  // Errors of ReadTo(), besides those of RangeSource: Unavailable when the
  // server cannot be reached, is too slow, or closes the connection;
  // FailedPrecondition for a redirect that is not followed.
  HttpSource(const std::string& url, HttpOptions options);

 protected:
  absl::Status Get(RangeResponse* response) override;

 private:
  struct Transfer;
  struct Free {
    void operator()(void* curl) const;
  };

  void SetOptions(const std::string& url);

  const HttpOptions options_;
  const std::unique_ptr<void, Free> curl_;  // A CURL handle.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_SOURCE_H_
