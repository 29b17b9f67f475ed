// Url: the parts of an http or https URL; the proxy for it; headers to send; and addresses that an
// untrusted server must not redirect to.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_URL_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_URL_H_

#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

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

// A name and a value.
using HttpHeader = std::pair<std::string, std::string>;

// Parses "Name: value".  Errors: InvalidArgument.
absl::StatusOr<HttpHeader> ParseHeader(absl::string_view line);

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

// Recognizes addresses that an untrusted server must not redirect to.

// Returns whether an address is not public: loopback, private, shared,
// link-local, multicast, unspecified or reserved, in IPv4 or IPv6, including
// IPv4 embedded in IPv6; or of another family.
//
// Source: IANA's registries of special-purpose addresses (RFC 6890).
bool IsPrivateAddress(const sockaddr& address);

// ProxyFor: the proxy that the environment names for a URL.

// Returns the value of a variable, or null, as std::getenv() does.
using Environment = std::function<const char*(const char* name)>;

// Returns the proxy of http_proxy, https_proxy or all_proxy, in lower or upper
// case, unless no_proxy lists the host; nothing if there is none.  HTTP_PROXY
// is ignored, because a CGI server sets it from a request.  The list's entries
// are "*", names, which include their subdomains, and addresses, each with a
// port or not.
//
// Errors: InvalidArgument, with the variable's name, for a proxy that is not
// http://HOST:PORT, with a user or not.
absl::StatusOr<std::optional<Url>> ProxyFor(const Url& url, const Environment& environment);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_URL_H_
