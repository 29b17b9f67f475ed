// Checks of a projector: the types, blocks and widths of its encoders.
//
// condition_checks.cc checks its numbers.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/block_name.h"
#include "conformance/model/projector.h"
#include "conformance/rules/companions/checks.h"
#include "conformance/rules/companions/projector_width.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/tables_version.h"

namespace gguf {
namespace {

constexpr Rule kTypeKnown = {
    "projector-type-known",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "The type of a projector shall be one that llama.cpp supports.",
    "llama.cpp has separate code for each type that it supports and rejects "
    "any other type.",
    "Correct the spelling. A newer llama.cpp may support a new type; the "
    "message names the version of llama.cpp that the tables of this ggufcheck "
    "follow.",
    "Not in the specification; llama.cpp's list of projectors."};

void TypeKnown(const Model& model, Finder& find) {
  const KeyValue* reported = nullptr;
  for (const Encoder& encoder : EncodersOf(model)) {
    if (encoder.type_key == nullptr || encoder.row != nullptr) continue;
    // key-type-loaded reports a value that is not a string.
    if (!model.file.String(*encoder.type_key)) continue;
    if (encoder.type_key == reported) continue;  // One key for all encoders.
    reported = encoder.type_key;
    find(reported->at_value(),
         "is {type}, which llama.cpp {known} does not support",
         {{"type", encoder.type}, {"known", Word{TablesVersion()}}});
  }
}

constexpr Rule kMerge = {
    "projector-merge-size-of-type",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "spatial_merge_size shall be 2 for the types of projectors that always "
    "merge 2 by 2 patches.",
    "llama.cpp sizes its buffers for 2 but fills them according to "
    "spatial_merge_size; with 1, it writes past their end.",
    "Set spatial_merge_size to 2.",
    "Not in the specification; llama.cpp's clip.cpp of August 2026 assumes 2."};

void MergeOfType(const Model& model, Finder& find) {
  const KeyValue* kv = model.hparams().Key(Symbol::kClipMergeSize);
  const auto merge = model.hparams().Get(Symbol::kClipMergeSize);
  // projector-sizes-in-range reports a 0.
  if (!merge || *merge < 1) return;
  for (const Encoder& encoder : EncodersOf(model)) {
    if (encoder.row == nullptr || encoder.row->merge == 0 ||
        *merge == encoder.row->merge) {
      continue;
    }
    find(kv->at_value(), "is {merge}, but {type} merges {right} by {right}",
         {{"merge", *merge},
          {"type", encoder.type},
          {"right", encoder.row->merge}});
  }
}

// Returns the number of blocks with the usual tensors, if it is known.
std::optional<int64_t> BlocksOf(const Model& model, const Encoder& encoder) {
  const bool is_other =
      encoder.row != nullptr && encoder.row->blocks == ProjectorBlocks::kOther;
  const auto blocks = model.hparams().Get(encoder.blocks);
  // projector-sizes-in-range reports more, key-type-loaded signed numbers.
  if (is_other || blocks.value_or(-1) < 0 || *blocks > kMostBlocks) {
    return std::nullopt;
  }
  return blocks;
}

bool HasBlock(const Model& model, const std::string& block) {
  const auto has = [&](absl::string_view name) {
    return model.FindTensor(absl::StrCat(block, ".", name)) != nullptr;
  };
  return has("attn_out.weight") &&
         (has("ffn_gate_exps.weight") ||
          (has("ffn_up.weight") && has("ffn_down.weight")));
}

constexpr Rule kBlocksPresent = {
    "projector-blocks-present",
    Severities().Upload(kError).LlamaCpp(kError),
    "Every block of a projector's encoder shall have attn_out and either "
    "ffn_gate_exps or both ffn_up and ffn_down, unless the projector's type "
    "uses a different block structure.",
    "llama.cpp rejects the file at the first tensor that it does not find.",
    "Correct block_count, or convert the projector again.",
    "Not in the specification; llama.cpp throws \"unable to find tensor\"."};

// Reports one finding for each encoder, at its number of blocks.
void BlocksPresent(const Model& model, Finder& find) {
  if (model.file.progress < Progress::kTensors) return;  // They may follow.
  for (const Encoder& encoder : EncodersOf(model)) {
    const int64_t blocks = BlocksOf(model, encoder).value_or(0);
    uint64_t missing = 0;
    std::string first;
    for (int64_t i = 0; i < blocks; ++i) {
      const std::string block = absl::StrCat(encoder.tensors, i);
      if (HasBlock(model, block)) continue;
      if (missing++ == 0) first = block;
    }
    if (missing == 0) continue;
    const KeyValue& kv = *model.hparams().Key(encoder.blocks);
    find(kv.at_value(),
         "is {blocks}, but {missing} of these blocks lack tensors; the first "
         "is {block}",
         {{"blocks", blocks}, {"missing", missing}, {"block", Word{first}}});
  }
}

constexpr Rule kBlockInCount = {
    "projector-block-in-count",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A projector's encoder should not have more than block_count blocks.",
    "llama.cpp ignores extra blocks; older projectors have one extra block, "
    "whose output is not used.",
    "No change is needed; remove the extra blocks to save space.",
    "Not in the specification; llama.cpp's clip.cpp reads the blocks below "
    "block_count."};

// Reports one finding for each encoder, at the first block beyond the count.
void BlockInCount(const Model& model, Finder& find) {
  for (const Encoder& encoder : EncodersOf(model)) {
    const auto blocks = BlocksOf(model, encoder);
    if (!blocks) continue;
    for (const TensorInfo& tensor : model.file.tensors) {
      const BlockName name = ParseBlockName(tensor.name.value);
      if (name.prefix != encoder.tensors || name.block < *blocks) continue;
      find(tensor.name.where, tensor.subject(),
           "is in block {block}, but the number of blocks is {blocks}",
           {{"block", name.block}, {"blocks", *blocks}});
      break;
    }
  }
}

constexpr Rule kFeatureLayer = {
    "projector-feature-layer-in-range",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "A feature layer of a projector shall be at most the number of blocks.",
    "Feature layer N is the output of the first N blocks. llama.cpp rejects an "
    "N above the number of blocks; older versions read out of bounds.",
    "Number the layers from 0, which is the input of the first block; in the "
    "original configuration, negative numbers count from the end, and "
    "converters resolve them.",
    "Not in the specification; clip.cpp's graphs take the outputs of the "
    "layers by these numbers."};

void FeatureLayerInRange(const Model& model, Finder& find) {
  for (const Encoder& encoder : EncodersOf(model)) {
    const KeyValue* kv =
        model.FindKey(absl::StrCat(encoder.keys, "feature_layer"));
    const auto blocks = model.hparams().Get(encoder.blocks);
    if (kv == nullptr || blocks.value_or(-1) < 0) continue;
    const uint64_t length = LengthOf(*kv).value_or(0);
    for (uint64_t i = 0; i < length; ++i) {
      const auto layer = IntegerOf(model.file, *kv, i);
      if (!layer || *layer <= *blocks) continue;
      find(kv->value, kv->subject().Of("value").At(i),
           "is {layer}, but there are {blocks} blocks",
           {{"layer", *layer}, {"blocks", *blocks}});
      break;  // One finding per key is enough.
    }
  }
}

constexpr Rule kWidths = {
    "projector-widths-equal",
    Severities().Upload(kError).LlamaCpp(kError),
    "The vectors that the two encoders of a projector make, for images and for "
    "sound, shall have the same length.",
    "The vectors of both take the place of token embeddings of the same model; "
    "llama.cpp refuses a projector whose encoders differ.",
    "Convert both encoders from the same model, or write a file for each.",
    "Not in the specification; llama.cpp's mtmd.cpp reports \"mismatch between "
    "vision and audio mmproj\".",
    Since("0.2.0")};

// Reports one finding, at the tensor of the encoder for sound.
void WidthsEqual(const Model& model, Finder& find) {
  std::optional<Encoder> images, sound;
  for (const Encoder& encoder : EncodersOf(model)) {
    if (encoder.blocks == Symbol::kClipVisionNLayer) images = encoder;
    if (encoder.blocks == Symbol::kClipAudioNLayer) sound = encoder;
  }
  if (!images || !sound) return;
  // llama.cpp does not load the other encoder of this type.
  if (images->type == "gemma3nv") return;
  const auto wanted = WidthOf(model, *images);
  const auto width = WidthOf(model, *sound);
  if (!wanted || !width) return find.CannotCheck(kUnknownWidth);
  if (!wanted->Total() || !width->Total() ||
      *wanted->Total() == *width->Total()) {
    return;  // No tensor is that large.
  }
  find(width->tensor->at_dims(),
       "make vectors of length {length} from sound, but {tensor} makes vectors "
       "of length {wanted} from images",
       {{"length", *width->Total()},
        {"tensor", wanted->tensor->name.value},
        {"wanted", *wanted->Total()}});
}

constexpr Requirement kOnlyProjectors = OnlyKind<GgufKind::kProjector>;

constexpr Check kChecks[] = {
    {&kTypeKnown, Needs::kTensors, TypeKnown, kOnlyProjectors},
    {&kMerge, Needs::kTensors, MergeOfType, kOnlyProjectors},
    {&kBlocksPresent, Needs::kTensors, BlocksPresent, kOnlyProjectors},
    {&kBlockInCount, Needs::kTensors, BlockInCount, kOnlyProjectors},
    {&kFeatureLayer, Needs::kTensors, FeatureLayerInRange, kOnlyProjectors},
    {&kWidths, Needs::kTensors, WidthsEqual, kOnlyProjectors},
};

}  // namespace

absl::Span<const Check> ProjectorChecks() { return kChecks; }

}  // namespace gguf
