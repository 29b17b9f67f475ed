// LoraPairs: the matrices A and B of a LoRA adapter, by the tensor of the base
// that they adapt.
//
// For a weight W of [in, out], A is [in, rank] and B is [rank, out], in file
// order; W + alpha / rank * B A takes its place.  Of the embeddings, A is
// [rank, vocabulary] and B [rank, in], since rows are taken from A.  A third
// dimension is that of experts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_LORA_PAIRS_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_LORA_PAIRS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "parser/core/file.h"

namespace gguf {

constexpr char kLoraA[] = ".lora_a";
constexpr char kLoraB[] = ".lora_b";

// Either may be null, not both.
struct LoraPair {
  absl::string_view base;  // The name of the tensor that they adapt.
  bool is_embedding = false;
  const TensorInfo* a = nullptr;
  const TensorInfo* b = nullptr;
};

struct LoraTensors {
  std::vector<LoraPair> pairs;  // In the order of the file.
  std::vector<const TensorInfo*> others;
};

// Of a LoRA adapter.  Of two tensors of one name, the first counts.
LoraTensors LoraPairs(const Model& model);

// Whether llama.cpp passes over the tensor.
bool IsNorm(const TensorInfo& tensor);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_LORA_PAIRS_H_
