// What a TLS client trusts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_TLS_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_TLS_H_

#include <openssl/ssl.h>

#include <string>

#include "absl/status/statusor.h"
#include "boost/asio/ssl/context.hpp"

namespace gguf {

// Returns a context for TLS 1.2 and later that trusts the certificates in
// `ca_file`; if that is empty, those of SSL_CERT_FILE or SSL_CERT_DIR; if these
// are not set, those of the system.
//
// Errors: InvalidArgument when `ca_file` has no certificates.
absl::StatusOr<boost::asio::ssl::context> TrustingContext(const std::string& ca_file);

// Makes a handshake fail unless the certificate is for this host, a name or an
// address.  Returns whether it could.
bool ExpectHost(const std::string& host, SSL* ssl);

// Returns why a handshake failed, if the certificate was the reason; otherwise
// empty.
std::string WhyNotTrusted(const SSL* ssl);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_TLS_H_
