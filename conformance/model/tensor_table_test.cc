// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_table.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace gguf {
namespace {

File WithTensors(size_t count) {
  File file;
  file.tensors.resize(count);
  return file;
}

TEST(TensorTableTest, PositionsCountOnFromFileToFile) {
  const File two = WithTensors(2), none = WithTensors(0), one = WithTensors(1);
  const TensorTable table({&none, &two, &none, &one, &none});
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(&table[0], &two.tensors[0]);
  EXPECT_EQ(&table[1], &two.tensors[1]);
  EXPECT_EQ(&table[2], &one.tensors[0]);
  EXPECT_EQ(table.FileOf(1), 1u);
  EXPECT_EQ(table.FileOf(2), 3u);
  EXPECT_EQ(table.BeginOf(1), 0u);
  EXPECT_EQ(table.BeginOf(3), 2u);
}

TEST(TensorTableTest, OfOneFile) {
  const File none = WithTensors(0), two = WithTensors(2);
  EXPECT_TRUE(TensorTable({&none}).empty());
  const TensorTable table({&two});
  EXPECT_FALSE(table.empty());
  EXPECT_EQ(&table[1], &two.tensors[1]);
}

TEST(TensorIndexTest, RepeatedNamesAreListedWithTheFirst) {
  File file = WithTensors(6);
  const char* const names[] = {"a", "b", "a", "c", "b", "a"};
  for (size_t i = 0; i < 6; ++i) file.tensors[i].name.value = names[i];
  const TensorTable table({&file});
  const TensorIndex index(table);
  EXPECT_EQ(index.FindPosition("a"), 0u);
  EXPECT_EQ(index.FindPosition("d"), std::nullopt);
  std::vector<std::pair<uint32_t, uint32_t>> repeated;
  for (const auto& [position, first] : index.repeated()) {
    repeated.emplace_back(position, first);
  }
  EXPECT_EQ(repeated, (decltype(repeated){{2, 0}, {4, 1}, {5, 0}}));
}

TEST(KeyIndexTest, ANameEndsAtItsFirstNul) {
  using namespace std::string_literals;
  File file;
  for (const std::string& name : {"a\0x"s, "a"s, "b"s, "b\0x"s, "\0"s}) {
    static auto& names = *new std::deque<std::string>;  // Keys refer to them.
    file.keys.emplace_back().key.value = names.emplace_back(name);
  }
  const KeyIndex index(file.keys);
  EXPECT_EQ(index.Find("a"), &file.keys[0]);
  EXPECT_EQ(index.Find("b"), &file.keys[2]);
  EXPECT_EQ(index.Find(""), &file.keys[4]);
  EXPECT_EQ(index.Find("a\0x"s), nullptr);
}

}  // namespace
}  // namespace gguf
