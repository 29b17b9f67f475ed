// Which bytes of a block make one number.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/endian.h"

#include <algorithm>

#include "parser/assert.h"

namespace gguf {
namespace {

struct Layout {
  TensorType type;
  NumberRun runs[4];  // Unused ones are zero.
};

// The fields are explained beside the kernels.
constexpr Layout kLayouts[] = {
    {TensorType::kF32, {{1, 4}}},
    {TensorType::kF16, {{1, 2}}},
    {TensorType::kBF16, {{1, 2}}},
    {TensorType::kF64, {{1, 8}}},
    {TensorType::kI8, {{1, 1}}},
    {TensorType::kI16, {{1, 2}}},
    {TensorType::kI32, {{1, 4}}},
    {TensorType::kI64, {{1, 8}}},
    {TensorType::kQ4_0, {{1, 2}, {16, 1}}},
    {TensorType::kQ4_1, {{2, 2}, {16, 1}}},
    {TensorType::kQ5_0, {{1, 2}, {1, 4}, {16, 1}}},
    {TensorType::kQ5_1, {{2, 2}, {1, 4}, {16, 1}}},
    {TensorType::kQ8_0, {{1, 2}, {32, 1}}},
    {TensorType::kQ8_1, {{2, 2}, {32, 1}}},
    {TensorType::kQ2_K, {{80, 1}, {2, 2}}},
    {TensorType::kQ3_K, {{108, 1}, {1, 2}}},
    {TensorType::kQ4_K, {{2, 2}, {140, 1}}},
    {TensorType::kQ5_K, {{2, 2}, {172, 1}}},
    {TensorType::kQ6_K, {{208, 1}, {1, 2}}},
    {TensorType::kQ8_K, {{1, 4}, {256, 1}, {16, 2}}},
    {TensorType::kIQ1_S, {{1, 2}, {32, 1}, {8, 2}}},
    {TensorType::kIQ1_M, {{48, 1}, {4, 2}}},
    {TensorType::kIQ2_XS, {{33, 2}, {8, 1}}},
    {TensorType::kIQ2_S, {{1, 2}, {80, 1}}},
    {TensorType::kIQ3_XXS, {{1, 2}, {64, 1}, {8, 4}}},
    {TensorType::kIQ3_S, {{1, 2}, {108, 1}}},
    {TensorType::kIQ4_NL, {{1, 2}, {16, 1}}},
    {TensorType::kIQ4_XS, {{2, 2}, {132, 1}}},
    {TensorType::kTQ1_0, {{52, 1}, {1, 2}}},
    {TensorType::kTQ2_0, {{64, 1}, {1, 2}}},
    {TensorType::kQ1_0, {{1, 2}, {16, 1}}},
    {TensorType::kQ2_0, {{1, 2}, {16, 1}}},
    {TensorType::kMXFP4, {{17, 1}}},
    {TensorType::kNVFP4, {{36, 1}}},
};

// IQ2_XXS: four indices of a byte and a number, eight times.
constexpr NumberRun kIq2Xxs[] = {
    {1, 2}, {4, 1}, {1, 4}, {4, 1}, {1, 4}, {4, 1}, {1, 4}, {4, 1}, {1, 4},
    {4, 1}, {1, 4}, {4, 1}, {1, 4}, {4, 1}, {1, 4}, {4, 1}, {1, 4},
};

}  // namespace

absl::Span<const NumberRun> BlockNumbers(TensorType type) {
  if (type == TensorType::kIQ2_XXS) return kIq2Xxs;
  for (const Layout& layout : kLayouts) {
    if (layout.type != type) continue;
    const auto end =
        std::find_if(std::begin(layout.runs), std::end(layout.runs),
                     [](const NumberRun& run) { return run.count == 0; });
    return absl::MakeConstSpan(layout.runs, end - layout.runs);
  }
  return {};
}

void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks,
                uint8_t* swapped) {
  const absl::Span<const NumberRun> runs = BlockNumbers(type);
  Assert(!runs.empty(), "SwapBlocks: a type without a layout");
  const size_t n_bytes = n_blocks * GetTensorType(type).block_bytes;
  if (swapped != blocks) std::copy_n(blocks, n_bytes, swapped);
  const uint8_t* const end = swapped + n_bytes;
  while (swapped < end) {
    for (const NumberRun& run : runs) {
      for (int i = 0; i < run.count; ++i, swapped += run.width) {
        std::reverse(swapped, swapped + run.width);
      }
    }
  }
}

}  // namespace gguf
