// Resolve: looks up the addresses of a host.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_INPUT_HTTP_RESOLVE_H_
#define GGUF_CONFORMANCE_INPUT_HTTP_RESOLVE_H_

#include <sys/socket.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gguf {

struct SocketAddress {
  sockaddr_storage storage;
  socklen_t size;

  const sockaddr& get() const { return reinterpret_cast<const sockaddr&>(storage); }
};

// Returns whether a host is an address of IPv4 or IPv6, not a name.
bool IsAddress(const std::string& host);

// Returns an address as a host of a URL, without brackets.
std::string HostOf(const SocketAddress& address);

// Returns the addresses of a host, for TCP, in the order to try; at least one.
// The C library looks in /etc/hosts and asks DNS, without modules of the system
// that a static program cannot load.  It cannot be interrupted, so a thread
// does this; when `give_up` returns true, the thread is left behind.
//
// Errors: NotFound; Unavailable after `give_up` or without a thread.
absl::StatusOr<std::vector<SocketAddress>> Resolve(const std::string& host, const std::string& port,
                                                   const std::function<bool()>& give_up);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_INPUT_HTTP_RESOLVE_H_
