// The tables of ftypes.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/legacy_ftype.h"

#include "absl/types/span.h"

namespace gguf {
namespace {

constexpr uint8_t kLlamaTypes[] = {0,  1,  2,  3,  3,  4,  5,  8,  6, 7,
                                   10, 11, 11, 11, 12, 12, 13, 13, 14};
constexpr uint8_t kGgmlTypes[] = {0,  1,  2,  3,  3,  4,  5,  8,  6,  7,
                                  10, 11, 12, 13, 14, 16, 17, 18, 19, 20,
                                  21, 22, 23, 29, 30, 39, 40, 41, 42};

std::optional<uint32_t> TypeIn(absl::Span<const uint8_t> types,
                               uint32_t ftype) {
  if (ftype >= types.size()) return std::nullopt;
  return types[ftype];
}

}  // namespace

std::optional<uint32_t> TypeOfLlamaFtype(uint32_t ftype) {
  return TypeIn(kLlamaTypes, ftype);
}

std::optional<uint32_t> TypeOfGgmlFtype(uint32_t ftype) {
  return TypeIn(kGgmlTypes, ftype);
}

}  // namespace gguf
