// Reads vectors.tsv and the binary files that it names.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/vectors/golden_vectors.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "xxhash.h"

namespace gguf::corpus {
namespace {

constexpr char kFolder[] = "corpus/vectors/";

std::string RandomBytes(size_t n) {
  std::string bytes;
  uint64_t state = 20261121;
  while (bytes.size() < n) {
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(z >> (8 * i));
  }
  bytes.resize(n);
  return bytes;
}

std::string AllCodes(const std::string& type, size_t blocks) {
  std::string bytes;
  const auto add = [&](size_t byte) { bytes += static_cast<char>(byte); };
  for (size_t i = 0; i < blocks; ++i) {
    if (type == "MXFP4") {
      add(i);
      for (int j = 0; j < 16; ++j) add(j | (15 - j) << 4);
    } else if (type == "NVFP4") {
      for (int s = 0; s < 4; ++s) add(4 * i + s);
      for (int k = 0; k < 32; ++k) add((k % 8 * 2) | (k % 8 * 2 + 1) << 4);
    } else {
      add(i & 255);
      if (type != "F8_E4M3") add(i >> 8);
    }
  }
  return bytes;
}

}  // namespace

std::vector<GoldenVector> LoadGoldenVectors() {
  std::vector<GoldenVector> vectors;
  std::ifstream file(absl::StrCat(kFolder, "vectors.tsv"));
  for (std::string line; std::getline(file, line);) {
    if (line[0] == '#') continue;
    const std::vector<std::string> cell = absl::StrSplit(line, '\t');
    GoldenVector vector;
    if (cell.size() != 4 || !absl::SimpleAtoi(cell[2], &vector.blocks)) {
      std::cerr << "vectors.tsv: malformed row: " << line << "\n";
      std::abort();
    }
    vector.type = cell[0];
    vector.set = cell[1];
    vector.hash = cell[3];
    vectors.push_back(vector);
  }
  return vectors;
}

std::string BlocksOf(const GoldenVector& vector, size_t block_bytes) {
  if (vector.set == "random") return RandomBytes(vector.blocks * block_bytes);
  if (vector.set == "codes") return AllCodes(vector.type, vector.blocks);
  std::ifstream file(absl::StrCat(kFolder, absl::AsciiStrToLower(vector.type), ".bin"),
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string HashOfWeights(const std::vector<float>& weights) {
  std::string bytes;  // Little endian on every host.
  bytes.reserve(weights.size() * sizeof(float));
  for (const float weight : weights) {
    const float number = std::isnan(weight) ? std::numeric_limits<float>::quiet_NaN() : weight;
    uint32_t bits;
    std::memcpy(&bits, &number, sizeof bits);
    for (const int shift : {0, 8, 16, 24}) {
      bytes.push_back(static_cast<char>(bits >> shift));
    }
  }
  return absl::StrCat(absl::Hex(XXH3_64bits(bytes.data(), bytes.size()), absl::kZeroPad16));
}

}  // namespace gguf::corpus
