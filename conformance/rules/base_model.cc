// Reading from the base what adapters are held against.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/base_model.h"

namespace gguf {

BaseModel::BaseModel(const File& file) : table_({&file}), tensors_(table_) {
  const KeyIndex keys(file.keys);
  const Hparams hparams(file, keys, tensors_);
  architecture_ = std::string(hparams.architecture_name());
  n_embd_ = hparams.Get(Symbol::kNEmbd);
  blocks_ = hparams.Get(Symbol::kNLayer);
  if (hparams.may_be_shard()) {
    why_not_all_ = "the base is one shard: the other tensors are elsewhere";
  } else if (file.tensors.empty()) {
    why_not_all_ = "the base has no tensors";
  }
}

}  // namespace gguf
