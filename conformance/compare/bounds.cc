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
  bound.tensor = {Fraction(row.peak), Fraction(row.rms),
                  absolute / std::sqrt(3.0)};
  bound.block = {Fraction(row.block_peak), Fraction(row.block_rms), absolute};
  bound.cosine = Fraction(row.cosine);
  bound.scale_down = row.scale_down * 1e-2;
  bound.scale_up = row.scale_up * 1e-2;
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

Loss Sum(const Loss& a, const Loss& b) {
  return {a.of_peak + b.of_peak, a.of_rms + b.of_rms, a.absolute + b.absolute};
}

}  // namespace

double Loss::Largest(double n, double base, double peaks) const {
  return std::max({of_peak * of_peak * peaks, of_rms * of_rms * base,
                   absolute * absolute * n});
}

Loss LossBound::OfTensor(double blocks) const {
  const double few = 1 / std::max(blocks, 1.0);
  const auto between = [&](double many, double one) {
    return many + (one - many) * few;
  };
  return {between(tensor.of_peak, block.of_peak),
          between(tensor.of_rms, block.of_rms),
          between(tensor.absolute, block.absolute)};
}

const LossBound* FindLossBound(const TensorTypeInfo& type) {
  if (type.id >= kGgufTensorTypes || !Bounds()[type.id]) return nullptr;
  return &*Bounds()[type.id];
}

LossBound Together(const LossBound& a, const LossBound& b) {
  LossBound both;
  both.tensor = Sum(a.tensor, b.tensor);
  both.block = Sum(a.block, b.block);
  both.cosine = std::min(a.cosine, b.cosine);
  if (a.shows_scale() && b.shows_scale()) {
    both.scale_down = std::min(a.scale_down, b.scale_down);
    both.scale_up = std::max(a.scale_up, b.scale_up);
  }
  return both;
}

}  // namespace gguf
