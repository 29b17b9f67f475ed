// Compares weights that ggml quantized with those that it had, and with others.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/compare_tensors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/bounds.h"
#include "conformance/model/model.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

constexpr uint64_t kColumns = 256;
constexpr uint64_t kRows = 256;
constexpr uint64_t kSome = 32;  // Rows of the other parts of a file.

using Floats = std::vector<float>;

// Types that ggml's quantizers do not write.
constexpr const char* kNotWritten[] = {"F32", "I8",  "I16",  "I32",
                                       "I64", "F64", "Q8_1", "Q8_K"};

std::vector<const TensorTypeInfo*> WrittenTypes() {
  std::vector<const TensorTypeInfo*> types;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const bool is_written =
        std::find(std::begin(kNotWritten), std::end(kNotWritten),
                  std::string(type.name)) == std::end(kNotWritten);
    if (type.removed == nullptr && is_written) types.push_back(&type);
  }
  return types;
}

std::string ReadAll(const std::string& name) {
  std::ifstream file(absl::StrCat("corpus/quantized/", name, ".bin"),
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string BytesOf(const Floats& weights) {
  return std::string(reinterpret_cast<const char*>(weights.data()),
                     weights.size() * sizeof(float));
}

Floats Original() {
  const std::string bytes = ReadAll("f32");
  Floats weights(bytes.size() / sizeof(float));
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  return weights;
}

// The blocks of a file of corpus/quantized.
class Quantized {
 public:
  explicit Quantized(const TensorTypeInfo& type)
      : type(type),
        row(kColumns / type.block_elements * type.block_bytes),
        bytes_(ReadAll(absl::AsciiStrToLower(type.name))) {}

  std::string Matrix() const { return bytes_.substr(0, kRows * row); }
  std::string WithImportance() const {
    return bytes_.substr(kRows * row, kSome * row);
  }
  // Empty if there is none.
  std::string ThroughFewerBits() const {
    return bytes_.substr((kRows + kSome) * row);
  }

  const TensorTypeInfo& type;
  const uint64_t row;  // Bytes.

 private:
  const std::string bytes_;
};

// A tensor of 256 columns, unless it is a vector.
struct Tensor {
  uint32_t type;
  std::string bytes;
  uint64_t columns = kColumns;
};
Tensor F32(const Floats& weights) { return {0, BytesOf(weights)}; }

std::string FileOf(const Tensor& tensor) {
  const TensorTypeInfo& type = *FindTensorType(tensor.type);
  GgufBuilder builder;
  const uint64_t row = tensor.columns / type.block_elements * type.block_bytes;
  builder.Tensor("w", {tensor.columns, tensor.bytes.size() / row}, type.id);
  builder.data_bytes = 0;
  builder.after_data = tensor.bytes;
  builder.after_data.resize((tensor.bytes.size() + 31) / 32 * 32);
  return builder.Build();
}

ComparedTensor Compare(const Tensor& base, const Tensor& tensor,
                       const CompareOptions& options = {}) {
  const std::string base_bytes = FileOf(base), bytes = FileOf(tensor);
  Diagnostics unused(1);
  const Model base_model(Parse(AsBytes(base_bytes), Limits(), &unused));
  const Model model(Parse(AsBytes(bytes), Limits(), &unused));
  const Origin origin(base_model);
  return CompareTensors(model.file, model.placement(), origin, options)
      ->front();
}

ComparedTensor Compare(const Floats& base, const Quantized& quantized,
                       const std::string& bytes) {
  return Compare(F32(base), {quantized.type.id, bytes});
}

std::string Show(const ComparedTensor& t) {
  return absl::StrCat(t.type, " of ", t.base_type, ": result ", t.result,
                      ", rmse ", t.rmse, " of ", t.bound, ", scale ", t.scale,
                      " in ", t.scale_low, "..", t.scale_high, ", block ",
                      t.worst_block, " at ", t.worst_at, ", bad ",
                      t.bad_blocks);
}

#define EXPECT_RESULT(compared, expected)               \
  do {                                                  \
    const ComparedTensor result = compared;             \
    EXPECT_EQ(result.result, expected) << Show(result); \
  } while (false)
#define EXPECT_FOUND(compared)                                       \
  do {                                                               \
    const ComparedTensor result = compared;                          \
    EXPECT_GT(result.result, ComparedTensor::kPass) << Show(result); \
  } while (false)

// The original weights in the types that bases have.
std::vector<Tensor> Bases() {
  std::vector<Tensor> bases = {F32(Original())};
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string name = type->name;
    if (name == "F16" || name == "BF16" || name == "Q8_0") {
      bases.push_back({type->id, Quantized(*type).Matrix()});
    }
  }
  return bases;
}

Tensor FirstRows(Tensor tensor) {
  tensor.bytes.resize(tensor.bytes.size() / kRows * kSome);
  return tensor;
}

TEST(CompareTensorsTest, WhatGgmlQuantizesPasses) {
  ASSERT_EQ(Bases().size(), 4);
  for (const Tensor& base : Bases()) {
    for (const TensorTypeInfo* type : WrittenTypes()) {
      const Quantized quantized(*type);
      EXPECT_RESULT(Compare(base, {type->id, quantized.Matrix()}),
                    ComparedTensor::kPass);
      EXPECT_RESULT(
          Compare(FirstRows(base), {type->id, quantized.WithImportance()}),
          ComparedTensor::kPass);
    }
  }
}

// The rows of a matrix in another order.
std::string Permuted(const std::string& bytes,
                     const std::vector<uint64_t>& order) {
  const uint64_t row = bytes.size() / kRows;
  std::string permuted;
  for (const uint64_t i : order) permuted.append(bytes, i * row, row);
  return permuted;
}

TEST(CompareTensorsTest, RowsInAnotherOrderAreFound) {
  std::vector<uint64_t> rotated, heads, layers;
  for (uint64_t row = 0; row < kRows; ++row) {
    rotated.push_back((row + 1) % kRows);
    // Heads of 64 rows: the two halves of each are interleaved.
    const uint64_t head = row / 64 * 64, in_head = row % 64;
    heads.push_back(head + in_head / 2 + in_head % 2 * 32);
    // The first half is that of a layer, which is repeated in another.
    layers.push_back(row % (kRows / 2));
  }
  for (const Tensor& base : Bases()) {
    for (const TensorTypeInfo* type : WrittenTypes()) {
      const std::string bytes = Quantized(*type).Matrix();
      for (const auto& order : {rotated, heads, layers}) {
        EXPECT_RESULT(Compare(base, {type->id, Permuted(bytes, order)}),
                      ComparedTensor::kError);
      }
    }
  }
}

TEST(CompareTensorsTest, TwoSwappedBlocksAreFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    std::string bytes = Quantized(*type).Matrix();
    const uint64_t elements = std::max<uint64_t>(32, type->block_elements);
    const uint64_t size = elements / type->block_elements * type->block_bytes;
    const uint64_t last = bytes.size() / size / 2;  // Of the Gaussian rows.
    std::swap_ranges(&bytes[3 * size], &bytes[4 * size],
                     &bytes[(last - 5) * size]);
    for (const Tensor& base : Bases()) {
      const ComparedTensor found = Compare(base, {type->id, bytes});
      EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
      EXPECT_LE(found.bad_blocks, 2) << Show(found);
    }
  }
}

TEST(CompareTensorsTest, OtherWeightsAreFound) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats other(kRows * kColumns);
  for (float& weight : other) weight = normal(random);
  const Floats original = Original();
  Floats transposed(original.size());
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kColumns; ++column) {
      transposed[column * kRows + row] = original[row * kColumns + column];
    }
  }
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    for (const Floats& base : {other, transposed}) {
      EXPECT_RESULT(Compare(base, quantized, quantized.Matrix()),
                    ComparedTensor::kError);
    }
  }
}

TEST(CompareTensorsTest, AnotherScaleIsFoundUnlessTheTypeCannotShowIt) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string name = type->name;
    const Quantized quantized(*type);
    const bool three_bits = name.find("Q3_") != name.npos;
    Floats smaller = Original();
    for (float& weight : smaller) weight /= three_bits ? 1.2f : 1.02f;
    const ComparedTensor found =
        Compare(smaller, quantized, quantized.Matrix());
    if (found.scale_judged) {
      EXPECT_EQ(found.result, ComparedTensor::kScale) << Show(found);
    } else {
      EXPECT_TRUE(name.find("Q2_") != name.npos ||
                  name.find("Q1_") != name.npos)
          << name;
    }
  }
}

TEST(CompareTensorsTest, PartsThatAreZeroAreFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    std::string bytes = quantized.Matrix();
    std::fill_n(&bytes[7 * quantized.row], quantized.row, '\0');
    for (const Tensor& base : Bases()) {
      const ComparedTensor found = Compare(base, {type->id, bytes});
      EXPECT_EQ(found.result, ComparedTensor::kBlock) << Show(found);
      EXPECT_EQ(found.worst_at / kColumns, 7) << Show(found);
    }
  }
}

TEST(CompareTensorsTest, ZerosExceedTheBoundOfEveryType) {
  const Floats original = Original();
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const Quantized quantized(*type);
    const ComparedTensor found = Compare(
        original, quantized, std::string(quantized.Matrix().size(), '\0'));
    EXPECT_EQ(found.result, ComparedTensor::kError) << Show(found);
    EXPECT_GT(found.rmse, found.bound) << type->name;
  }
}

// Returns the bits of a weight.
double BitsOf(const TensorTypeInfo& type) {
  return 8.0 * type.block_bytes / type.block_elements;
}

TEST(CompareTensorsTest, TheLossOfATypeOfFewerBitsIsFound) {
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string bytes = Quantized(*type).ThroughFewerBits();
    if (bytes.empty()) continue;
    for (const Tensor& base : Bases()) {
      // A base of fewer bits has lost as much itself.
      if (BitsOf(*type) > BitsOf(*FindTensorType(base.type))) continue;
      EXPECT_FOUND(Compare(FirstRows(base), {type->id, bytes}));
    }
  }
}

TEST(CompareTensorsTest, VectorsOfAnyLength) {
  Floats bias(100, 0.5f);
  bias[99] = 2;
  const auto vector = [](const Floats& weights) {
    return Tensor{0, BytesOf(weights), weights.size()};
  };
  EXPECT_RESULT(Compare(vector(bias), vector(bias)), ComparedTensor::kPass);
  Floats changed = bias;
  changed[99] = 1.99f;
  EXPECT_FOUND(Compare(vector(bias), vector(changed)));
  const Floats zeros(100);
  EXPECT_FOUND(Compare(vector(bias), vector(zeros)));
  EXPECT_FOUND(Compare(vector(zeros), vector(bias)));
  EXPECT_RESULT(Compare(vector(zeros), vector(zeros)), ComparedTensor::kPass);
}

std::string InBf16(const Floats& weights) {
  std::string rounded;
  for (const float weight : weights) {
    uint32_t bits;
    std::memcpy(&bits, &weight, sizeof bits);
    bits += 0x8000;
    rounded.push_back(static_cast<char>(bits >> 16));
    rounded.push_back(static_cast<char>(bits >> 24));
  }
  return rounded;
}

TEST(CompareTensorsTest, TheErrorOfAFewWeightsIsNoScale) {
  constexpr uint32_t kBf16 = 30;
  Floats weights(kSome * kColumns, 1e-5f);
  weights[1000] = 1.0038f;  // In BF16, it is 1.
  const Tensor rounded = {kBf16, InBf16(weights)};
  EXPECT_RESULT(Compare(F32(weights), rounded), ComparedTensor::kPass);
  weights[1000] *= 1.02f;
  EXPECT_FOUND(Compare(F32(weights), rounded));
}

TEST(CompareTensorsTest, EqualFloatsHaveEqualErrors) {
  const Floats weights(kSome * kColumns, 0.3f);
  EXPECT_RESULT(Compare(F32(weights), {30, InBf16(weights)}),
                ComparedTensor::kPass);
}

// The scale of MXFP4 is a power of two, so the largest of a group may lose a
// quarter.
TEST(CompareTensorsTest, ALargeWeightMayLoseAsMuchAsInABlock) {
  constexpr uint32_t kMxfp4 = 39;
  Floats weights(kSome * kColumns, 1e-5f);
  weights[0] = 7.9f;
  const uint64_t blocks = weights.size() / 32;
  std::string bytes(blocks * 17, 0x55);  // 3 times the scale.
  for (uint64_t i = 0; i < blocks; ++i) {
    bytes[i * 17] = static_cast<char>(i == 0 ? 127 : 109);  // 1 and 2^-18.
  }
  std::fill_n(&bytes[1], 16, '\0');
  bytes[1] = 7;  // 6 times the scale.
  EXPECT_RESULT(Compare(F32(weights), {kMxfp4, bytes}), ComparedTensor::kPass);
}

TEST(CompareTensorsTest, WeightsThatAreNotFiniteAreFound) {
  const Floats original = Original();
  for (const float weight : {std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    Floats changed = original;
    changed[1000] = weight;
    EXPECT_FOUND(Compare(F32(original), F32(changed)));
  }
}

TEST(CompareTensorsTest, PiecesAndThreadsGiveTheSameResult) {
  const Floats original = Original();
  const TensorTypeInfo& type = *FindTensorType(12);  // Q4_K
  const Quantized quantized(type);
  CompareOptions options;
  options.jobs = 3;
  options.piece_weights = 512;
  const ComparedTensor whole = Compare(original, quantized, quantized.Matrix());
  const ComparedTensor pieces =
      Compare(F32(original), {type.id, quantized.Matrix()}, options);
  EXPECT_NEAR(pieces.rmse, whole.rmse, 1e-12);
  EXPECT_NEAR(pieces.scale, whole.scale, 1e-12);
  EXPECT_EQ(pieces.worst_block, whole.worst_block);
  EXPECT_EQ(pieces.worst_at, whole.worst_at);
  // As a plain loop computes them.
  EXPECT_NEAR(whole.rmse, 0.0749, 0.0001);
  EXPECT_NEAR(whole.gain, 1 - whole.rmse * whole.rmse, 0.005);
}

TEST(CompareTensorsTest, EveryTypeThatIsWrittenHasBounds) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const std::string name = type.name;
    const bool is_inner = name == "Q8_1" || name == "Q8_K";
    EXPECT_EQ(FindLossBound(type) != nullptr,
              type.removed == nullptr && !is_inner)
        << name;
  }
}

}  // namespace
}  // namespace gguf
