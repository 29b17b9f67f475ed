// Checks of a projector: the types, blocks and widths of its encoders.
//
// condition_checks.cc checks its numbers.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/model/tensor_roles.h"
#include "conformance/rules/companions/companion_tensors.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr char kOnlyNamed[] = "the tables do not describe projectors of this type yet";

// Returns whether the tables lack the tensors of the encoder's type.
bool IsOnlyNamed(const Encoder& encoder) {
  return encoder.row != nullptr && encoder.roles == nullptr;
}

void MergeOfType(const CheckContext& context, Finder& find) {
  const KeyValue* kv = context.model.hparams().Key(Symbol::kClipMergeSize);
  const auto merge = context.model.hparams().Get(Symbol::kClipMergeSize);
  // projector-sizes-in-range reports a 0.
  if (!merge || *merge < 1) return;
  for (const Encoder& encoder : context.model.encoders()) {
    if (IsOnlyNamed(encoder)) find.CannotCheck(kOnlyNamed);
    if (encoder.row == nullptr || encoder.row->merge == 0 || *merge == encoder.row->merge) {
      continue;
    }
    find(kv->at_value(), "is {merge}, but {type} merges {right} by {right}",
         {{"merge", *merge}, {"type", encoder.type}, {"right", encoder.row->merge}});
  }
}

void FeatureLayerInRange(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  for (const Encoder& encoder : model.encoders()) {
    const KeyValue* kv = model.FindKey(absl::StrCat(encoder.keys, "feature_layer"));
    const auto blocks = model.hparams().Get(encoder.blocks);
    if (kv == nullptr || blocks.value_or(-1) < 0) continue;
    const uint64_t length = LengthOf(*kv).value_or(0);
    for (uint64_t i = 0; i < length; ++i) {
      const auto layer = IntegerOf(model.file, *kv, i);
      if (!layer || *layer <= *blocks) continue;
      find(ElementOf(*kv, i), "is {layer}, but the encoder has {blocks block|blocks}",
           {{"layer", *layer}, {"blocks", *blocks}});
      break;  // One finding per key is enough.
    }
  }
}

// Reports one finding, at the tensor of the encoder for sound.
void WidthsEqual(const CheckContext& context, Finder& find) {
  const Encoder *images = nullptr, *sound = nullptr;
  for (const Encoder& encoder : context.model.encoders()) {
    if (encoder.blocks == Symbol::kClipVisionNLayer) images = &encoder;
    if (encoder.blocks == Symbol::kClipAudioNLayer) sound = &encoder;
  }
  if (images == nullptr || sound == nullptr) return;
  // llama.cpp does not load the other encoder of this type.
  if (images->type == "gemma3nv") return;
  const auto wanted = WidthOf(context.model, *images);
  const auto width = WidthOf(context.model, *sound);
  if (!wanted || !width) return find.CannotCheck(kUnknownWidth);
  if (!wanted->Total() || !width->Total() || *wanted->Total() == *width->Total()) {
    return;  // No tensor is that large.
  }
  find(width->tensor->at_dims(),
       "make vectors of length {length} from sound, but {tensor} makes vectors of length {wanted} "
       "from images",
       {{"length", *width->Total()},
        {"tensor", wanted->tensor->name.value},
        {"wanted", *wanted->Total()}});
}

constexpr Requirement kOnlyProjectors = OnlyKind<GgufKind::kProjector>;

}  // namespace

constexpr RuleTable kProjectorRules = {
    {.id = "projector-type-known",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "The type of a projector shall be one that llama.cpp supports.",
     .why =
         "llama.cpp has separate code for each type that it supports and rejects any other type.",
     .repair = "Correct the spelling. A newer llama.cpp may support a new type; the message names "
               "the version of llama.cpp that the tables of this ggufcheck follow.",
     .citation = "Not in the specification; llama.cpp's list of projectors.",
     .needs = Needs::kTensors,
     .requirements = {kOnlyProjectors},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue* reported = nullptr;
           for (const Encoder& encoder : context.model.encoders()) {
             if (encoder.type_key == nullptr || encoder.row != nullptr) {
               continue;
             }
             // key-type-loaded reports a value that is not a string.
             if (!context.model.file.String(*encoder.type_key)) continue;
             if (encoder.type_key == reported) continue;  // One key for all encoders.
             reported = encoder.type_key;
             std::vector<absl::string_view> types;
             for (const ProjectorType& row : kProjectorTypes) types.push_back(row.name);
             find(reported->at_value(),
                  "is {type}, which llama.cpp {known} does not support{meant}",
                  {{"type", encoder.type},
                   {"known", Trusted{TablesVersion()}},
                   {"meant", Trusted{DidYouMean(encoder.type, types)}},
                   {kWrite, Trusted{ClosestWord(encoder.type, types)}}});
           }
         }},
    {.id = "projector-merge-size-of-type",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "spatial_merge_size shall be 2 for the types of projectors that always merge 2 by "
                "2 patches.",
     .why = "llama.cpp sizes its buffers for 2 but fills them according to spatial_merge_size; "
            "with 1, it writes past their end.",
     .repair = "Set spatial_merge_size to 2.",
     .citation = "Not in the specification; llama.cpp's clip.cpp of August 2026 assumes 2.",
     .needs = Needs::kTensors,
     .check = MergeOfType},
    {.id = "projector-block-in-count",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A projector's encoder should not have more than block_count blocks.",
     .why = "llama.cpp ignores extra blocks; older projectors have one extra block, whose output "
            "is not used.",
     .repair = "No change is needed; remove the extra blocks to save space.",
     .citation =
         "Not in the specification; llama.cpp's clip.cpp reads the blocks below block_count.",
     .needs = Needs::kTensors,
     .requirements = {kOnlyProjectors},
     // Reports one finding for each encoder, at the first block beyond the
     // count.
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const Encoder& encoder : context.model.encoders()) {
             if (IsOnlyNamed(encoder)) find.CannotCheck(kOnlyNamed);
             if (encoder.roles == nullptr) continue;
             for (const TensorInfo& tensor : context.model.file.tensors) {
               if (encoder.roles->roles()[tensor.index].role != Role::kBeyond) continue;
               const BlockName name = ParseBlockName(tensor.name.value);
               find(tensor.name.where, tensor.subject(),
                    "is in block {block}, but the number of blocks is {blocks}",
                    {{"block", name.block}, {"blocks", *encoder.roles->CountOf(name.prefix)}});
               break;
             }
           }
         }},
    {.id = "projector-feature-layer-in-range",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A feature layer of a projector shall be at most the number of blocks.",
     .why = "Feature layer N is the output of the first N blocks. llama.cpp rejects an N above the "
            "number of blocks; older versions read out of bounds.",
     .repair = "Number the layers from 0, which is the input of the first block; in the original "
               "configuration, negative numbers count from the end, and converters resolve them.",
     .citation = "Not in the specification; clip.cpp's graphs take the outputs of the layers by "
                 "these numbers.",
     .needs = Needs::kTensors,
     .check = FeatureLayerInRange},
    {.id = "projector-widths-equal",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The vectors that the two encoders of a projector make, for images and for sound, "
                "shall have the same length.",
     .why = "The vectors of both take the place of token embeddings of the same model; llama.cpp "
            "refuses a projector whose encoders differ.",
     .repair = "Convert both encoders from the same model, or write a file for each.",
     .citation = "Not in the specification; llama.cpp's mtmd.cpp reports \"mismatch between vision "
                 "and audio mmproj\".",
     .since = "0.2.0",
     .needs = Needs::kTensors,
     .requirements = {kOnlyProjectors},
     .check = WidthsEqual},
};

}  // namespace gguf
