// Url: the parts of an http or https URL.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_URL_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_URL_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gguf {

struct Url {
  bool secure = false;  // https.
  std::string user;     // "user:password", decoded; empty if there is none.
  std::string host;     // In lower case; an IPv6 address without brackets.
  std::string port;     // Decimal.
  std::string target;   // Path and query, as sent to the server.

  std::string HostAndPort() const;
  // Returns the host and, unless it is the scheme's own, the port.
  std::string Authority() const;
};

// Returns whether both have the same scheme, host and port.
bool SameOrigin(const Url& a, const Url& b);

// Returns whether an argument is a URL: http:// or https://.
bool IsHttpUrl(absl::string_view text);

// Parses a URL without its fragment (RFC 3986).
//
// Errors: InvalidArgument for another scheme, no host, an invalid port, and
// characters that a URL must escape, such as spaces and line breaks.
absl::StatusOr<Url> ParseUrl(absl::string_view text);

// Resolves the Location of a redirect from `base`.  Errors: as above.
absl::StatusOr<Url> ResolveUrl(const Url& base, absl::string_view location);

// Returns the URL without user, query and fragment, which may be secret, for
// reports and errors.
std::string ShownUrl(absl::string_view url);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_URL_H_
