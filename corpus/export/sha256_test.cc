// SPDX-License-Identifier: Apache-2.0

#include "corpus/export/sha256.h"

#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(Sha256Test, AgreesWithTheStandard) {  // FIPS 180-4's examples.
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256Test, OfAnImageIsThatOfItsBytes) {
  EXPECT_EQ(Sha256(Image()), Sha256(""));
  for (const uint64_t zeros : {4096, 65535, 65536, 65537, 200000}) {
    Image image;
    image.AppendZeros(zeros);
    image.Append("between");
    image.AppendZeros(zeros);
    EXPECT_EQ(Sha256(image), Sha256(image.ToString())) << zeros;
  }
}

}  // namespace
}  // namespace gguf::corpus
