// Model: a File together with what checks derive from it, computed once.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_MODEL_H_
#define GGUF_CONFORMANCE_RULES_MODEL_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/rules/hparams.h"
#include "conformance/rules/known_keys.h"
#include "conformance/rules/placement.h"
#include "conformance/rules/templates.h"
#include "conformance/rules/tensor_roles.h"
#include "conformance/rules/tensor_scan.h"
#include "conformance/rules/vocabulary.h"
#include "parser/file.h"

namespace gguf {

class Model {
 public:
  explicit Model(File the_file) : file(std::move(the_file)) {}

  // What is computed refers to `file`.
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const File file;

  // The first entry of a name, or null.  Of what was read, if that is not all.
  const KeyValue* FindKey(absl::string_view name) const {
    return key_index().Find(name);
  }
  const TensorInfo* FindTensor(absl::string_view name) const {
    return tensor_index().Find(name);
  }

  const Hparams& hparams() const {
    if (!hparams_) hparams_.emplace(file, key_index(), tensor_index());
    return *hparams_;
  }

  // What the tables say of the tensors.  The whole table was read.
  const TensorRoles& tensor_roles() const {
    if (!roles_) roles_.emplace(file, tensor_index(), hparams());
    return *roles_;
  }

  // Of all tensors, by index (Needs::kWeights).
  const std::vector<TensorScan>& scans() const { return scans_; }
  void set_scans(std::vector<TensorScan> scans) { scans_ = std::move(scans); }

  // The standardised keys among those that were read.
  const KnownKeys& known_keys() const {
    if (!known_keys_) known_keys_.emplace(file, hparams());
    return *known_keys_;
  }

  // The chat templates among those that were read.
  const std::vector<Template>& templates() const {
    if (!templates_) templates_ = FindTemplates(file);
    return *templates_;
  }

  // The tokens; none when there is no vocabulary.
  const Vocabulary& vocabulary() const {
    if (!vocabulary_) vocabulary_.emplace(file, hparams(), key_index());
    return *vocabulary_;
  }

  // The tensor table is complete and the alignment known (Needs::kLayout).
  const Placement& placement() const {
    if (!placement_) placement_ = PlaceTensors(file);
    return *placement_;
  }

 private:
  const KeyIndex& key_index() const {
    if (!key_index_) key_index_.emplace(file.keys);
    return *key_index_;
  }
  const TensorIndex& tensor_index() const {
    if (!tensor_index_) tensor_index_.emplace(file.tensors);
    return *tensor_index_;
  }

  mutable std::optional<KeyIndex> key_index_;
  mutable std::optional<TensorIndex> tensor_index_;
  mutable std::optional<Hparams> hparams_;
  mutable std::optional<TensorRoles> roles_;
  mutable std::optional<KnownKeys> known_keys_;
  mutable std::optional<std::vector<Template>> templates_;
  mutable std::optional<Vocabulary> vocabulary_;
  mutable std::optional<Placement> placement_;
  std::vector<TensorScan> scans_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_MODEL_H_
