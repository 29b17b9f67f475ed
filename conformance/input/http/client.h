// HttpClient: sends GET requests over HTTP/1.1, with and without TLS.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_CLIENT_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_CLIENT_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/input/http/url.h"

namespace gguf {

// What the user decides.
struct HttpAccess {
  // Follow redirects to loopback, private and link-local addresses.  An
  // untrusted server could use them to probe this network.
  bool private_redirects = false;
  // For the server of the URL, not for one to which it redirects.  The last of
  // a name counts.
  std::vector<HttpHeader> headers;
  // A file of certificates (PEM) to trust, instead of the system's; may be
  // empty.
  std::string ca_file;
};

struct HttpOptions {
  HttpAccess access;
  std::chrono::milliseconds connect_timeout{10'000};
  // Abort a transfer that is slower than 1 KiB per second for this long.
  std::chrono::seconds stall_timeout{30};
  // The time limit of one request, with its redirects.
  std::chrono::milliseconds request_timeout{600'000};
  int redirects = 5;
  // Returning true ends a request.  May be empty.
  std::function<bool()> stop;
};

// Returns the error of a status code that is not one of success.
absl::Status StatusOfCode(int code);

// Receives the response that is not a redirect, as it arrives.
class HttpReceiver {
 public:
  virtual ~HttpReceiver() = default;

  // A header; `code` is the status code of the response.
  virtual void AddHeader(absl::string_view name, absl::string_view value, int code) = 0;
  // A part of the body, decoded.  Returns false when nothing more is needed.
  virtual bool AddBody(absl::string_view data, int code) = 0;
};

// A client keeps one connection to each server for the next request.  It uses
// the proxies of the environment (proxy.h).  It follows a redirect from https
// only to https, and only to addresses that it looked up and vetted, through a
// proxy too, unless `private_redirects` is set.  Not thread-safe.
class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();

  // Requests a URL; `range` is the value of the header Range, or empty.
  // Returns the status code.
  //
  // Errors: Unavailable when a server cannot be reached or trusted, is too
  // slow, violates HTTP, or closes the connection; FailedPrecondition for a
  // redirect that is not followed; InvalidArgument for an invalid proxy or
  // file of certificates; Cancelled after `stop`.
  absl::StatusOr<int> Get(const Url& url, const std::string& range, HttpReceiver* receiver);

 private:
  class Session;
  const std::unique_ptr<Session> session_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_CLIENT_H_
