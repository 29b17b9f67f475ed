// ShardSet: the shards of one model, to be judged as one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SHARD_SET_H_
#define GGUF_CONFORMANCE_MODEL_SHARD_SET_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/model.h"
#include "conformance/model/shard_name.h"
#include "conformance/model/tensor_table.h"

namespace gguf {

// Files whose names differ in the number of the shard only.  Which of them
// belong together, the names alone say; the keys are what is checked.
//
// The first shard has the keys of the model.  When it is there, it stands for
// the whole model: its Model has the tensors of all shards, and what is said of
// the model is said in its report.
class ShardSet {
 public:
  struct Shard {
    absl::string_view file_name;
    ShardName name;          // Of `file_name`; is_of_set().
    Model* model = nullptr;  // Null: the file is there but cannot be opened.
  };

  // At least one shard, and at least one that could be opened; in any order,
  // each number once, prefix and count the same in all.  Makes the models join
  // the set, which has to outlive their use.
  explicit ShardSet(std::vector<Shard> shards);
  ShardSet(const ShardSet&) = delete;
  ShardSet& operator=(const ShardSet&) = delete;

  // By number.
  const std::vector<Shard>& shards() const { return shards_; }
  // As the names have them.
  absl::string_view prefix() const { return shards_[0].name.prefix; }
  uint32_t count() const { return shards_[0].name.count; }

  // The first shard, whose keys are the model's.  Null when it is not there, or
  // its keys cannot be read, or it says to be another.
  const Shard* first() const { return first_; }
  // The first that could be opened: its report has what is said of the set.
  const Shard& first_present() const { return *opened_[0]; }
  // That of a model that has joined.
  const Shard& ShardOf(const Model& model) const {
    return shards_[model.place_in_set()];
  }

  // Why the tensors cannot be judged as those of a whole model; empty when they
  // can be.
  absl::string_view why_in_part() const { return why_in_part_; }

  // Of all shards, as far as they could be read.
  const TensorTable& tensors() const { return tensors_; }

  // The first shard with a tensor of this name; there is one.
  const Shard& FirstWith(absl::string_view tensor) const;

 private:
  const Shard* FindFirst() const;
  absl::string_view WhyInPart() const;

  std::vector<Shard> shards_;
  std::vector<const Shard*> opened_;
  TensorTable tensors_;  // Its files are those of `opened_`.
  TensorIndex tensor_index_;
  const Shard* first_;
  absl::string_view why_in_part_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_SHARD_SET_H_
