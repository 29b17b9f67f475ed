// The tensors of companions: facts that several checks use, the layer of a
// control vector's direction, and the pairs of a LoRA adapter.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_COMPANIONS_COMPANION_TENSORS_H_
#define GGUF_CONFORMANCE_RULES_COMPANIONS_COMPANION_TENSORS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/encoder.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/model.h"
#include "conformance/rules/check.h"
#include "parser/file.h"

namespace gguf {

// Returns a dimension in file order; 1 for those beyond the tensor's rank.
inline uint64_t DimOf(const TensorInfo& tensor, uint32_t dim) {
  return dim < tensor.rank() ? tensor.dims[dim] : 1;
}

// Reports a tensor of another type than F32; other rules report unknown types.
void ExpectF32(const TensorInfo& tensor, Finder& find);

// Returns the layer that llama.cpp reads: 7 for "direction.7", "direction. +07" and
// "direction.7x"; nothing for a name without a number of 32 bits in this place.
std::optional<int64_t> DirectionLayer(absl::string_view name);

// The tensors of a companion that are about one tensor of the base.
struct TensorGroup {
  absl::string_view base;           // The name of the base's tensor.
  const TensorInfo* parts[3] = {};  // By suffix.  Not all are null.

  const TensorInfo& any() const { return parts[0] ? *parts[0] : parts[1] ? *parts[1] : *parts[2]; }
};

struct GroupedTensors {
  std::vector<TensorGroup> groups;  // In the order of the file.
  std::vector<const TensorInfo*> others;
};

// Groups the tensors whose names are those of the base's with one of up to three
// suffixes.  If two tensors share a name, the first counts.
GroupedTensors GroupBySuffix(const Model& model, std::initializer_list<const char*> suffixes);

// The matrices A and B of a LoRA adapter, by the tensor of the base that they adapt.
//
// For a weight W of [in, out], A is [in, rank] and B is [rank, out], in file
// order; W + alpha / rank * B A replaces W.  For the embeddings, A is [rank,
// vocabulary] and B is [rank, in], because rows are looked up in A.  A third
// dimension counts experts.
constexpr char kLoraA[] = ".lora_a";
constexpr char kLoraB[] = ".lora_b";

struct LoraPair : TensorGroup {
  bool is_embedding = false;
  // Whether llama.cpp applies adapters of this tensor to models of the architecture; otherwise it
  // loads the matrices, and multiplies with none of them.
  bool is_used = true;
  const TensorInfo* a = nullptr;  // One of the two may be null.
  const TensorInfo* b = nullptr;
};

std::vector<LoraPair> LoraPairs(const Model& model);

// Returns whether llama.cpp applies an adapter of this tensor to models of the architecture.
bool IsAdapted(uint16_t architecture, absl::string_view name);

// Returns whether the tensor is a norm, which llama.cpp ignores.
bool IsNorm(const TensorInfo& tensor);

// Returns why a rule about companions of another kind and their base does not apply: silent, unless
// a base was given and applies to nothing in this file.
Reason NotOfThisKind(const CheckContext& context);

// Requires a file of this kind, and a base.
template <GgufKind kind>
Reason OnlyWithBase(const CheckContext& context) {
  if (!context.model.kind().Is(kind)) return NotOfThisKind(context);
  return context.base != nullptr ? Reason() : Reason::NotRequested();
}

// Why the width of an encoder is unknown, for Finder::CannotCheck.
inline constexpr char kUnknownWidth[] =
    "the tensor that shows the projector's width is unknown or missing";

struct ProjectorWidth {
  const TensorInfo* tensor;  // A dimension of it is `length`.
  uint64_t length;
  uint64_t outputs;  // The number of vectors of this length, at least 1.

  // The length of all vectors together; nothing if it exceeds 64 bits.
  std::optional<uint64_t> Total() const;
};

// Returns nothing if the encoder's type is unknown, or its tensor absent.
std::optional<ProjectorWidth> WidthOf(const Model& model, const Encoder& encoder);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_COMPANIONS_COMPANION_TENSORS_H_
