// LossBound: how far the weights of a tensor may be from those that they were
// quantized from.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_BOUNDS_H_
#define GGUF_CONFORMANCE_COMPARE_BOUNDS_H_

#include <cstdint>

#include "parser/core/tensor_type.h"

namespace gguf {

// The root mean square of the error is at most
//
//   max(of_peak * peak, of_rms * rms, absolute)
//
// where `rms` is the root mean square of the base's weights, and `peak` that of
// the largest weights of groups of kComparedGroup.
struct Loss {
  double of_peak = 0;
  double of_rms = 0;
  double absolute = 0;

  // Returns the largest sum of squared errors of `n` weights whose squares have
  // the sum `base`; `peaks` is the sum of the squares of the groups' largest
  // weights, times the number of weights in a group.
  double Largest(double n, double base, double peaks) const;
};

// The bounds of a type.
struct LossBound {
  Loss tensor;  // Of a tensor of many blocks.
  Loss block;   // Of one block.
  // The number that times the file's weights fits the base's best lies between
  // 1 + scale_down * rest and 1 + scale_up * rest, where `rest` is the squared
  // rmse after that multiplication.  Both are 0 if the type has too few bits to
  // show its scale.
  double scale_down = 0, scale_up = 0;
  bool shows_scale() const { return scale_up > 0; }

  // The least MagnitudeSlope; 0 if the error shows as much.
  double least_slope = 0;

  // The most that a group may lose if an importance matrix favors few columns,
  // in multiples of what a group may lose otherwise; 0 if the type's quantizer
  // does not use importances.
  double uneven = 0;

  // Floats have errors that are equal for equal weights; the others' depend on
  // the weights around.
  bool is_float() const { return tensor.of_peak == 0; }
};

// Returns the bounds of a type; null for one without a row in loss_bounds.tsv.
const LossBound* FindLossBound(const TensorTypeInfo& type);

// Returns the loss of a tensor of one type and one of another that were both
// made from the same weights.
Loss TogetherOfTensors(const LossBound& a, const LossBound& b);
Loss TogetherOfBlocks(const LossBound& a, const LossBound& b);

// Returns the loss of a tensor of this many blocks, between that of many and
// that of one.
Loss LossOfBlocks(const Loss& many, const Loss& one, double blocks);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_BOUNDS_H_
