// For any blocks, every kernel of a type produces the same weights as the
// reference, and the weight scan reports a fault where a weight is not finite.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fuzz/target.h"
#include "kernels/registry.h"
#include "kernels/weight_scan.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

bool SameWeight(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0;
}

// Enough blocks for a whole vector of any processor and a remainder.  More of
// them find nothing else.
size_t MostBlocks(const TensorTypeInfo& info) {
  constexpr size_t kWeights = 300;
  return std::max<size_t>(3, kWeights / info.block_elements);
}

void CompareKernels(const TensorTypeInfo& info, const uint8_t* blocks, size_t n_blocks) {
  const auto type = static_cast<TensorType>(info.id);
  const size_t n = n_blocks * info.block_elements;
  std::vector<float> expected(n), weights(n);
  FindKernel(type, "reference")->dequantize(blocks, n_blocks, expected.data());
  BestKernel(type)->dequantize(blocks, n_blocks, weights.data());
  bool finite = true;
  for (size_t i = 0; i < n; ++i) {
    Require(SameWeight(weights[i], expected[i]));
    finite &= std::isfinite(expected[i]);
  }
  const Bytes bytes(blocks, n_blocks * info.block_bytes);
  const bool faultless = ScanWeights(type, bytes, Endian::kLittle).none();
  // A finite F64 may be infinite as a float.
  Require(finite || !faultless || type == TensorType::kF64);
}

}  // namespace
}  // namespace gguf

// The first byte is the type: current types, then those of legacy formats.  The
// rest are blocks, of which the first are compared.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const auto current = gguf::AllTensorTypes(), old = gguf::OldTensorTypes();
  const size_t i = data[0] % (current.size() + old.size());
  const gguf::TensorTypeInfo& info = i < current.size() ? current[i] : old[i - current.size()];
  if (info.removed != nullptr) return 0;
  // A copy of exact size, so that ASan detects a read past its end.
  const size_t n_blocks = std::min<size_t>((size - 1) / info.block_bytes, gguf::MostBlocks(info));
  const std::vector<uint8_t> blocks(data + 1, data + 1 + n_blocks * info.block_bytes);
  gguf::CompareKernels(info, blocks.data(), n_blocks);
  return 0;
}
