// Addresses that a stranger must not make this machine talk to.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_PRIVATE_ADDRESS_H_
#define GGUF_CONFORMANCE_INPUT_PRIVATE_ADDRESS_H_

#include <sys/socket.h>

namespace gguf {

// Whether an address is no public one: loopback, private, shared, link-local,
// multicast, unspecified or reserved, of IPv4 or IPv6, IPv4 inside of IPv6
// included; or of another family.
//
// Source: IANA's registries of special-purpose addresses (RFC 6890).
bool IsPrivateAddress(const sockaddr& address);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_PRIVATE_ADDRESS_H_
