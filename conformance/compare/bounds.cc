// Reads the rows of loss_bounds.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "conformance/tables/loss_bounds.h"

namespace gguf {
namespace {

// The table has millionths.
double Fraction(int32_t millionths) { return millionths * 1e-6; }

// Half of the smallest step of an f16: the error of a scale that underflows.
constexpr double kHalfStep = 0x1p-25;

using BoundsById = std::array<std::optional<LossBound>, kGgufTensorTypes>;

LossBound BoundOf(const LossBoundRow& row) {
  LossBound bound;
  // The largest error of one weight; if the errors of many weights are spread
  // evenly up to it, their root mean square is that divided by the root of 3.
  const double absolute = row.levels * kHalfStep;
  constexpr double kMargin = 1.15;
  bound.tensor = {Fraction(row.peak), Fraction(row.rms),
                  kMargin * absolute / std::sqrt(3.0)};
  bound.block = {Fraction(row.block_peak), Fraction(row.block_rms), absolute};
  bound.scale_down = row.scale_down * 1e-2;
  bound.scale_up = row.scale_up * 1e-2;
  bound.least_slope = row.slope * 1e-2;
  bound.uneven = row.uneven * 1e-2;
  return bound;
}

const BoundsById& Bounds() {
  static const auto& bounds = *new BoundsById([] {
    BoundsById all;
    for (const LossBoundRow& row : kLossBounds) {
      for (size_t id = 0; id < all.size(); ++id) {
        if ((row.types >> id & 1) != 0) all[id] = BoundOf(row);
      }
    }
    return all;
  }());
  return bounds;
}

}  // namespace

double Loss::Largest(double n, double base, double peaks) const {
  return std::max({of_peak * of_peak * peaks, of_rms * of_rms * base,
                   absolute * absolute * n});
}

const LossBound* FindLossBound(const TensorTypeInfo& type) {
  if (type.id >= kGgufTensorTypes || !Bounds()[type.id]) return nullptr;
  return &*Bounds()[type.id];
}

Loss TogetherOfTensors(const LossBound& a, const LossBound& b) {
  if (a.is_float() && b.is_float()) {
    return {0, a.tensor.of_rms + b.tensor.of_rms,
            a.tensor.absolute + b.tensor.absolute};
  }
  // Independent errors: their squares add up.
  return {std::hypot(a.tensor.of_peak, b.tensor.of_peak),
          std::hypot(a.tensor.of_rms, b.tensor.of_rms),
          std::hypot(a.tensor.absolute, b.tensor.absolute)};
}

Loss TogetherOfBlocks(const LossBound& a, const LossBound& b) {
  return {a.block.of_peak + b.block.of_peak, a.block.of_rms + b.block.of_rms,
          a.block.absolute + b.block.absolute};
}

Loss LossOfBlocks(const Loss& many, const Loss& one, double blocks) {
  const double few = 1 / std::max(blocks, 1.0);
  const auto between = [&](double of_many, double of_one) {
    return of_many + (of_one - of_many) * few;
  };
  return {between(many.of_peak, one.of_peak), between(many.of_rms, one.of_rms),
          between(many.absolute, one.absolute)};
}

}  // namespace gguf
