// The two tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/types.h"

#include "absl/numeric/int128.h"

namespace gguf::corpus {
namespace {

constexpr ScalarType kScalars[] = {
    {"u8", 1, false, 0},   {"i8", 1, false, 1},   {"u16", 2, false, 2}, {"i16", 2, false, 3},
    {"u32", 4, false, 4},  {"i32", 4, false, 5},  {"f32", 4, true, 6},  {"bool", 1, false, 7},
    {"u64", 8, false, 10}, {"i64", 8, false, 11}, {"f64", 8, true, 12}, {"f16", 2, true, -1},
    {"bf16", 2, true, -1},
};

constexpr TensorType kTensorTypes[] = {
    {"F32", 0, 1, 4},         {"F16", 1, 1, 2},         {"Q4_0", 2, 32, 18},
    {"Q4_1", 3, 32, 20},      {"Q5_0", 6, 32, 22},      {"Q5_1", 7, 32, 24},
    {"Q8_0", 8, 32, 34},      {"Q8_1", 9, 32, 36},      {"Q2_K", 10, 256, 84},
    {"Q3_K", 11, 256, 110},   {"Q4_K", 12, 256, 144},   {"Q5_K", 13, 256, 176},
    {"Q6_K", 14, 256, 210},   {"Q8_K", 15, 256, 292},   {"IQ2_XXS", 16, 256, 66},
    {"IQ2_XS", 17, 256, 74},  {"IQ3_XXS", 18, 256, 98}, {"IQ1_S", 19, 256, 50},
    {"IQ4_NL", 20, 32, 18},   {"IQ3_S", 21, 256, 110},  {"IQ2_S", 22, 256, 82},
    {"IQ4_XS", 23, 256, 136}, {"I8", 24, 1, 1},         {"I16", 25, 1, 2},
    {"I32", 26, 1, 4},        {"I64", 27, 1, 8},        {"F64", 28, 1, 8},
    {"IQ1_M", 29, 256, 56},   {"BF16", 30, 1, 2},       {"TQ1_0", 34, 256, 54},
    {"TQ2_0", 35, 256, 66},   {"MXFP4", 39, 32, 17},    {"NVFP4", 40, 64, 36},
    {"Q1_0", 41, 128, 18},    {"Q2_0", 42, 64, 18},     {"F8_E4M3", 43, 1, 1},
};

// Returns the row whose member has this value, or null.
template <class Row, size_t n, class Member, class Value>
const Row* Find(const Row (&rows)[n], Member Row::*member, Value value) {
  for (const Row& row : rows) {
    if (row.*member == value) return &row;
  }
  return nullptr;
}

}  // namespace

const ScalarType* FindScalar(absl::string_view name) {
  return Find(kScalars, &ScalarType::name, name);
}

const ScalarType* FindScalar(uint32_t value_type) {
  return Find(kScalars, &ScalarType::value_type, int64_t{value_type});
}

std::optional<uint32_t> ValueTypeId(absl::string_view name) {
  if (name == "str") return kStringType;
  if (name == "arr") return kArrayType;
  const ScalarType* type = FindScalar(name);
  if (type == nullptr || type->value_type < 0) return std::nullopt;
  return type->value_type;
}

const TensorType* FindTensorType(absl::string_view name) {
  return Find(kTensorTypes, &TensorType::name, name);
}

const TensorType* FindTensorType(uint32_t id) { return Find(kTensorTypes, &TensorType::id, id); }

std::optional<uint64_t> DataBytes(uint32_t type, const std::vector<uint64_t>& dims) {
  constexpr absl::uint128 kEnd = absl::uint128(1) << 63;
  const TensorType* const info = FindTensorType(type);
  if (info == nullptr) return std::nullopt;
  const uint64_t row = dims.empty() ? 1 : dims[0];
  absl::uint128 bytes = (absl::uint128(row) + info->block - 1) / info->block * info->bytes;
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i] == 0) return 0;
    if (bytes < kEnd) bytes *= dims[i];  // Below 2^127: cannot wrap.
  }
  if (bytes >= kEnd) return std::nullopt;
  return absl::Uint128Low64(bytes);
}

}  // namespace gguf::corpus
