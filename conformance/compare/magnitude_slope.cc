// Adds up covariances of groups, in units of the blocks' squares.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/compare/magnitude_slope.h"

#include <array>
#include <cmath>

#include "kernels/weight_difference.h"

namespace gguf {
namespace {

// With fewer groups, the slope is uncertain.
constexpr uint64_t kLeastGroups = 64;
// Groups whose magnitudes vary less than this, as a part of their squares, show
// no slope: one magnitude represents them well.
constexpr double kLeastVariance = 0.12;

// Sums of a group, of magnitudes.
struct GroupSums {
  double base = 0, file = 0, products = 0, base_squares = 0;
};

GroupSums SumsOf(const float* base, const float* file) {
  GroupSums sums;
  for (size_t i = 0; i < kComparedGroup; ++i) {
    const double b = std::abs(base[i]), f = std::abs(file[i]);
    sums.base += b;
    sums.file += f;
    sums.products += b * f;
    sums.base_squares += b * b;
  }
  return sums;
}

}  // namespace

void MagnitudeSlope::AddBlock(const float* base, const float* file) {
  constexpr size_t kGroups = kBlock / kComparedGroup;
  std::array<GroupSums, kGroups> groups;
  double squares = 0;
  for (size_t i = 0; i < kGroups; ++i) {
    groups[i] = SumsOf(base + i * kComparedGroup, file + i * kComparedGroup);
    squares += groups[i].base_squares;
  }
  if (!std::isfinite(squares)) return;
  for (const GroupSums& group : groups) {
    const double variance =
        group.base_squares - group.base * group.base / kComparedGroup;
    // Zeros have lost everything, which the error shows.
    if (!(group.file > 0) || !std::isfinite(group.file) || !(variance > 0) ||
        variance < kLeastVariance * group.base_squares) {
      continue;
    }
    covariance_ +=
        (group.products - group.base * group.file / kComparedGroup) / squares;
    variance_ += variance / squares;
    ++groups_;
  }
}

void MagnitudeSlope::Add(const MagnitudeSlope& other) {
  covariance_ += other.covariance_;
  variance_ += other.variance_;
  groups_ += other.groups_;
}

std::optional<double> MagnitudeSlope::Slope() const {
  if (groups_ < kLeastGroups) return std::nullopt;
  return covariance_ / variance_;
}

}  // namespace gguf
