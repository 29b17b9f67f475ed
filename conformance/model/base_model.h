// BaseModel: the model of --base, with which companions are compared.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_
#define GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/hparams.h"
#include "conformance/model/model.h"
#include "parser/file.h"

namespace gguf {

// Returns why a tensor that `base` lacks may be in another file; empty if it
// cannot be.
std::string WhyNotAllTensors(const Model& base);

// Computed once and then constant: several threads may share one.
class BaseModel {
 public:
  // `model` may be of any kind.  All of its available tensors were read.  If it
  // is a shard of a set, it represents the set.  It must outlive this object.
  explicit BaseModel(const Model& base);
  BaseModel(const BaseModel&) = delete;
  BaseModel& operator=(const BaseModel&) = delete;

  // Empty if it has none.
  absl::string_view architecture() const { return architecture_; }
  // Nothing if unknown.
  std::optional<int64_t> embedding_length() const { return n_embd_; }
  // Of the hidden states that the blocks for prediction read.
  std::optional<int64_t> output_length() const { return n_embd_out_; }
  // Of the vectors that a projector makes: the embedding, and as many values
  // for each later block that takes values of an image ("deepstack").
  std::optional<int64_t> input_length() const { return n_embd_inp_; }
  std::optional<int64_t> blocks() const { return blocks_; }

  // The vocabulary, and a key about it; null if the base lacks the key.
  const Vocabulary& vocabulary() const { return base_.vocabulary(); }
  const KeyValue* FindKey(absl::string_view name) const { return base_.FindKey(name); }
  // The file that the keys are in.
  const File& file() const { return base_.file; }

  const TensorTable& tensors() const { return base_.tensors(); }
  // Returns the first tensor of the name, or null.
  const TensorInfo* FindTensor(absl::string_view name) const { return tensors_.Find(name); }
  // Why a missing tensor may be in another file; empty if it cannot be.
  absl::string_view why_not_all_tensors() const { return why_not_all_; }

 private:
  const Model& base_;  // Everything in it that is used here was computed.
  const TensorIndex tensors_;
  const std::string architecture_;
  const std::optional<int64_t> n_embd_;
  const std::optional<int64_t> n_embd_out_;
  const std::optional<int64_t> n_embd_inp_;
  const std::optional<int64_t> blocks_;
  const std::string why_not_all_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_BASE_MODEL_H_
