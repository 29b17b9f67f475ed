// Takes from the file what it says about itself.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/describe_file.h"

#include <algorithm>
#include <cstdint>

#include "conformance/engine/needed_build.h"
#include "conformance/model/shard_name.h"
#include "conformance/model/shard_set.h"
#include "parser/core/file.h"
#include "parser/legacy/parse_legacy.h"

namespace gguf {
namespace {

FileReport::Extremes ExtremesOf(const File& file) {
  FileReport::Extremes extremes;
  for (const KeyValue& kv : file.keys) {
    extremes.longest_array = std::max(extremes.longest_array, kv.length);
  }
  for (const TensorInfo& tensor : file.tensors) {
    extremes.largest_dimension = std::max(
        extremes.largest_dimension, *std::max_element(tensor.dims.begin(), tensor.dims.end()));
    if (tensor.type_info() != nullptr) {
      extremes.tensor_types |= uint64_t{1} << tensor.type.value;
    }
  }
  return extremes;
}

}  // namespace

void DescribeFile(const Model& model, FileReport* report) {
  const File& file = model.file;
  if (const ShardSet* set = model.shard_set()) {
    const ShardName& name = set->ShardOf(model).name;
    report->shard = {name.number, name.count};
  }
  report->size = file.size;
  report->format = file.kind.format;
  report->version = file.kind.version;
  if (file.legacy) report->about = AboutLegacy(file);
  if (file.progress < Progress::kHeader) return;
  report->endian = file.encoding.endian;
  if (!file.legacy) {
    report->version = file.version.value;
    report->keys = file.keys.size();
  }
  report->tensors = file.tensors.size();
  if (file.legacy) return;  // Kinds and extremes exist only for GGUF.
  if (file.progress >= Progress::kKeys) report->kind = model.kind().kind;
  report->extremes = ExtremesOf(file);
  report->needs = FindNeededBuild(model);
}

}  // namespace gguf
