// Looks up entries of a File.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/file.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace gguf {

std::string TensorInfo::ShapeText() const {
  return absl::StrCat("[", absl::StrJoin(absl::MakeSpan(dims.data(), rank()), ", "), "]");
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

}  // namespace gguf
