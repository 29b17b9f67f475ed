// Compares every kernel with the golden vectors of corpus/vectors/vectors.tsv,
// which explains the columns and the blocks.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "parser/core/byte_order.h"
#include "parser/core/tensor_type.h"
#include "xxhash.h"

namespace gguf {
namespace {

constexpr char kFolder[] = "corpus/vectors/";

struct Vector {
  TensorType type;
  std::string set;
  size_t blocks;
  std::string hash;

  const TensorTypeInfo& info() const { return GetTensorType(type); }
};

std::vector<Vector> LoadVectors() {
  std::vector<Vector> vectors;
  std::ifstream file(absl::StrCat(kFolder, "vectors.tsv"));
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    const std::vector<std::string> cell = absl::StrSplit(line, '\t');
    Vector vector;
    EXPECT_TRUE(cell.size() == 4 && absl::SimpleAtoi(cell[2], &vector.blocks))
        << line;
    vector.set = cell[1];
    vector.hash = cell[3];
    for (const auto types : {AllTensorTypes(), OldTensorTypes()}) {
      for (const TensorTypeInfo& info : types) {
        const bool is_it = cell[0] == info.name && info.removed == nullptr;
        if (is_it) vector.type = static_cast<TensorType>(info.id);
      }
    }
    vectors.push_back(vector);
  }
  return vectors;
}

std::vector<uint8_t> RandomBytes(size_t n) {
  std::vector<uint8_t> bytes;
  uint64_t state = 20261121;
  while (bytes.size() < n) {
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    for (int i = 0; i < 8; ++i) bytes.push_back(z >> (8 * i));
  }
  bytes.resize(n);
  return bytes;
}

std::vector<uint8_t> FileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<uint8_t> AllCodes(TensorType type, size_t blocks) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < blocks; ++i) {
    if (type == TensorType::kMXFP4) {
      bytes.push_back(i);
      for (int j = 0; j < 16; ++j) bytes.push_back(j | (15 - j) << 4);
    } else if (type == TensorType::kNVFP4) {
      for (int s = 0; s < 4; ++s) bytes.push_back(4 * i + s);
      for (int k = 0; k < 32; ++k) {
        bytes.push_back((k % 8 * 2) | (k % 8 * 2 + 1) << 4);
      }
    } else {
      bytes.push_back(i & 255);
      bytes.push_back(i >> 8);
    }
  }
  return bytes;
}

std::vector<uint8_t> BlocksOf(const Vector& vector) {
  if (vector.set == "random") {
    return RandomBytes(vector.blocks * vector.info().block_bytes);
  }
  if (vector.set == "codes") return AllCodes(vector.type, vector.blocks);
  return FileBytes(
      absl::StrCat(kFolder, absl::AsciiStrToLower(vector.info().name), ".bin"));
}

std::string Hash(std::vector<float> weights) {
  for (float& weight : weights) {
    if (std::isnan(weight)) weight = FloatFromBits(0x7FC00000);
  }
  const uint64_t hash =
      XXH3_64bits(weights.data(), weights.size() * sizeof weights[0]);
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

TEST(VectorsTest, EveryKernelGivesTheGoldenWeights) {
  const std::vector<Vector> vectors = LoadVectors();
  ASSERT_FALSE(vectors.empty());
  for (const Vector& vector : vectors) {
    const TensorTypeInfo& info = vector.info();
    const std::vector<uint8_t> blocks = BlocksOf(vector);
    ASSERT_EQ(blocks.size(), vector.blocks * info.block_bytes)
        << info.name << " " << vector.set;
    for (const Kernel& kernel : AllKernels()) {
      if (kernel.type != vector.type) continue;
      std::vector<float> weights(vector.blocks * info.block_elements);
      kernel.dequantize(blocks.data(), vector.blocks, weights.data());
      EXPECT_EQ(Hash(weights), vector.hash)
          << info.name << " " << vector.set << " " << kernel.variant;
    }
  }
}

TEST(VectorsTest, EveryKernelHasRandomVectorsAndQuantizedOnesRealOnes) {
  std::set<std::pair<TensorType, std::string>> sets;
  for (const Vector& vector : LoadVectors()) {
    EXPECT_TRUE(sets.emplace(vector.type, vector.set).second)
        << vector.info().name << " " << vector.set;
  }
  for (const Kernel& kernel : AllKernels()) {
    const TensorTypeInfo& info = GetTensorType(kernel.type);
    EXPECT_TRUE(sets.count({kernel.type, "random"})) << info.name;
    // Nothing quantizes weights to Q8_1 or to the old blocks any more.
    if (!info.quantized || kernel.type == TensorType::kQ8_1 ||
        kernel.type >= TensorType::kFirstOld) {
      continue;
    }
    EXPECT_TRUE(sets.count({kernel.type, "real"})) << info.name;
  }
}

}  // namespace
}  // namespace gguf
