// The digest of a whole file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/digest/whole_digest.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(WholeDigestTest, KnownDigests) {
  EXPECT_EQ(WholeDigest({}, nullptr, nullptr).Finish(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(WholeDigest(AsBytes("abc"), nullptr, nullptr).Finish(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(WholeDigestTest, SeveralPieces) {
  const std::string million(1000000, 'a');
  EXPECT_EQ(WholeDigest(AsBytes(million), nullptr, nullptr).Finish(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  const std::string pieces((4 << 20) + 1, '\0');
  EXPECT_NE(WholeDigest(AsBytes(pieces), nullptr, nullptr).Finish(),
            WholeDigest(AsBytes(pieces).subspan(1), nullptr, nullptr).Finish());
}

TEST(WholeDigestTest, Stops) {
  const std::string text(100, 'a');
  EXPECT_FALSE(WholeDigest(AsBytes(text), nullptr, [] { return true; }).Finish());
  const WholeDigest never_finished(AsBytes(text), nullptr, nullptr);
}

}  // namespace
}  // namespace gguf
