// For any bytes, parsing terminates, and all ranges that it reports lie inside
// the file.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>

#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "fuzz/target.h"
#include "parser/diagnostic.h"
#include "parser/file.h"
#include "parser/parse.h"

#define GGUF_FUZZ_IMPL
#include "gguf_fuzz.h"

namespace gguf {
namespace {

void CheckRange(Range range, size_t size) {
  Require(range.begin <= range.end && range.end <= size);
}

}  // namespace
}  // namespace gguf

extern "C" int gguf_fuzz_read(const uint8_t* data, size_t size) {
  const gguf::Limits limits;
  gguf::Diagnostics found(limits.findings_per_rule);
  const gguf::File file = gguf::Parse(gguf::Bytes(data, size), limits, &found);
  for (const gguf::Diagnostic& diagnostic : found.kept()) {
    gguf::CheckRange(diagnostic.where, size);
  }
  for (const gguf::KeyValue& kv : file.keys) {
    gguf::CheckRange(kv.key.where, size);
    gguf::CheckRange(kv.value, size);
  }
  for (const gguf::TensorInfo& tensor : file.tensors) {
    gguf::CheckRange(tensor.name.where, size);
    gguf::CheckRange(tensor.offset.where, size);
  }
  const bool complete = file.progress == gguf::Progress::kTensors;
  gguf::Require(complete == !file.stop.has_value());
  gguf::Require(complete || !found.kept().empty() || file.stop->kind == gguf::Stop::kNotDone);
  return complete ? 0 : 1;
}
