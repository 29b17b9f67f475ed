// Reads the files of corpus/quantized.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/compared_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/origin.h"
#include "conformance/model/model.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// Types that ggml's quantizers do not write.
constexpr const char* kNotWritten[] = {"F32", "I8", "I16", "I32", "I64", "F64", "Q8_1", "Q8_K"};

std::string ReadAll(const std::string& name) {
  std::ifstream file(absl::StrCat("corpus/quantized/", name, ".bin"), std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string BytesOf(const Floats& weights) {
  return std::string(reinterpret_cast<const char*>(weights.data()), weights.size() * sizeof(float));
}

std::string FileOf(const StoredTensor& tensor) {
  const TensorTypeInfo& type = *FindTensorType(tensor.type);
  GgufBuilder builder;
  const uint64_t row = tensor.columns / type.block_elements * type.block_bytes;
  builder.Tensor("w", {tensor.columns, tensor.bytes.size() / row}, type.id);
  builder.data_bytes = 0;
  builder.after_data = tensor.bytes;
  builder.after_data.resize((tensor.bytes.size() + 31) / 32 * 32);
  return builder.Build();
}

uint32_t BitsOf(float weight) {
  uint32_t bits;
  std::memcpy(&bits, &weight, sizeof bits);
  return bits;
}

void Append(uint32_t half, std::string* bytes) {
  bytes->push_back(static_cast<char>(half));
  bytes->push_back(static_cast<char>(half >> 8));
}

float LargestOf32(const float* weights) {
  float most = 0;
  for (size_t k = 0; k < 32; ++k) most = std::max(most, std::abs(weights[k]));
  return most;
}

}  // namespace

Floats Original() {
  const std::string bytes = ReadAll("f32");
  Floats weights(bytes.size() / sizeof(float));
  std::memcpy(weights.data(), bytes.data(), bytes.size());
  return weights;
}

Floats GaussianWeights(uint64_t count) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 0.02f);
  Floats weights(count);
  for (float& weight : weights) weight = normal(random);
  return weights;
}

std::vector<const TensorTypeInfo*> WrittenTypes() {
  std::vector<const TensorTypeInfo*> types;
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const bool is_written = std::find(std::begin(kNotWritten), std::end(kNotWritten),
                                      std::string(type.name)) == std::end(kNotWritten);
    if (type.removed == nullptr && is_written) types.push_back(&type);
  }
  return types;
}

Quantized::Quantized(const TensorTypeInfo& of)
    : type(of),
      row(kColumns / of.block_elements * of.block_bytes),
      bytes_(ReadAll(absl::AsciiStrToLower(of.name))) {}

StoredTensor FirstRows(StoredTensor tensor) {
  tensor.bytes.resize(tensor.bytes.size() / kRows * kSome);
  return tensor;
}

StoredTensor Repeated(const StoredTensor& tensor, int times) {
  StoredTensor repeated = tensor;
  for (int i = 1; i < times; ++i) repeated.bytes += tensor.bytes;
  return repeated;
}

StoredTensor F32(const Floats& weights) { return {0, BytesOf(weights)}; }

StoredTensor Bf16(const Floats& weights) {
  constexpr uint32_t kType = 30;
  std::string bytes;
  for (const float weight : weights) {
    Append((BitsOf(weight) + 0x8000) >> 16, &bytes);
  }
  return {kType, bytes};
}

// As ggml's quantizer: the largest weight of a block is 127 times the scale.
StoredTensor Q8_0(const Floats& weights) {
  constexpr uint32_t kType = 8;
  std::string bytes;
  for (size_t i = 0; i < weights.size(); i += 32) {
    const float most = LargestOf32(&weights[i]);
    const float scale = most / 127;
    Append((BitsOf(scale) - (112u << 23) + 0x1000) >> 13, &bytes);
    for (size_t k = 0; k < 32; ++k) {
      bytes.push_back(static_cast<char>(std::lround(weights[i + k] / scale)));
    }
  }
  return {kType, bytes};
}

StoredTensor Q5_0(const Floats& weights, const std::function<float(uint64_t block)>& times) {
  constexpr uint32_t kType = 6;
  std::string bytes;
  for (size_t i = 0; i < weights.size(); i += 32) {
    const float most = LargestOf32(&weights[i]);
    const float scale = most / 15.5f * times(i / 32);
    Append((BitsOf(scale) - (112u << 23) + 0x1000) >> 13, &bytes);
    uint32_t codes[32], upper = 0;
    for (size_t k = 0; k < 32; ++k) {
      const long level = std::lround(weights[i + k] / scale);
      codes[k] = static_cast<uint32_t>(std::clamp(level, -16L, 15L) + 16);
      upper |= codes[k] >> 4 << k;
    }
    Append(upper & 0xFFFF, &bytes);
    Append(upper >> 16, &bytes);
    for (size_t k = 0; k < 16; ++k) {
      bytes.push_back(static_cast<char>((codes[k] & 15) | (codes[k + 16] & 15) << 4));
    }
  }
  return {kType, bytes};
}

std::vector<StoredTensor> Origins() {
  std::vector<StoredTensor> origins = {F32(Original())};
  for (const TensorTypeInfo* type : WrittenTypes()) {
    const std::string name = type->name;
    if (name == "F16" || name == "BF16" || name == "Q8_0") {
      origins.push_back({type->id, Quantized(*type).Matrix()});
    }
  }
  return origins;
}

std::vector<StoredTensor> OriginsOf(const Floats& weights) {
  return {F32(weights), Bf16(weights), Q8_0(weights)};
}

ComparedTensor Compare(const StoredTensor& origin, const StoredTensor& tensor,
                       const CompareOptions& options) {
  const std::string origin_bytes = FileOf(origin), bytes = FileOf(tensor);
  Diagnostics unused(1);
  const Model origin_model(Parse(AsBytes(origin_bytes), Limits(), &unused));
  const Model model(Parse(AsBytes(bytes), Limits(), &unused));
  const Origin opened(origin_model);
  return CompareTensors(model.file, model.placement(), opened, options)->front();
}

ComparedTensor Compare(const Floats& origin, const Quantized& quantized, const std::string& bytes) {
  return Compare(F32(origin), {quantized.type.id, bytes});
}

std::string Show(const ComparedTensor& t) {
  return absl::StrCat(t.type, " of ", t.origin_type, ": result ", t.result, ", rmse ", t.rmse,
                      " of ", t.bound, ", scale ", t.scale, " in ", t.scale_low, "..", t.scale_high,
                      ", block ", t.worst_block, " at ", t.worst_at, ", bad ", t.bad_blocks,
                      ", uneven ", t.uneven_blocks);
}

}  // namespace gguf
