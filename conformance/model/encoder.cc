// Finds the encoders of a projector.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/encoder.h"

#include <utility>

#include "absl/strings/strip.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/tensors.h"

namespace gguf {
namespace {

struct Kind {
  const char* keys;
  const char* tensors;
  Symbol blocks;
  Symbol is_there;
  Symbol type;  // Read if clip.projector_type is absent or empty.
};

constexpr Kind kEncoders[] = {
    {"clip.vision.", "v.blk.", Symbol::kClipVisionNLayer, Symbol::kClipHasVision,
     Symbol::kClipVisionType},
    {"clip.audio.", "a.blk.", Symbol::kClipAudioNLayer, Symbol::kClipHasAudio,
     Symbol::kClipAudioType},
    {"clip.gen.audio.", "a.gen.code.blk.", Symbol::kClipGenAudioNLayer, Symbol::kClipHasGenAudio,
     Symbol::kClipGenAudioType},
};

// One name has two meanings; llama.cpp resolves it by the encoder.
absl::string_view ReadAs(absl::string_view type, Symbol encoder) {
  if (type != "qwen2.5o") return type;
  return encoder == Symbol::kClipHasVision ? "qwen2.5vl_merger" : "qwen2a";
}

}  // namespace

std::vector<Encoder> FindEncoders(const File& file, const KeyIndex& keys,
                                  const TensorTable& tensors, const TensorIndex& index,
                                  const Hparams& hparams) {
  std::vector<Encoder> encoders;
  for (const Kind& kind : kEncoders) {
    if (hparams.Get(kind.is_there) != 1) continue;
    Encoder encoder{kind.keys, kind.tensors, kind.blocks};
    const bool is_common = !hparams.Text(Symbol::kClipType).value_or("").empty();
    const Symbol type = is_common ? Symbol::kClipType : kind.type;
    encoder.type_key = hparams.Key(type);
    encoder.type = ReadAs(hparams.Text(type).value_or(""), kind.is_there);
    for (const ProjectorType& row : kProjectorTypes) {
      if (encoder.type == row.name) encoder.row = &row;
    }
    const uint16_t number = FindProjector(encoder.type);
    encoder.hparams =
        std::make_unique<Hparams>(file, keys, index, number, absl::StripSuffix(encoder.keys, "."));
    const auto rows = kTensors.Of(number);
    if (rows.begin() != rows.end() && file.progress >= Progress::kTensors) {
      encoder.roles = std::make_unique<TensorRoles>(tensors, index, *encoder.hparams);
    }
    encoders.push_back(std::move(encoder));
  }
  return encoders;
}

}  // namespace gguf
