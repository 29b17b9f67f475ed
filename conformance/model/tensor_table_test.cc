// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_table.h"

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

}  // namespace
}  // namespace gguf
