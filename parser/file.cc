// Looks up entries of a File; multiplies shapes with overflow checks.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace gguf {

std::string TensorInfo::ShapeText() const {
  return absl::StrCat("[", absl::StrJoin(absl::MakeSpan(dims.data(), rank()), ", "),
                      n_dims.value > kMaxDimensions ? ", ...]" : "]");
}

Bytes File::Read(Range where, std::string* buffer) const {
  if (data == nullptr || where.end <= bytes.size()) return At(where);
  where.end = std::min(where.end, size);
  if (where.begin >= where.end) return Bytes();
  buffer->resize(where.size());
  data->Read(where.begin, reinterpret_cast<uint8_t*>(buffer->data()), where.size());
  return AsBytes(*buffer);
}

const KeyValue* File::Find(absl::string_view key) const {
  for (const KeyValue& kv : keys) {
    if (kv.key.value == key) return &kv;
  }
  return nullptr;
}

std::optional<uint64_t> File::Unsigned(const KeyValue& kv) const {
  if (kv.type->kind != ValueKind::kUnsigned) return std::nullopt;
  return LoadUnsignedOfSize(bytes.data() + kv.value.begin, kv.type->size, encoding.endian);
}

std::optional<absl::string_view> File::String(const KeyValue& kv) const {
  if (kv.type->kind != ValueKind::kString) return std::nullopt;
  return AsText(bytes.subspan(kv.value.begin + encoding.length_bytes,
                              kv.value.size() - encoding.length_bytes));
}

void MultiplyDimension(uint64_t dim, std::optional<uint64_t>* product) {
  constexpr uint64_t kMost = (uint64_t{1} << 63) - 1;
  if (*product) *product = CheckedMultiply(**product, std::max<uint64_t>(dim, 1));
  if (*product && **product > kMost) product->reset();
}

std::optional<uint64_t> ElementCount(const TensorInfo& tensor) {
  std::optional<uint64_t> product = tensor.beyond;
  bool empty = tensor.zero_beyond;
  for (uint32_t i = 0; i < tensor.rank(); ++i) {
    MultiplyDimension(tensor.dims[i], &product);
    empty |= tensor.dims[i] == 0;
  }
  return product && empty ? 0 : product;
}

bool HasWholeBlocks(const TensorInfo& tensor) {
  const TensorTypeInfo* type = tensor.type_info();
  const uint64_t row = tensor.rank() == 0 ? 1 : tensor.dims[0];
  return type == nullptr || row % type->block_elements == 0;
}

std::optional<uint64_t> ByteSize(const TensorInfo& tensor, uint64_t alignment) {
  const TensorTypeInfo* type = tensor.type_info();
  const auto elements = ElementCount(tensor);
  if (type == nullptr || !elements || !HasWholeBlocks(tensor)) {
    return std::nullopt;
  }
  // Divide first: the product of elements and bytes may wrap.
  const auto bytes = CheckedMultiply(*elements / type->block_elements, type->block_bytes);
  if (!bytes || !CheckedAlignUp(*bytes, alignment)) return std::nullopt;
  return bytes;
}

}  // namespace gguf
