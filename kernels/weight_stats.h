// Statistics of a tensor's weights.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_KERNELS_WEIGHT_STATS_H_
#define GGUF_KERNELS_WEIGHT_STATS_H_

#include <array>
#include <cstdint>
#include <limits>

#include "absl/types/span.h"

namespace gguf {

// Statistics of weights as floats.  The order in which parts are added does not
// matter, apart from rounding of doubles.
struct WeightStats {
  uint64_t count = 0;  // Finite weights; all other members cover only these.
  uint64_t nan = 0;
  uint64_t infinite = 0;
  uint64_t zeros = 0;       // Of either sign.
  uint64_t subnormals = 0;  // As floats.
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double mean = 0;
  double squares = 0;  // Sum of squared distances from the mean.

  void Add(absl::Span<const float> weights);
  void Add(const WeightStats& other);

  // The standard deviation of the population; 0 without weights.
  double StandardDeviation() const;
};

// The number of weights in each of several equal parts of [min, max].
constexpr int kHistogramBins = 16;
struct Histogram {
  double min = 0;
  double max = 0;
  std::array<uint64_t, kHistogramBins> bins{};

  // Ignores values outside the range, and NaN.
  void Add(absl::Span<const float> weights);
};

}  // namespace gguf

#endif  // GGUF_KERNELS_WEIGHT_STATS_H_
