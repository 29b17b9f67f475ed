// MagnitudeSlope: whether large weights of the base are large in the file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_COMPARE_MAGNITUDE_SLOPE_H_
#define GGUF_CONFORMANCE_COMPARE_MAGNITUDE_SLOPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace gguf {

// The regression of the magnitudes of a file's weights on those of the base,
// within groups of kComparedGroup.  It is about 1 for weights that a type
// represents well, and less for types of one bit and more, which shrink large
// weights.  It is 0 if a type with a single magnitude in a group, such as Q1_0,
// came between, however many bits the weights have now.
class MagnitudeSlope {
 public:
  // Adds blocks of this many weights.
  static constexpr size_t kBlock = 256;
  void AddBlock(const float* base, const float* file);

  void Add(const MagnitudeSlope& other);

  // Returns the slope, or nothing for too few groups.
  std::optional<double> Slope() const;

 private:
  double covariance_ = 0, variance_ = 0;
  uint64_t groups_ = 0;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_COMPARE_MAGNITUDE_SLOPE_H_
