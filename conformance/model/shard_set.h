// ShardSet: the shards of one model, which are checked together.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SHARD_SET_H_
#define GGUF_CONFORMANCE_MODEL_SHARD_SET_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/file_name.h"
#include "conformance/model/model.h"
#include "conformance/model/tensor_table.h"

namespace gguf {

// A set of files whose names differ only in the number of the shard.  The names
// alone decide which files belong together; the keys are checked.
//
// The first shard has the keys of the model.  If it is present, it represents
// the whole model: its Model has the tensors of all shards, and its report has
// the findings about the model.
class ShardSet {
 public:
  struct Shard {
    absl::string_view file_name;
    ShardName name;          // Of `file_name`; is_of_set().
    Model* model = nullptr;  // Null if the file cannot be opened.
  };

  // Requires at least one shard that could be opened.  Shards may be in any
  // order; each number occurs once, and prefix and count are the same in all.
  // Makes the models join the set, which must outlive their use.
  explicit ShardSet(std::vector<Shard> shards);
  ShardSet(const ShardSet&) = delete;
  ShardSet& operator=(const ShardSet&) = delete;

  // Sorted by number.
  const std::vector<Shard>& shards() const { return shards_; }
  // From the names.
  absl::string_view prefix() const { return shards_[0].name.prefix; }
  uint32_t count() const { return shards_[0].name.count; }

  // The first shard, whose keys are the model's.  Null if it is missing, its
  // keys cannot be read, or they claim another number.
  const Shard* first() const { return first_; }
  // The first shard that could be opened; its report has the findings about the
  // set.
  const Shard& first_present() const { return *opened_[0]; }
  // Returns the shard of a model that has joined.
  const Shard& ShardOf(const Model& model) const { return shards_[model.place_in_set()]; }

  // Why the tensors cannot be checked as those of a whole model; empty if they
  // can.
  absl::string_view why_in_part() const { return why_in_part_; }

  // The tensors of all shards, as far as they could be read.
  const TensorTable& tensors() const { return tensors_; }

  // Returns the first shard with a tensor of this name, which must exist.
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
