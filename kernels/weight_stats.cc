// Computes sums in one pass, and combines them as Chan, Golub and LeVeque do.
//
// SPDX-License-Identifier: Apache-2.0

#include "kernels/weight_stats.h"

#include <algorithm>
#include <cmath>

namespace gguf {

void WeightStats::Add(absl::Span<const float> weights) {
  WeightStats part;
  double sum = 0;
  for (const float w : weights) {
    if (!std::isfinite(w)) {
      ++(std::isnan(w) ? part.nan : part.infinite);
      continue;
    }
    ++part.count;
    part.zeros += w == 0;
    part.subnormals += w != 0 && std::abs(w) < std::numeric_limits<float>::min();
    part.min = std::min<double>(part.min, w);
    part.max = std::max<double>(part.max, w);
    sum += w;
  }
  if (part.count > 0) part.mean = sum / part.count;
  for (const float w : weights) {
    if (std::isfinite(w)) part.squares += (w - part.mean) * (w - part.mean);
  }
  Add(part);
}

void WeightStats::Add(const WeightStats& other) {
  nan += other.nan;
  infinite += other.infinite;
  if (other.count == 0) return;
  const double total = static_cast<double>(count) + other.count;
  const double distance = other.mean - mean;
  mean += distance * (other.count / total);
  squares += other.squares + distance * distance * (count * (other.count / total));
  count += other.count;
  zeros += other.zeros;
  subnormals += other.subnormals;
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

double WeightStats::StandardDeviation() const {
  return count == 0 ? 0 : std::sqrt(squares / count);
}

void Histogram::Add(absl::Span<const float> weights) {
  const double width = (max - min) / kHistogramBins;
  for (const float w : weights) {
    if (!(w >= min && w <= max)) continue;
    const int bin = width > 0 ? static_cast<int>((w - min) / width) : 0;
    ++bins[std::min(bin, kHistogramBins - 1)];
  }
}

}  // namespace gguf
