// ProxyFor: the proxy that the environment names for a URL.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_PROXY_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_PROXY_H_

#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "conformance/input/http/url.h"

namespace gguf {

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

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_PROXY_H_
