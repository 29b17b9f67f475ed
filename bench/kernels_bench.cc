// Measures how many weights per second each kernel produces, for every row of
// the registry, reference and fast.
//
// One thread; rows of 4096 weights that overwrite one another, so they stay in
// the first-level cache; the blocks do not.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "kernels/dispatch_target.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

constexpr size_t kRowWeights = 4096;
constexpr size_t kBlockBytes = 256 << 10;

// The position of the byte with a block's binary exponent, in types whose
// exponents can be small enough for a slow path of the processor; otherwise -1.
int ExponentByte(TensorType type) {
  switch (type) {
    case TensorType::kF32:
      return 3;
    case TensorType::kF64:
      return 7;
    case TensorType::kQ8_K:
      return 3;
    case TensorType::kMXFP4:
      return 0;
    default:
      return -1;
  }
}

std::vector<uint8_t> RandomBlocks(const TensorTypeInfo& info, size_t n_blocks) {
  std::mt19937_64 random(1);
  std::vector<uint8_t> blocks(n_blocks * info.block_bytes);
  for (uint8_t& byte : blocks) byte = random();
  const int exponent = ExponentByte(static_cast<TensorType>(info.id));
  for (size_t i = 0; i < n_blocks && exponent >= 0; ++i) {
    blocks[i * info.block_bytes + exponent] = 0x3F;
  }
  return blocks;
}

void RunKernel(benchmark::State& state, const Kernel& kernel) {
  const TensorTypeInfo& info = GetTensorType(kernel.type);
  const size_t row_blocks = kRowWeights / info.block_elements;
  const size_t row_bytes = row_blocks * info.block_bytes;
  const size_t n_rows = std::max<size_t>(1, kBlockBytes / row_bytes);
  const std::vector<uint8_t> blocks = RandomBlocks(info, n_rows * row_blocks);
  alignas(64) static float weights[kRowWeights];
  size_t row = 0;
  for (auto _ : state) {
    kernel.dequantize(&blocks[row * row_bytes], row_blocks, weights);
    benchmark::ClobberMemory();
    row = row + 1 == n_rows ? 0 : row + 1;
  }
  state.counters["weights"] = benchmark::Counter(static_cast<double>(kRowWeights),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

// Rows in the order of their types, the reference first.
void RegisterBenchmarks() {
  for (const TensorTypeInfo& info : AllTensorTypes()) {
    for (const Kernel& kernel : AllKernels()) {
      if (static_cast<uint32_t>(kernel.type) != info.id) continue;
      benchmark::RegisterBenchmark(absl::StrCat(info.name, "/", kernel.variant).c_str(),
                                   [kernel](benchmark::State& state) { RunKernel(state, kernel); });
    }
  }
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) {
  benchmark::AddCustomContext("fast kernels", gguf::DispatchTargetName());
  gguf::RegisterBenchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
