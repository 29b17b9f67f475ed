// Model: a File together with what checks derive from it, computed once.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_MODEL_H_
#define GGUF_CONFORMANCE_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/limits.h"
#include "conformance/model/data_faults.h"
#include "conformance/model/encoder.h"
#include "conformance/model/file_name.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/hparams.h"
#include "conformance/model/known_keys.h"
#include "conformance/model/reason.h"
#include "conformance/model/templates.h"
#include "conformance/model/tensor_data.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/tensor_table.h"
#include "conformance/model/vocabulary.h"
#include "parser/file.h"

namespace gguf {

struct Renderings;
class ShardSet;

// A file may be one of a set of shards.  Then the first shard represents the
// whole model, and the others refer to it.
class Model {
 public:
  explicit Model(File the_file, const Limits& limits = {})
      : file(std::move(the_file)), most_tokens_(limits.tokens), own_tensors_({&file}) {}

  // Derived members refer to `file`.
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const File file;

  // Null if the file is checked alone.
  const ShardSet* shard_set() const { return set_; }
  // Its position among the set's shards; 0 without a set.
  size_t place_in_set() const { return place_; }

  // The representative of the model: the first shard, if this is another one of
  // a set that has it; otherwise this object.
  const Model& whole() const { return *whole_; }
  bool is_whole() const { return whole_ == this; }

  // The tensors of the file and of all other available shards.
  const TensorTable& tensors() const { return *tensors_; }
  bool Owns(const TensorInfo& tensor) const {
    return tensor.index < file.tensors.size() && &file.tensors[tensor.index] == &tensor;
  }

  // Returns the first entry of a name, or null, among those that were read. A
  // tensor is one of tensors().
  const KeyValue* FindKey(absl::string_view name) const { return key_index().Find(name); }
  const TensorInfo* FindTensor(absl::string_view name) const { return tensor_index().Find(name); }

  // The tensors of this file that are not like nearly all others.
  const UnusualTensors& unusual_tensors() const {
    if (!odd_tensors_) odd_tensors_ = FindUnusualTensors(file);
    return *odd_tensors_;
  }

  // The tensors of this file that have the name of an earlier one in it.
  const std::vector<TensorIndex::Repeated>& repeated_tensors() const {
    return own_tensor_index().repeated();
  }

  // The components of the file's name; nothing if it does not follow the
  // convention.
  const std::optional<FileNameParts>& name_parts() const {
    if (!name_parts_) name_parts_ = ParseFileName(file.name);
    return *name_parts_;
  }

  const Hparams& hparams() const {
    if (!hparams_) hparams_.emplace(file, key_index(), tensor_index());
    return *hparams_;
  }

  // The same under the keys of another architecture.
  Hparams HparamsOf(absl::string_view architecture, int64_t most_blocks) const {
    return Hparams(file, key_index(), tensor_index(), architecture, most_blocks);
  }

  // The encoders that a projector declares.
  const std::vector<Encoder>& encoders() const {
    if (!encoders_) {
      encoders_ = FindEncoders(file, key_index(), tensors(), tensor_index(), hparams());
    }
    return *encoders_;
  }

  // For the whole model, whose first shard has the keys.
  const KindFound& kind() const {
    if (!is_whole()) return whole().kind();
    if (!kind_) kind_ = FindKind(file, hparams());
    return *kind_;
  }

  // The roles of the tensors.  The whole table must have been read.
  const TensorRoles& tensor_roles() const {
    if (!roles_) roles_.emplace(tensors(), tensor_index(), hparams());
    return *roles_;
  }
  // Returns the role of a tensor of this file in the whole model.
  const TensorRole& RoleOf(const TensorInfo& tensor) const {
    return whole().tensor_roles().roles()[begin_ + tensor.index];
  }

  // The standardized keys among those that were read.
  const KnownKeys& known_keys() const {
    if (!known_keys_) {
      known_keys_.emplace(file, key_index(), hparams(), kind().kind, encoders(),
                          is_whole() ? Reason() : Reason::Silent());
    }
    return *known_keys_;
  }

  // The chat templates among those that were read.
  const std::vector<Template>& templates() const {
    if (!templates_) templates_ = FindTemplates(file);
    return *templates_;
  }

  // What the unnamed one of them writes.
  const Renderings& renderings() const;  // renderings.cc

  // The tokens; empty without a vocabulary.
  const Vocabulary& vocabulary() const {
    if (!vocabulary_) {
      vocabulary_.emplace(file, hparams(), key_index(), most_tokens_);
    }
    return *vocabulary_;
  }

  // Requires a complete tensor table and a known alignment (Needs::kLayout).
  const Placement& placement() const {
    if (!placement_) placement_ = PlaceTensors(file);
    return *placement_;
  }

  // What shows that the data is not what was published, as far as it was read.
  const DataFaults& data_faults() const {
    if (!data_faults_) {
      const bool is_placed = file.progress == Progress::kTensors && file.alignment_known;
      data_faults_ = FaultsWithoutScan(file, is_placed ? &placement() : nullptr);
    }
    return *data_faults_;
  }
  // Adds what a scan of the data found, which knows more of the zeros than the file system does.
  void AddScan(DataFaults scanned) {
    scanned.AddSecondHeader(data_faults().second_header);
    data_faults_ = scanned;
  }

  // The role of a file in a set of shards.  All members must outlive it.
  struct Part {
    const ShardSet* set;
    size_t place;  // Among the set's shards.
    const Model* whole;
    const TensorTable* tensors;  // Of all shards.
    const TensorIndex* index;    // Of that table.
    uint32_t begin;              // Of this file's tensors in the table.
  };
  // For ShardSet.  Discards what depends on the tensors of other shards.
  void Join(const Part& part) {
    hparams_.reset();
    encoders_.reset();
    set_ = part.set;
    place_ = part.place;
    whole_ = part.whole;
    tensors_ = part.tensors;
    set_tensor_index_ = part.index;
    begin_ = part.begin;
  }

 private:
  const KeyIndex& key_index() const {
    if (!key_index_) key_index_.emplace(file.keys);
    return *key_index_;
  }
  const TensorIndex& own_tensor_index() const {
    if (!own_tensor_index_) own_tensor_index_.emplace(own_tensors_);
    return *own_tensor_index_;
  }
  // Of tensors().
  const TensorIndex& tensor_index() const {
    return set_tensor_index_ != nullptr ? *set_tensor_index_ : own_tensor_index();
  }

  const uint64_t most_tokens_;
  const TensorTable own_tensors_;
  const ShardSet* set_ = nullptr;
  size_t place_ = 0;
  const Model* whole_ = this;
  const TensorTable* tensors_ = &own_tensors_;
  const TensorIndex* set_tensor_index_ = nullptr;  // Null without a set.
  uint32_t begin_ = 0;

  mutable std::optional<KeyIndex> key_index_;
  mutable std::optional<TensorIndex> own_tensor_index_;
  mutable std::optional<UnusualTensors> odd_tensors_;
  mutable std::optional<std::optional<FileNameParts>> name_parts_;
  mutable std::optional<Hparams> hparams_;
  mutable std::optional<std::vector<Encoder>> encoders_;
  mutable std::optional<KindFound> kind_;
  mutable std::optional<TensorRoles> roles_;
  mutable std::optional<KnownKeys> known_keys_;
  mutable std::optional<std::vector<Template>> templates_;
  mutable std::shared_ptr<const Renderings> renderings_;
  mutable std::optional<Vocabulary> vocabulary_;
  mutable std::optional<Placement> placement_;
  mutable std::optional<DataFaults> data_faults_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_MODEL_H_
