// Recognizes addresses that an untrusted server must not redirect to.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_PRIVATE_ADDRESS_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_PRIVATE_ADDRESS_H_

#include <sys/socket.h>

namespace gguf {

// Returns whether an address is not public: loopback, private, shared,
// link-local, multicast, unspecified or reserved, in IPv4 or IPv6, including
// IPv4 embedded in IPv6; or of another family.
//
// Source: IANA's registries of special-purpose addresses (RFC 6890).
bool IsPrivateAddress(const sockaddr& address);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_PRIVATE_ADDRESS_H_
