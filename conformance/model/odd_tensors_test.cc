// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/odd_tensors.h"

#include <cstdint>
#include <functional>
#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

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
  const auto is_odd = [&] { return !FindOddTensors(file).empty(); };
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
    const OddTensors odd = FindOddTensors(file);
    ASSERT_EQ(odd.size(), 1u) << number++;
    EXPECT_EQ(&odd[0].get(), &file.tensors[1]);
  }
}

}  // namespace
}  // namespace gguf
