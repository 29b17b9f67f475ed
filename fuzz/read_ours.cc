// Our parser as one of two readers to compare: defines gguf_fuzz_read_a for a
// target with GGUF_FUZZ_DIFFERENTIAL.  docs/fuzzing.md lists the values that it
// reports.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "gguf_fuzz.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

void Add(gguf_fuzz_values* values, const std::string& name, absl::string_view bytes) {
  gguf_fuzz_value(values, name.data(), name.size(), bytes.data(), bytes.size());
}

void AddKey(const File& file, const KeyValue& kv, gguf_fuzz_values* values) {
  const std::string name = absl::StrCat("kv[", kv.key.value, "]");
  const auto text = file.String(kv);
  const absl::string_view stored(reinterpret_cast<const char*>(file.bytes.data()) + kv.value.begin,
                                 kv.value.end - kv.value.begin);
  const auto type = static_cast<uint32_t>(kv.type->type);
  Add(values, name + ".type", ByteWriter().U32(type).bytes());
  Add(values, name + ".value", text ? *text : stored);
}

void AddTensor(const TensorInfo& tensor, gguf_fuzz_values* values) {
  const std::string name = absl::StrCat("tensor[", tensor.name.value, "]");
  ByteWriter dims;
  for (uint32_t i = 0; i < tensor.rank(); ++i) dims.U64(tensor.dims[i]);
  Add(values, name + ".dims", dims.bytes());
  Add(values, name + ".type", ByteWriter().U32(tensor.type.value).bytes());
  Add(values, name + ".offset", ByteWriter().U64(tensor.offset.value).bytes());
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read_a(const uint8_t* data, size_t size, gguf_fuzz_values* values) {
  const gguf::Limits limits;
  gguf::Diagnostics found(limits.findings_per_rule);
  const gguf::File file = gguf::Parse(gguf::Bytes(data, size), limits, &found);
  if (file.progress != gguf::Progress::kTensors) return 1;
  for (const gguf::KeyValue& kv : file.keys) gguf::AddKey(file, kv, values);
  for (const gguf::TensorInfo& tensor : file.tensors) {
    gguf::AddTensor(tensor, values);
  }
  return 0;
}
