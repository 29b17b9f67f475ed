// The contents of a file in memory, behind the C interface.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_API_CONTENTS_H_
#define GGUF_API_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/ggufcheck.h"
#include "conformance/base/bytes.h"
#include "parser/file.h"

namespace gguf::api {

// Refers to bytes that outlive it.
class Contents {
 public:
  explicit Contents(Bytes bytes);
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  const std::vector<ggufcheck_tensor>& tensors() const { return tensors_; }
  const char* json() const;

  // Writes the weights of a tensor.  Returns an error message, if any.
  std::optional<std::string> Dequantize(size_t tensor, float* weights) const;

 private:
  void AddTensor(const TensorInfo& tensor);

  const File file_;
  std::vector<std::vector<uint64_t>> dims_;
  std::vector<ggufcheck_tensor> tensors_;  // Refer to all of these.
  mutable std::once_flag json_once_;
  mutable std::string json_;  // Written when it is first asked for.
};

}  // namespace gguf::api

#endif  // GGUF_API_CONTENTS_H_
