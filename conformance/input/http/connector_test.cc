// SPDX-License-Identifier: Apache-2.0

#include "conformance/input/http/connector.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

bool Never() { return false; }

TEST(ResolveTest, KeepsAddresses) {
  for (const char* host : {"127.0.0.1", "93.184.216.34", "::1", "2001:db8::1"}) {
    const auto addresses = Resolve(host, "80", Never);
    ASSERT_TRUE(addresses.ok()) << addresses.status();
    ASSERT_EQ(addresses->size(), 1);
    EXPECT_EQ(HostOf(addresses->front()), host);
    EXPECT_TRUE(IsAddress(host));
  }
}

TEST(ResolveTest, TellsNamesFromAddresses) {
  for (const char* host : {"localhost", "1.2.3", "1.2.3.4.org", "", "::g"}) {
    EXPECT_FALSE(IsAddress(host)) << host;
  }
}

TEST(ResolveTest, UnknownNamesHaveNoAddress) {
  // Whichever comes first, the answer or giving up.
  const auto addresses = Resolve("name.invalid", "80", [] { return true; });
  EXPECT_TRUE(absl::IsNotFound(addresses.status()) || absl::IsUnavailable(addresses.status()))
      << addresses.status();
}

}  // namespace
}  // namespace gguf
