// SPDX-License-Identifier: Apache-2.0

#include "corpus/archive.h"

#include <map>
#include <string>

#include "gtest/gtest.h"

namespace gguf::corpus {
namespace {

TEST(ArchiveTest, IsStoredInOrderAndTheSameEachTime) {
  const std::map<std::string, std::string> files = {
      {"b/y.gguf", std::string("GGUF\0\0", 6)}, {"a/x.gguf", ""}};
  const auto zip = Zip(files);
  ASSERT_TRUE(zip.ok()) << zip.status();
  EXPECT_EQ(zip->substr(0, 4), "PK\3\4");
  EXPECT_EQ(zip->substr(10, 4), std::string("\0\0\x21\0", 4));  // The time.
  EXPECT_NE(zip->find("b/y.gguf" + files.at("b/y.gguf")), std::string::npos);
  EXPECT_LT(zip->find("a/x.gguf"), zip->find("b/y.gguf"));
  EXPECT_EQ(*zip, *Zip(files));
}

TEST(ArchiveTest, OfNothingIsOnlyItsEnd) {
  EXPECT_EQ(*Zip({}), "PK\5\6" + std::string(18, '\0'));
}

}  // namespace
}  // namespace gguf::corpus
