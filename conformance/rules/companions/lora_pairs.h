// LoraPairs: the matrices A and B of a LoRA adapter, by the tensor of the base
// that they adapt.
//
// For a weight W of [in, out], A is [in, rank] and B is [rank, out], in file
// order; W + alpha / rank * B A replaces W.  For the embeddings, A is [rank,
// vocabulary] and B is [rank, in], because rows are looked up in A.  A third
// dimension counts experts.
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

// One of the two may be null, not both.
struct LoraPair {
  absl::string_view base;  // The name of the adapted tensor.
  bool is_embedding = false;
  const TensorInfo* a = nullptr;
  const TensorInfo* b = nullptr;
};

struct LoraTensors {
  std::vector<LoraPair> pairs;  // In the order of the file.
  std::vector<const TensorInfo*> others;
};

// Returns the pairs of a LoRA adapter.  If two tensors share a name, the first
// counts.
LoraTensors LoraPairs(const Model& model);

// Returns whether the tensor is a norm, which llama.cpp ignores.
bool IsNorm(const TensorInfo& tensor);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_LORA_PAIRS_H_
