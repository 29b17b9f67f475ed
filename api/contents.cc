// Reads keys, tensors and weights for the C interface.
//
// SPDX-License-Identifier: Apache-2.0

#include "api/contents.h"

#include <sstream>

#include "absl/types/span.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/model/tensor_data.h"
#include "conformance/report/dump.h"
#include "kernels/dequantize.h"
#include "kernels/registry.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/tensor_type.h"

namespace gguf::api {
namespace {

File ParseAll(Bytes bytes) {
  Diagnostics found(1);
  return Parse(Source(bytes), Limits(), &found);
}

std::vector<uint64_t> DimsOf(const File& file, const TensorInfo& tensor) {
  std::vector<uint64_t> dims;
  const uint32_t count = tensor.n_dims.value;
  const uint64_t width = count == 0 ? 0 : tensor.dims_where().size() / count;
  for (uint32_t i = 0; i < count; ++i) {
    dims.push_back(LoadUnsignedOfSize(file.bytes.data() + tensor.dims_where().begin + i * width,
                                      width, file.encoding.endian));
  }
  return dims;
}

// Returns the tensor's bytes; empty if they are not all in the file.
Bytes DataOf(const File& file, const TensorInfo& tensor) {
  if (!file.alignment_known || !tensor.bytes || !IsInFile(file, tensor)) {
    return Bytes();
  }
  return file.At(DataRange(file, tensor));
}

}  // namespace

Contents::Contents(Bytes bytes) : file_(ParseAll(bytes)) {
  dims_.reserve(file_.tensors.size());
  tensors_.reserve(file_.tensors.size());
  for (const TensorInfo& tensor : file_.tensors) AddTensor(tensor);
}

void Contents::AddTensor(const TensorInfo& tensor) {
  dims_.push_back(DimsOf(file_, tensor));
  ggufcheck_tensor added = {};
  added.name = tensor.name.value.data();
  added.name_size = tensor.name.value.size();
  added.type = tensor.type.value;
  added.n_dims = tensor.n_dims.value;
  added.dims = dims_.back().data();
  added.offset = tensor.offset.value;
  const Bytes data = DataOf(file_, tensor);
  added.data = data.data();
  added.data_size = data.size();
  const TensorTypeInfo* const type = tensor.type_info();
  if (type != nullptr && BestKernel(static_cast<TensorType>(type->id)) != nullptr) {
    added.weights = data.size() / type->block_bytes * type->block_elements;
  }
  tensors_.push_back(added);
}

const char* Contents::json() const {
  std::call_once(json_once_, [this] {
    std::ostringstream out;
    WriteDump(file_, out);
    json_ = out.str();
  });
  return json_.c_str();
}

std::optional<std::string> Contents::Dequantize(size_t tensor, float* weights) const {
  const ggufcheck_tensor& read = tensors_[tensor];
  if (read.weights == 0) return std::nullopt;
  const auto type = static_cast<TensorType>(file_.tensors[tensor].type_info()->id);
  return gguf::Dequantize(type, Bytes(static_cast<const uint8_t*>(read.data), read.data_size),
                          absl::MakeSpan(weights, read.weights), file_.encoding.endian);
}

}  // namespace gguf::api
