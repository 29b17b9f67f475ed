// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_table.h"

#include <cstdint>
#include <deque>
#include <functional>
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

// A file whose only tensor is an ordinary one.
File WithOneTensor() {
  File file;
  TensorInfo& tensor = file.tensors.emplace_back();
  tensor.name.value = "blk.0.weight";
  tensor.n_dims.value = 2;
  tensor.dims = {32, 1, 0, 0};
  tensor.type.value = static_cast<uint32_t>(TensorType::kQ8_0);
  tensor.offset.value = 32;
  tensor.bytes = 34;
  return file;
}

TEST(OddTensorsTest, AnOrdinaryTensorIsNotOdd) {
  File file = WithOneTensor();
  const auto is_odd = [&] { return !FindUnusualTensors(file).empty(); };
  EXPECT_FALSE(is_odd());
  const std::string long_name(63, '~');
  file.tensors[0].name.value = long_name;
  EXPECT_FALSE(is_odd());
  file.tensors[0].name.value = " ";
  EXPECT_FALSE(is_odd());
}

TEST(OddTensorsTest, EachPropertyMakesATensorOdd) {
  static constexpr char kNul[] = {'a', '\0'};
  static const std::string& long_name = *new std::string(64, 'x');
  const std::function<void(TensorInfo*)> changes[] = {
      [](TensorInfo* t) { t->name.value = ""; },
      [](TensorInfo* t) { t->name.value = long_name; },
      [](TensorInfo* t) { t->name.value = absl::string_view(kNul, 2); },
      [](TensorInfo* t) { t->name.value = "\x7F"; },
      [](TensorInfo* t) { t->name.value = "\xC3\xA9"; },
      [](TensorInfo* t) { t->name.value = "a/.."; },
      [](TensorInfo* t) { t->n_dims.value = 0; },
      [](TensorInfo* t) { t->n_dims.value = 5; },
      [](TensorInfo* t) { t->dims[1] = 0; },
      [](TensorInfo* t) { t->type.value = 4; },     // Removed.
      [](TensorInfo* t) { t->type.value = 41; },    // Newer than the text.
      [](TensorInfo* t) { t->type.value = 1000; },  // Unknown.
      [](TensorInfo* t) { t->bytes.reset(); },
      [](TensorInfo* t) { t->offset.value = 33; },
  };
  int number = 0;
  for (const auto& change : changes) {
    File file = WithOneTensor();
    file.tensors.push_back(file.tensors[0]);
    change(&file.tensors[1]);
    const UnusualTensors odd = FindUnusualTensors(file);
    ASSERT_EQ(odd.size(), 1u) << number++;
    EXPECT_EQ(&odd[0].get(), &file.tensors[1]);
  }
}

}  // namespace

}  // namespace gguf
