// Pairs the tensors of a LoRA adapter.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/companions/companion_tensors.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace gguf {

LoraTensors LoraPairs(const Model& model) {
  LoraTensors found;
  absl::flat_hash_map<absl::string_view, size_t> places;
  for (const TensorInfo& tensor : model.file.tensors) {
    absl::string_view base = tensor.name.value;
    const bool is_a = absl::ConsumeSuffix(&base, kLoraA);
    if (!is_a && !absl::ConsumeSuffix(&base, kLoraB)) {
      found.others.push_back(&tensor);
      continue;
    }
    const auto [place, is_new] = places.emplace(base, found.pairs.size());
    if (is_new) {
      found.pairs.push_back({base, absl::EndsWith(base, "token_embd.weight")});
    }
    LoraPair& pair = found.pairs[place->second];
    const TensorInfo*& member = is_a ? pair.a : pair.b;
    if (member == nullptr) member = &tensor;
  }
  return found;
}

bool IsNorm(const TensorInfo& tensor) {
  return absl::EndsWith(tensor.name.value, "_norm.weight");
}

}  // namespace gguf
