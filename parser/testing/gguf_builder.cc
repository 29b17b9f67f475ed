// Writes small GGUF files.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/testing/gguf_builder.h"

#include <algorithm>

#include "parser/tensor_type.h"

namespace gguf {

ByteWriter& ByteWriter::Raw(absl::string_view bytes) {
  bytes_.append(bytes.data(), bytes.size());
  return *this;
}

ByteWriter& ByteWriter::Number(uint64_t value, int size) {
  for (int i = 0; i < size; ++i) {
    const int shift = 8 * (big_endian_ ? size - 1 - i : i);
    bytes_.push_back(static_cast<char>(value >> shift));
  }
  return *this;
}

ByteWriter& ByteWriter::Zeros(uint64_t count) {
  bytes_.append(count, '\0');
  return *this;
}

ByteWriter& ByteWriter::PadTo(uint64_t alignment) {
  return Zeros((alignment - bytes_.size() % alignment) % alignment);
}

GgufBuilder& GgufBuilder::String(absl::string_view key, absl::string_view value) {
  return Key(key, 8, New().String(value));
}

GgufBuilder& GgufBuilder::U32(absl::string_view key, uint32_t value) {
  return Key(key, 4, New().U32(value));
}

GgufBuilder& GgufBuilder::Key(absl::string_view key, uint32_t type, const ByteWriter& value) {
  keys_.String(key).U32(type).Raw(value.bytes());
  ++keys_written_;
  return *this;
}

GgufBuilder& GgufBuilder::Tensor(absl::string_view name, std::vector<uint64_t> dims, uint32_t type,
                                 std::optional<uint64_t> offset) {
  tensors_.push_back({std::string(name), dims, type, offset.value_or(data_end_)});
  const TensorTypeInfo* info = FindTensorType(type);
  if (info == nullptr) return *this;
  // No test uses sizes that overflow except for their wrapped value.
  uint64_t bytes = info->block_bytes;
  for (const uint64_t dim : dims) bytes *= dim;
  bytes /= info->block_elements;
  const uint64_t end = tensors_.back().offset + bytes;
  data_end_ = std::max(data_end_, (end + alignment - 1) / alignment * alignment);
  return *this;
}

std::string GgufBuilder::Build() const {
  ByteWriter out = New();
  out.Raw("GGUF").U32(header_version.value_or(version_));
  out.Length(tensor_count.value_or(tensors_.size()));
  out.Length(key_count.value_or(keys_written_));
  out.Raw(keys_.bytes());
  for (const Info& info : tensors_) {
    out.String(info.name).U32(info.dims.size());
    for (const uint64_t dim : info.dims) out.Length(dim);
    out.U32(info.type).U64(info.offset);
  }
  if (!tensors_.empty()) {
    constexpr uint64_t kMostData = 1 << 20;
    out.PadTo(alignment).Zeros(data_bytes.value_or(std::min(data_end_, kMostData)));
  }
  return out.Raw(after_data).bytes();
}

}  // namespace gguf
