// Looks up hyper-parameters and blocks of a family.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/legacy_family.h"

#include <cmath>

#include "absl/strings/match.h"
#include "parser/core/byte_order.h"
#include "parser/core/legacy_ftype.h"

namespace gguf {

bool HyperParameter::IsPlausible(uint32_t value) const {
  switch (kind) {
    case kCount:
      return value >= least && value <= most;
    case kFloat: {
      const float number = FloatFromBits(value);
      return number == 0 || (std::abs(number) > 1e-6 && std::abs(number) < 1e6);
    }
    case kFtype:
      return TypeOfLlamaFtype(value).has_value();
    case kPackedFtype:
      return value / kFtypesPerVersion <= 2 &&
             TypeOfGgmlFtype(value % kFtypesPerVersion);
    case kDataType:
      return true;  // No other family is confused with rwkv.cpp's.
  }
  return false;
}

size_t LegacyFamily::IndexOf(absl::string_view hparam) const {
  size_t i = 0;
  while (i < hparams.size() && hparams[i].name != hparam) ++i;
  return i;
}

const BlockStack* LegacyFamily::FindStack(absl::string_view tensor) const {
  for (const BlockStack& stack : stacks) {
    if (stack.prefix != nullptr && absl::StartsWith(tensor, stack.prefix)) {
      return &stack;
    }
  }
  return nullptr;
}

}  // namespace gguf
