// Reads the facts about the base that companions are checked against.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/base_model.h"

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/shard_set.h"

namespace gguf {

std::string WhyNotAllTensors(const Model& base) {
  if (base.tensors().empty()) return "the base has no tensors";
  if (!base.hparams().may_be_shard()) return "";
  const ShardSet* set = base.shard_set();
  if (set == nullptr) {
    return "the base is a single shard; the other shards have the other tensors";
  }
  if (set->why_in_part().empty()) return "";
  return absl::StrCat("in the base, ", set->why_in_part());
}

namespace {

// As llama_hparams::n_embd_inp of llama.cpp, August 2026.
std::optional<int64_t> InputLength(const Model& base) {
  const Hparams& hparams = base.hparams();
  const std::optional<int64_t> n_embd = hparams.Get(Symbol::kNEmbd);
  absl::flat_hash_set<int64_t> mapped;
  for (int64_t i = 0; i < kMostBlocks; ++i) {
    const auto to = hparams.Get(Symbol::kDeepstackMapping, i);
    if (to.value_or(-1) >= 0) mapped.insert(*to);
  }
  int64_t inputs = 1 + static_cast<int64_t>(mapped.size());
  const KeyValue* added = base.FindKey(hparams.Expand("{arch}.n_deepstack_layers"));
  if (added != nullptr) {
    const std::optional<int64_t> count = IntegerOf(base.file, *added);
    if (!count || *count < 0 || *count > kMostBlocks) return std::nullopt;
    inputs += *count;
  }
  int64_t length;
  if (!n_embd || __builtin_mul_overflow(*n_embd, inputs, &length)) {
    return std::nullopt;
  }
  return length;
}

}  // namespace

BaseModel::BaseModel(const Model& base)
    : base_(base),
      tensors_(base.tensors()),
      architecture_(base.hparams().architecture_name()),
      n_embd_(base.hparams().Get(Symbol::kNEmbd)),
      n_embd_out_(base.hparams().Get(Symbol::kNEmbdOut)),
      n_embd_inp_(InputLength(base)),
      blocks_(base.hparams().Get(Symbol::kNLayer)),
      why_not_all_(WhyNotAllTensors(base)) {
  // Members of Model that are computed when first used are not safe to share.
  base.vocabulary();
  base.FindKey("");
}

}  // namespace gguf
