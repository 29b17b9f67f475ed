// Model: a File together with what checks derive from it, computed once.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_MODEL_H_
#define GGUF_CONFORMANCE_MODEL_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/digest/digest.h"
#include "conformance/digest/sha256_list.h"
#include "conformance/model/file_name.h"
#include "conformance/model/gguf_kind.h"
#include "conformance/model/hparams.h"
#include "conformance/model/known_keys.h"
#include "conformance/model/odd_tensors.h"
#include "conformance/model/placement.h"
#include "conformance/model/reason.h"
#include "conformance/model/templates.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/model/tensor_scan.h"
#include "conformance/model/tensor_table.h"
#include "conformance/model/vocabulary.h"
#include "parser/core/file.h"
#include "parser/core/limits.h"

namespace gguf {

class BaseModel;
class ShardSet;
struct Comparison;
struct Policy;

// A file may be one of a set of shards.  Then the first shard represents the
// whole model, and the others refer to it.
class Model {
 public:
  explicit Model(File the_file, const Limits& limits = {})
      : file(std::move(the_file)),
        most_tokens_(limits.tokens),
        own_tensors_({&file}) {}

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
    return tensor.index < file.tensors.size() &&
           &file.tensors[tensor.index] == &tensor;
  }

  // Returns the first entry of a name, or null, among those that were read. A
  // tensor is one of tensors().
  const KeyValue* FindKey(absl::string_view name) const {
    return key_index().Find(name);
  }
  const TensorInfo* FindTensor(absl::string_view name) const {
    return tensor_index().Find(name);
  }

  // The tensors of this file that are not like nearly all others.
  const OddTensors& odd_tensors() const {
    if (!odd_tensors_) odd_tensors_ = FindOddTensors(file);
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

  // For the whole model, whose first shard has the keys.
  const KindFound& kind() const {
    if (!is_whole()) return whole().kind();
    if (!kind_) kind_ = FindKind(file, hparams());
    return *kind_;
  }

  // The model of --base, or null: the base of an adapter, a control vector, a
  // projector or a draft model.
  const BaseModel* base() const { return base_; }
  void set_base(const BaseModel* base) { base_ = base; }

  // Whether the run was asked to compare digests, and the SHA-256 of whole
  // files.
  bool compares_digests() const { return compares_digests_; }
  bool compares_sha256() const { return compares_sha256_; }
  void set_comparisons(bool digests, bool sha256) {
    compares_digests_ = digests;
    compares_sha256_ = sha256;
  }

  // The expected digests and the computed ones: null if none were given, and if
  // they could not be computed.
  const FileDigest* wanted_digest() const { return wanted_digest_; }
  const FileDigest* found_digest() const {
    return found_digest_ ? &*found_digest_ : nullptr;
  }
  void set_digests(const FileDigest* wanted, std::optional<FileDigest> found) {
    wanted_digest_ = wanted;
    found_digest_ = std::move(found);
  }

  // The expected SHA-256 of the whole file, and the computed one: nothing if it
  // was not asked for, or is not known.
  const std::optional<ExpectedSha256>& wanted_sha256() const {
    return wanted_sha256_;
  }
  const std::optional<std::string>& found_sha256() const {
    return found_sha256_;
  }
  void set_sha256(std::optional<ExpectedSha256> wanted,
                  std::optional<std::string> found) {
    wanted_sha256_ = std::move(wanted);
    found_sha256_ = std::move(found);
  }

  // How the file differs from the one that it is said to be made from; null if
  // none was given.
  const Comparison* comparison() const { return comparison_; }
  void set_comparison(const Comparison* comparison) {
    comparison_ = comparison;
  }

  // Your policy, in addition to the format; null if none.
  const Policy* policy() const { return policy_; }
  void set_policy(const Policy* policy) { policy_ = policy; }

  // The roles of the tensors.  The whole table must have been read.
  const TensorRoles& tensor_roles() const {
    if (!roles_) roles_.emplace(tensors(), tensor_index(), hparams());
    return *roles_;
  }
  // Returns the role of a tensor of this file in the whole model.
  const TensorRole& RoleOf(const TensorInfo& tensor) const {
    return whole().tensor_roles().roles()[begin_ + tensor.index];
  }

  // The scans of the file's tensors, by index (Needs::kWeights).
  const std::vector<TensorScan>& scans() const { return scans_; }
  void set_scans(std::vector<TensorScan> scans) { scans_ = std::move(scans); }

  // The standardized keys among those that were read.
  const KnownKeys& known_keys() const {
    if (!known_keys_) {
      known_keys_.emplace(file, key_index(), hparams(), kind().kind,
                          is_whole() ? Reason() : Reason::Silent());
    }
    return *known_keys_;
  }

  // The chat templates among those that were read.
  const std::vector<Template>& templates() const {
    if (!templates_) templates_ = FindTemplates(file);
    return *templates_;
  }

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
    return set_tensor_index_ != nullptr ? *set_tensor_index_
                                        : own_tensor_index();
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
  mutable std::optional<OddTensors> odd_tensors_;
  mutable std::optional<std::optional<FileNameParts>> name_parts_;
  mutable std::optional<Hparams> hparams_;
  mutable std::optional<KindFound> kind_;
  mutable std::optional<TensorRoles> roles_;
  mutable std::optional<KnownKeys> known_keys_;
  mutable std::optional<std::vector<Template>> templates_;
  mutable std::optional<Vocabulary> vocabulary_;
  mutable std::optional<Placement> placement_;
  std::vector<TensorScan> scans_;
  const BaseModel* base_ = nullptr;
  const Policy* policy_ = nullptr;
  const Comparison* comparison_ = nullptr;
  const FileDigest* wanted_digest_ = nullptr;
  std::optional<FileDigest> found_digest_;
  bool compares_digests_ = false;
  bool compares_sha256_ = false;
  std::optional<ExpectedSha256> wanted_sha256_;
  std::optional<std::string> found_sha256_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_MODEL_H_
