// LegacyNames: the tensors that the tables expect in a legacy (pre-GGUF) file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_LEGACY_LEGACY_NAMES_H_
#define GGUF_CONFORMANCE_RULES_LEGACY_LEGACY_NAMES_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "conformance/model/reason.h"
#include "conformance/tables/legacy_tensors.h"

namespace gguf {

// Requires a file that holds a model.
Reason OnlyLegacyModels(const Model& model);

// Returns whether a file holds only the vocabulary of a llama: llama.cpp then reads no more than
// the number of layers and what the size of the feed-forward layer is computed from.
bool IsLlamaVocabulary(const Model& model);

class LegacyNames {
 public:
  // The file has `legacy`, its hyperparameters were read, and it outlives this.
  explicit LegacyNames(const Model& model);

  // Returns why the tables do not list the tensors that there should be, for
  // Finder::CannotCheck; empty when they do.
  const std::string& why_incomplete() const { return why_incomplete_; }

  // Returns the row of a tensor, or null.
  const LegacyTensorRow* Find(absl::string_view name) const;

  // The number of the block in a name, and the hyperparameter that bounds it.
  struct Block {
    uint64_t number;
    const char* hparam;
  };
  // Returns nothing for a name without one.
  std::optional<Block> BlockOf(absl::string_view name) const;

  // Returns the first name that a file of this kind needs and the file lacks.
  // Looks up at most one name more than the file has tensors.
  std::optional<std::string> FindMissing() const;

  // Returns the dimensions of a tensor of this name and row.  A dimension is
  // nothing if it may be any, or if neither the header nor other tensors give
  // it.
  using Shape = std::array<std::optional<uint64_t>, 3>;
  Shape ShapeOf(absl::string_view name, const LegacyTensorRow& row) const;

  // Returns the type of a tensor of this row; null if it may be any or the ftype is unknown.
  const TensorTypeInfo* TypeOf(const LegacyTensorRow& row) const;

  // The tensor that gives the number of heads of an RWKV model, and that
  // number. The width of a head is n_embd / count, if that is whole.
  struct Heads {
    const TensorInfo* tensor;
    uint64_t count;
    std::optional<uint64_t> width;
  };
  std::optional<Heads> FindHeads() const;

 private:
  std::optional<uint64_t> SizeOf(LegacySize size) const;
  std::optional<uint64_t> Rank(absl::string_view name, const LegacyTensorRow& row) const;
  uint64_t BlockCount(absl::string_view pattern) const;
  std::optional<uint64_t> FeedForwardWidth() const;
  std::optional<uint64_t> KeyWidth() const;
  std::optional<uint64_t> Value(absl::string_view hparam) const;

  const Model& model_;
  const LegacyHeader& header_;
  absl::string_view kind_;
  std::string why_incomplete_;
  absl::flat_hash_map<absl::string_view, const LegacyTensorRow*> rows_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_LEGACY_LEGACY_NAMES_H_
