// The plain types: a block is one number.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <type_traits>

#include "conformance/base/bytes.h"
#include "kernels/float_formats.h"
#include "kernels/registry.h"

namespace gguf {
namespace {

// Loads a little-endian number.
template <class T>
T LoadNumber(const uint8_t* bytes) {
  const uint64_t bits = LoadUnsignedOfSize(bytes, sizeof(T), Endian::kLittle);
  if constexpr (std::is_same_v<T, double>) return DoubleFromBits(bits);
  return static_cast<T>(bits);
}

// F32, F64, I8, I16, I32, I64: one little-endian number of a native type.
//
//   weight[0] = number, rounded to the nearest float, ties to even; an F64
//               beyond the floats becomes an infinity
template <class T>
void DequantizeNumbers(const uint8_t* numbers, size_t n, float* weights) {
  for (size_t i = 0; i < n; ++i) {
    weights[i] = static_cast<float>(LoadNumber<T>(numbers + i * sizeof(T)));
  }
}

// F32 is copied, so that a NaN keeps its bits.
void DequantizeF32(const uint8_t* numbers, size_t n, float* weights) {
  if (kHostEndian == Endian::kLittle) {
    if (n > 0) std::memcpy(weights, numbers, n * sizeof *weights);
    return;
  }
  for (size_t i = 0; i < n; ++i) {
    const auto bits = LoadNumber<uint32_t>(numbers + 4 * i);
    std::memcpy(weights + i, &bits, sizeof bits);
  }
}

// F16: one IEEE 754 binary16.
void DequantizeF16(const uint8_t* numbers, size_t n, float* weights) {
  for (size_t i = 0; i < n; ++i) weights[i] = LoadF16(numbers + 2 * i);
}

// BF16: the upper half of a float.
void DequantizeBF16(const uint8_t* numbers, size_t n, float* weights) {
  for (size_t i = 0; i < n; ++i) {
    weights[i] = Bf16ToFloat(LoadNumber<uint16_t>(numbers + 2 * i));
  }
}

// F8_E4M3: one E4M3 number.
void DequantizeF8E4M3(const uint8_t* numbers, size_t n, float* weights) {
  for (size_t i = 0; i < n; ++i) weights[i] = E4m3ToFloat(numbers[i]);
}

constexpr Kernel kPlainTypes[] = {
    {TensorType::kF32, "reference", DequantizeF32},
    {TensorType::kF16, "reference", DequantizeF16},
    {TensorType::kBF16, "reference", DequantizeBF16},
    {TensorType::kF64, "reference", DequantizeNumbers<double>},
    {TensorType::kI8, "reference", DequantizeNumbers<int8_t>},
    {TensorType::kI16, "reference", DequantizeNumbers<int16_t>},
    {TensorType::kI32, "reference", DequantizeNumbers<int32_t>},
    {TensorType::kI64, "reference", DequantizeNumbers<int64_t>},
    {TensorType::kF8_E4M3, "reference", DequantizeF8E4M3},
};

}  // namespace

absl::Span<const Kernel> PlainTypes() { return kPlainTypes; }

}  // namespace gguf
