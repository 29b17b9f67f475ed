// Tests IsPrivateAddress() at the edges of the blocks.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/private_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "gtest/gtest.h"

namespace gguf {
namespace {

bool IsPrivate(const char* text) {
  sockaddr_in v4 = {};
  v4.sin_family = AF_INET;
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
    return IsPrivateAddress(reinterpret_cast<const sockaddr&>(v4));
  }
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  EXPECT_EQ(inet_pton(AF_INET6, text, &v6.sin6_addr), 1) << text;
  return IsPrivateAddress(reinterpret_cast<const sockaddr&>(v6));
}

TEST(PrivateAddressTest, PrivateOnes) {
  for (const char* text : {"0.0.0.0",
                           "10.0.0.0",
                           "10.255.255.255",
                           "100.64.0.1",
                           "100.127.255.255",
                           "127.0.0.1",
                           "169.254.169.254",
                           "172.16.0.0",
                           "172.31.255.255",
                           "192.168.0.1",
                           "198.19.255.255",
                           "224.0.0.1",
                           "255.255.255.255",
                           "::",
                           "::1",
                           "fc00::1",
                           "fd12::1",
                           "fe80::1",
                           "ff02::1",
                           "::ffff:127.0.0.1",
                           "64:ff9b::7f00:1",
                           "2002:7f00:1::"}) {
    EXPECT_TRUE(IsPrivate(text)) << text;
  }
}

TEST(PrivateAddressTest, PublicOnes) {
  for (const char* text :
       {"1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255",
        "192.169.0.0", "223.255.255.255", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808",
        "2002:808:808::"}) {
    EXPECT_FALSE(IsPrivate(text)) << text;
  }
}

TEST(PrivateAddressTest, OtherFamiliesAreNotPublic) {
  const sockaddr local = {AF_UNIX, {}};
  EXPECT_TRUE(IsPrivateAddress(local));
}

}  // namespace
}  // namespace gguf
