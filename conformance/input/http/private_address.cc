// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/private_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstdint>
#include <cstring>

namespace gguf {
namespace {

// A block of addresses that share the first `bits` bits with `prefix`.
struct Block4 {
  uint32_t prefix;
  int bits;
};
constexpr Block4 kPrivate4[] = {
    {0x00000000, 8},   // 0.0.0.0/8, this network
    {0x0a000000, 8},   // 10.0.0.0/8
    {0x64400000, 10},  // 100.64.0.0/10, shared by carriers
    {0x7f000000, 8},   // 127.0.0.0/8, loopback
    {0xa9fe0000, 16},  // 169.254.0.0/16, link-local; the cloud's metadata
    {0xac100000, 12},  // 172.16.0.0/12
    {0xc0000000, 24},  // 192.0.0.0/24, protocols
    {0xc0a80000, 16},  // 192.168.0.0/16
    {0xc6120000, 15},  // 198.18.0.0/15, benchmarks
    {0xe0000000, 3},   // 224.0.0.0/3, multicast and reserved
};

bool IsPrivate4(uint32_t address) {
  for (const Block4& block : kPrivate4) {
    if ((address ^ block.prefix) >> (32 - block.bits) == 0) return true;
  }
  return false;
}

bool IsPrivate6(const in6_addr& address) {
  const uint8_t* bytes = address.s6_addr;
  uint32_t last;
  std::memcpy(&last, bytes + 12, 4);
  last = ntohl(last);
  if (IN6_IS_ADDR_V4MAPPED(&address)) return IsPrivate4(last);
  // 64:ff9b::/96, translated IPv4.
  constexpr uint8_t kTranslated[12] = {0, 0x64, 0xff, 0x9b};
  if (std::memcmp(bytes, kTranslated, 12) == 0) return IsPrivate4(last);
  // Only 2000::/3 is allocated; within it, 2002::/16 contains IPv4 addresses.
  if (bytes[0] >> 5 != 1) return true;
  if (bytes[0] == 0x20 && bytes[1] == 0x02) {
    std::memcpy(&last, bytes + 2, 4);
    return IsPrivate4(ntohl(last));
  }
  return false;
}

}  // namespace

bool IsPrivateAddress(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    return IsPrivate4(ntohl(v4.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    return IsPrivate6(reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  }
  return true;
}

}  // namespace gguf
