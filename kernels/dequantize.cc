// Checks the arguments of a kernel, and swaps bytes for it.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/dequantize.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "conformance/base/bytes.h"
#include "kernels/kernel.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Swaps and dequantizes a few blocks at a time, so that the swapped blocks fit
// on the stack.
void DequantizeBigEndian(const Kernel& kernel, const TensorTypeInfo& info, const uint8_t* blocks,
                         size_t n_blocks, float* weights) {
  uint8_t swapped[4096];
  const size_t at_once = sizeof swapped / info.block_bytes;
  while (n_blocks > 0) {
    const size_t n = std::min(n_blocks, at_once);
    SwapBlocks(kernel.type, blocks, n, swapped);
    kernel.dequantize(swapped, n, weights);
    blocks += n * info.block_bytes;
    weights += n * info.block_elements;
    n_blocks -= n;
  }
}

}  // namespace

Dequantizer::Dequantizer(TensorType type, Endian endian)
    : type_(type), endian_(endian), kernel_(BestKernel(type)) {}

std::optional<std::string> Dequantizer::operator()(Bytes blocks, absl::Span<float> weights) const {
  if (kernel_ == nullptr) {
    return absl::StrFormat("tensor type %d has no kernel", static_cast<uint32_t>(type_));
  }
  const TensorTypeInfo& info = GetTensorType(type_);
  const size_t n_blocks = blocks.size() / info.block_bytes;
  if (n_blocks * info.block_bytes != blocks.size()) {
    return absl::StrFormat("%d bytes are not whole %s blocks of %d bytes", blocks.size(), info.name,
                           info.block_bytes);
  }
  // 64 bits, because a block may have more weights than bytes.
  if (uint64_t{n_blocks} * info.block_elements != weights.size()) {
    return absl::StrFormat("%d %s blocks of %d weights do not fill %d floats", n_blocks, info.name,
                           info.block_elements, weights.size());
  }
  if (endian_ == Endian::kBig) {
    DequantizeBigEndian(*kernel_, info, blocks.data(), n_blocks, weights.data());
  } else {
    kernel_->dequantize(blocks.data(), n_blocks, weights.data());
  }
  return std::nullopt;
}

std::optional<std::string> Dequantize(TensorType type, Bytes blocks, absl::Span<float> weights,
                                      Endian endian) {
  return Dequantizer(type, endian)(blocks, weights);
}

void SwapBlocks(TensorType type, const uint8_t* blocks, size_t n_blocks, uint8_t* swapped) {
  const absl::Span<const NumberRun> runs = GetTensorType(type).fields;
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
