// Reads the facts about the base that adapters are checked against.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/base_model.h"

#include "absl/strings/str_cat.h"
#include "conformance/model/shard_set.h"

namespace gguf {

std::string WhyNotAllTensors(const Model& base) {
  if (base.tensors().empty()) return "the base has no tensors";
  if (!base.hparams().may_be_shard()) return "";
  const ShardSet* set = base.shard_set();
  if (set == nullptr) {
    return "the base is a single shard; the other shards have the other "
           "tensors";
  }
  if (set->why_in_part().empty()) return "";
  return absl::StrCat("in the base, ", set->why_in_part());
}

BaseModel::BaseModel(const Model& base)
    : base_(base),
      tensors_(base.tensors()),
      architecture_(base.hparams().architecture_name()),
      n_embd_(base.hparams().Get(Symbol::kNEmbd)),
      blocks_(base.hparams().Get(Symbol::kNLayer)),
      why_not_all_(WhyNotAllTensors(base)) {
  // Members of Model that are computed when first used are not safe to share.
  base.vocabulary();
  base.FindKey("");
}

}  // namespace gguf
