// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/shard_name.h"

#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(ShardNameTest, NumberAndCountStandAtTheEnd) {
  const auto name = ParseShardName("Mixtral-8x7B-v0.1-00002-of-65535.gguf");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->prefix, "Mixtral-8x7B-v0.1");
  EXPECT_EQ(name->number, 2u);
  EXPECT_EQ(name->count, 65535u);
  EXPECT_TRUE(name->is_of_set());
  EXPECT_EQ(ParseShardName("-00001-of-00002.gguf")->prefix, "");
  EXPECT_EQ(ParseShardName("a-00001-of-00002-00003-of-00004.gguf")->prefix, "a-00001-of-00002");
}

TEST(ShardNameTest, OtherNamesAreOfNoShard) {
  for (const char* name :
       {"", ".gguf", "m.gguf", "00001-of-00002.gguf", "m-0001-of-00002.gguf",
        "m-000001-of-00002.gguf.bak", "m-00001-of-00002.GGUF", "m-0000x-of-00002.gguf",
        "m-00001-of-0002.gguf", "m-00001_of_00002.gguf"}) {
    EXPECT_FALSE(ParseShardName(name)) << name;
  }
}

TEST(ShardNameTest, ASetHasAtLeastTwoAndNumbersFrom1ToTheCount) {
  const struct {
    const char* name;
    bool is_of_set;
    bool is_in_count;
  } kNames[] = {
      {"m-00000-of-00002.gguf", true, false}, {"m-00001-of-00002.gguf", true, true},
      {"m-00002-of-00002.gguf", true, true},  {"m-00003-of-00002.gguf", true, false},
      {"m-00001-of-00001.gguf", false, true}, {"m-00001-of-00000.gguf", false, false},
      {"m-99999-of-99999.gguf", true, true},
  };
  for (const auto& row : kNames) {
    const auto name = ParseShardName(row.name);
    ASSERT_TRUE(name) << row.name;
    EXPECT_EQ(name->is_of_set(), row.is_of_set) << row.name;
    EXPECT_EQ(name->is_in_count(), row.is_in_count) << row.name;
  }
}

TEST(ShardNameTest, SuffixIsReadAsItIsWritten) {
  EXPECT_EQ(ShardSuffix(2, 3), "-00002-of-00003.gguf");
  const std::string name = "m" + ShardSuffix(65534, 65535);
  EXPECT_EQ(ParseShardName(name)->number, 65534u);
  EXPECT_EQ(ParseShardName(name)->count, 65535u);
}

}  // namespace
}  // namespace gguf
