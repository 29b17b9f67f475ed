// BaseModel: what an adapter or a control vector is judged against.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_
#define GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "parser/core/file.h"

namespace gguf {

// Computed once and then constant: several threads may judge files against one.
class BaseModel {
 public:
  // Of any kind.  All its tensors that are at hand were read; it is the one
  // that speaks for the others if it is a shard of a set, and outlives this.
  explicit BaseModel(const Model& base);
  BaseModel(const BaseModel&) = delete;
  BaseModel& operator=(const BaseModel&) = delete;

  // Empty when it has none.
  absl::string_view architecture() const { return architecture_; }
  // Nothing when they are not known.
  std::optional<int64_t> embedding_length() const { return n_embd_; }
  std::optional<int64_t> blocks() const { return blocks_; }

  // The first of the name, or null.
  const TensorInfo* FindTensor(absl::string_view name) const {
    return tensors_.Find(name);
  }
  // Why a tensor that is not there may be elsewhere; empty when it may not.
  absl::string_view why_not_all_tensors() const { return why_not_all_; }

 private:
  const TensorIndex tensors_;
  const std::string architecture_;
  const std::optional<int64_t> n_embd_;
  const std::optional<int64_t> blocks_;
  const std::string why_not_all_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_
