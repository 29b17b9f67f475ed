// Reads the encoders of a projector, and the facts about the base that companions are checked
// against.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/base_model.h"

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/shard_set.h"

namespace gguf {
namespace {

struct Kind {
  Encoder encoder;
  Symbol is_there;
  Symbol type;  // Read if clip.projector_type is absent or empty.
};

constexpr Kind kEncoders[] = {
    {{"clip.vision.", "v.blk.", Symbol::kClipVisionNLayer},
     Symbol::kClipHasVision,
     Symbol::kClipVisionType},
    {{"clip.audio.", "a.blk.", Symbol::kClipAudioNLayer},
     Symbol::kClipHasAudio,
     Symbol::kClipAudioType},
    {{"clip.gen.audio.", "a.gen.code.blk.", Symbol::kClipGenAudioNLayer},
     Symbol::kClipHasGenAudio,
     Symbol::kClipGenAudioType},
};

// One name has two meanings; llama.cpp resolves it by the encoder.
absl::string_view ReadAs(absl::string_view type, Symbol encoder) {
  if (type != "qwen2.5o") return type;
  return encoder == Symbol::kClipHasVision ? "qwen2.5vl_merger" : "qwen2a";
}

}  // namespace

std::vector<Encoder> EncodersOf(const Model& model) {
  std::vector<Encoder> encoders;
  const Hparams& hparams = model.hparams();
  for (const Kind& kind : kEncoders) {
    if (hparams.Get(kind.is_there) != 1) continue;
    Encoder encoder = kind.encoder;
    const bool is_common = !hparams.Text(Symbol::kClipType).value_or("").empty();
    const Symbol type = is_common ? Symbol::kClipType : kind.type;
    encoder.type_key = hparams.Key(type);
    encoder.type = ReadAs(hparams.Text(type).value_or(""), kind.is_there);
    for (const ProjectorType& row : kProjectorTypes) {
      if (encoder.type == row.name) encoder.row = &row;
    }
    encoders.push_back(encoder);
  }
  return encoders;
}

// Reads the facts about the base that adapters are checked against.

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
