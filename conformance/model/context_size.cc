// Adds up the cells of a context.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/context_size.h"

#include <algorithm>

#include "absl/numeric/int128.h"
#include "conformance/tables/context_sizes.h"

namespace gguf {
namespace {

constexpr uint64_t kBatch = 512;
constexpr uint64_t kBytesOfCache = 2;
constexpr uint64_t kBytesOfState = 4;

// llama.cpp allocates cells for a multiple of 256 tokens.
uint64_t Padded(uint64_t tokens) {
  constexpr uint64_t kMultiple = 256;
  return (tokens + kMultiple - 1) / kMultiple * kMultiple;
}

uint64_t Saturated(absl::uint128 number) {
  return number > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(number);
}

}  // namespace

std::optional<ContextSize> ContextSizeOf(const Hparams& hparams) {
  const auto length = hparams.Get(Symbol::kNCtxTrain);
  const auto blocks = hparams.Get(Symbol::kNLayerAll);
  const auto window = hparams.Get(Symbol::kNSwa);
  // Sizes below 2^62, and few blocks: the sums do not overflow 128 bits.
  constexpr int64_t kMost = int64_t{1} << 40;
  if (!length || !blocks || !window || *length <= 0 || *length > kMost || *blocks <= 0 ||
      *blocks > kMostBlocks || *window < 0 || *window > kMost) {
    return std::nullopt;
  }
  const uint64_t cells = Padded(static_cast<uint64_t>(*length));
  const uint64_t windowed = std::min(cells, Padded(static_cast<uint64_t>(*window) + kBatch));
  for (const ContextSizeRow& row : kContextSizes.Of(hparams.architecture())) {
    absl::uint128 cache = 0, state = 0;
    for (int64_t i = 0; i < *blocks; ++i) {
      const auto cached = hparams.Evaluate(row.cache, i);
      const auto kept = hparams.Evaluate(row.state, i);
      const auto is_windowed = hparams.Get(Symbol::kIsSwa, i);
      if (!cached || !kept || !is_windowed || *cached < 0 || *kept < 0) return std::nullopt;
      cache += absl::uint128(static_cast<uint64_t>(*cached)) *
               (*is_windowed != 0 && *window > 0 ? windowed : cells) * kBytesOfCache;
      state += absl::uint128(static_cast<uint64_t>(*kept)) * kBytesOfState;
    }
    return ContextSize{static_cast<uint64_t>(*length), Saturated(cache), Saturated(state)};
  }
  return std::nullopt;
}

}  // namespace gguf
