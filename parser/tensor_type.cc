// The table of tensor types.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/tensor_type.h"

namespace gguf {
namespace {

// id, name, elements and bytes of a block, quantized, removed on, in the
// specification.  The bytes of removed types are those they last had.
constexpr TensorTypeInfo kTypes[] = {
    {0, "F32", 1, 4, false, nullptr, true},
    {1, "F16", 1, 2, false, nullptr, true},
    {2, "Q4_0", 32, 18, true, nullptr, true},
    {3, "Q4_1", 32, 20, true, nullptr, true},
    {4, "Q4_2", 16, 10, true, "2023-05-12", false},
    {5, "Q4_3", 16, 12, true, "2023-04-28", false},
    {6, "Q5_0", 32, 22, true, nullptr, true},
    {7, "Q5_1", 32, 24, true, nullptr, true},
    {8, "Q8_0", 32, 34, true, nullptr, true},
    {9, "Q8_1", 32, 36, true, nullptr, true},
    {10, "Q2_K", 256, 84, true, nullptr, true},
    {11, "Q3_K", 256, 110, true, nullptr, true},
    {12, "Q4_K", 256, 144, true, nullptr, true},
    {13, "Q5_K", 256, 176, true, nullptr, true},
    {14, "Q6_K", 256, 210, true, nullptr, true},
    {15, "Q8_K", 256, 292, true, nullptr, true},
    {16, "IQ2_XXS", 256, 66, true, nullptr, true},
    {17, "IQ2_XS", 256, 74, true, nullptr, true},
    {18, "IQ3_XXS", 256, 98, true, nullptr, true},
    {19, "IQ1_S", 256, 50, true, nullptr, true},
    {20, "IQ4_NL", 32, 18, true, nullptr, true},
    {21, "IQ3_S", 256, 110, true, nullptr, true},
    {22, "IQ2_S", 256, 82, true, nullptr, true},
    {23, "IQ4_XS", 256, 136, true, nullptr, true},
    {24, "I8", 1, 1, false, nullptr, true},
    {25, "I16", 1, 2, false, nullptr, true},
    {26, "I32", 1, 4, false, nullptr, true},
    {27, "I64", 1, 8, false, nullptr, true},
    {28, "F64", 1, 8, false, nullptr, true},
    {29, "IQ1_M", 256, 56, true, nullptr, true},
    {30, "BF16", 1, 2, false, nullptr, true},
    {31, "Q4_0_4_4", 32, 18, true, "2024-12-07", false},
    {32, "Q4_0_4_8", 32, 18, true, "2024-12-07", false},
    {33, "Q4_0_8_8", 32, 18, true, "2024-12-07", false},
    {34, "TQ1_0", 256, 54, true, nullptr, true},
    {35, "TQ2_0", 256, 66, true, nullptr, true},
    {36, "IQ4_NL_4_4", 32, 18, true, "2024-12-07", false},
    {37, "IQ4_NL_4_8", 32, 18, true, "2024-12-07", false},
    {38, "IQ4_NL_8_8", 32, 18, true, "2024-12-07", false},
    {39, "MXFP4", 32, 17, true, nullptr, true},
    {40, "NVFP4", 64, 36, true, nullptr, false},
    {41, "Q1_0", 128, 18, true, nullptr, false},
    {42, "Q2_0", 64, 18, true, nullptr, false},
};

constexpr TensorTypeInfo Old(TensorType type, const char* name,
                             uint32_t elements, uint32_t bytes) {
  return {
      static_cast<uint32_t>(type), name, elements, bytes, true, nullptr, false};
}

constexpr TensorTypeInfo kOldTypes[] = {
    Old(TensorType::kQ4_0_QNT0, "Q4_0_QNT0", 32, 20),
    Old(TensorType::kQ4_1_QNT0, "Q4_1_QNT0", 32, 24),
    Old(TensorType::kQ4_2, "Q4_2", 16, 10),
    Old(TensorType::kQ4_3, "Q4_3", 16, 12),
    Old(TensorType::kQ5_0_QNT0, "Q5_0_QNT0", 32, 22),
    Old(TensorType::kQ5_1_QNT0, "Q5_1_QNT0", 32, 24),
    Old(TensorType::kQ8_0_QNT0, "Q8_0_QNT0", 32, 36),
    Old(TensorType::kQ4_0_QNT1, "Q4_0_QNT1", 32, 20),
    Old(TensorType::kQ4_1_QNT1, "Q4_1_QNT1", 32, 24),
    Old(TensorType::kQ4_1_O, "Q4_1_O", 32, 24),
};

// An id that the scheme does not have.
constexpr auto kNone = static_cast<TensorType>(~uint32_t{0});

using T = TensorType;
constexpr T kQnt0[] = {T::kF32,       T::kF16,       T::kQ4_0_QNT0,
                       T::kQ4_1_QNT0, T::kQ4_2,      T::kQ4_3,
                       T::kQ5_0_QNT0, T::kQ5_1_QNT0, T::kQ8_0_QNT0};
constexpr T kQnt1[] = {T::kF32, T::kF16,  T::kQ4_0_QNT1, T::kQ4_1_QNT1, kNone,
                       kNone,   T::kQ5_0, T::kQ5_1,      T::kQ8_0_QNT0};
constexpr T kQnt2[] = {T::kF32,  T::kF16,  T::kQ4_0, T::kQ4_1, kNone,
                       kNone,    T::kQ5_0, T::kQ5_1, T::kQ8_0, kNone,
                       T::kQ2_K, T::kQ3_K, T::kQ4_K, T::kQ5_K, T::kQ6_K};
constexpr T kRwkv100[] = {
    T::kF32,  T::kF16,  T::kQ4_0_QNT0, T::kQ4_1_QNT0, T::kQ4_1_O,
    T::kQ4_2, T::kQ4_3, T::kQ5_0_QNT0, T::kQ5_1_QNT0, T::kQ8_0_QNT0};
constexpr T kRwkv101[] = {T::kF32,  T::kF16,  T::kQ4_0, T::kQ4_1, kNone,
                          kNone,    kNone,    T::kQ5_0, T::kQ5_1, T::kQ8_0,
                          T::kQ8_1, T::kQ2_K, T::kQ3_K, T::kQ4_K, T::kQ5_K,
                          T::kQ6_K, T::kQ8_K};

// The types of a scheme, by id.
absl::Span<const T> TypesOf(TypeScheme scheme) {
  switch (scheme) {
    case TypeScheme::kQnt0:
      return kQnt0;
    case TypeScheme::kQnt1:
      return kQnt1;
    case TypeScheme::kQnt2:
      return kQnt2;
    case TypeScheme::kRwkv100:
      return kRwkv100;
    case TypeScheme::kRwkv101:
      return kRwkv101;
    case TypeScheme::kGguf:
    case TypeScheme::kCurrent:
      break;
  }
  return {};
}

}  // namespace

const TensorTypeInfo* FindTensorType(uint32_t id) {
  return id < AllTensorTypes().size() ? &kTypes[id] : nullptr;
}

const TensorTypeInfo* FindTensorType(uint32_t id, TypeScheme scheme) {
  const TensorTypeInfo* const info = FindTensorType(id);
  if (scheme == TypeScheme::kGguf) return info;
  if (scheme == TypeScheme::kCurrent) {
    return info != nullptr && info->removed == nullptr ? info : nullptr;
  }
  const absl::Span<const TensorType> types = TypesOf(scheme);
  if (id >= types.size() || types[id] == kNone) return nullptr;
  return &GetTensorType(types[id]);
}

const TensorTypeInfo& GetTensorType(TensorType type) {
  return type < TensorType::kFirstOld
             ? *FindTensorType(static_cast<uint32_t>(type))
             : kOldTypes[static_cast<uint32_t>(type) -
                         static_cast<uint32_t>(TensorType::kFirstOld)];
}

absl::Span<const TensorTypeInfo> AllTensorTypes() { return kTypes; }

absl::Span<const TensorTypeInfo> OldTensorTypes() { return kOldTypes; }

}  // namespace gguf
