// The table of families.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy/family.h"

#include <cmath>

#include "parser/byte_order.h"
#include "parser/legacy/ftype.h"

namespace gguf {
namespace {

using H = HyperParameter;
using P = HeaderPart;

// Bounds that several families share.
constexpr uint32_t kVocab = 1 << 20, kWidth = 1 << 17, kContext = 1 << 20,
                   kHeads = 1024, kLayers = 1024;

constexpr HyperParameter kLlama[] = {
    {"n_vocab", 1, kVocab},    {"n_embd", 1, kWidth},   {"n_mult", 1, kWidth},
    {"n_head", 1, kHeads},     {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
    {"ftype", 0, 0, H::kFtype}};

// Starcoder's is the same.
constexpr HyperParameter kGpt2[] = {
    {"n_vocab", 1, kVocab},  {"n_ctx", 1, kContext},
    {"n_embd", 1, kWidth},   {"n_head", 1, kHeads},
    {"n_layer", 1, kLayers}, {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kGptJ[] = {
    {"n_vocab", 1, kVocab},          {"n_ctx", 1, kContext},
    {"n_embd", 1, kWidth},           {"n_head", 1, kHeads},
    {"n_layer", 1, kLayers},         {"n_rot", 1, kWidth},
    {"ftype", 0, 0, H::kPackedFtype}};

// Dolly v2's is the same.
constexpr HyperParameter kGptNeox[] = {
    {"n_vocab", 1, kVocab},  {"n_ctx", 1, kContext},
    {"n_embd", 1, kWidth},   {"n_head", 1, kHeads},
    {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
    {"par_res", 0, 1},       {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kMpt[] = {
    {"d_model", 1, kWidth},        {"max_seq_len", 1, kContext},
    {"n_heads", 1, kHeads},        {"n_layers", 1, kLayers},
    {"n_vocab", 1, kVocab},        {"alibi_bias_max", 0, 0, H::kFloat},
    {"clip_qkv", 0, 0, H::kFloat}, {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kReplit[] = {
    {"d_model", 1, kWidth}, {"max_seq_len", 1, kContext},
    {"n_heads", 1, kHeads}, {"n_layers", 1, kLayers},
    {"n_vocab", 1, kVocab}, {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kWhisper[] = {
    {"n_vocab", 1, kVocab},          {"n_audio_ctx", 1, 1500},
    {"n_audio_state", 1, kWidth},    {"n_audio_head", 1, kHeads},
    {"n_audio_layer", 1, kLayers},   {"n_text_ctx", 1, kContext},
    {"n_text_state", 1, kWidth},     {"n_text_head", 1, kHeads},
    {"n_text_layer", 1, kLayers},    {"n_mels", 1, 256},
    {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kSilero[] = {
    {"major", 0, 1000},      {"minor", 0, 1000},
    {"patch", 0, 1000},      {"n_window", 1, 65536},
    {"n_context", 0, 65536}, {"n_encoder_layers", 1, 64}};

constexpr HyperParameter kParakeet[] = {
    {"n_vocab", 1, kVocab},           {"n_audio_ctx", 1, kContext},
    {"n_audio_state", 1, kWidth},     {"n_audio_head", 1, kHeads},
    {"n_audio_layer", 1, kLayers},    {"n_mels", 1, 256},
    {"ftype", 0, 0, H::kPackedFtype}, {"n_fft", 1, 65536},
    {"subsampling_factor", 1, 64},    {"n_subsampling_channels", 1, 65536},
    {"n_conv_kernel", 1, 1024},       {"n_pred_dim", 1, kWidth},
    {"n_pred_layers", 1, kLayers},    {"n_tdt_durations", 1, 1024},
    {"n_max_tokens", 1, 65536}};

constexpr HyperParameter kRwkv[] = {{"n_vocab", 1, kVocab},
                                    {"n_embed", 1, kWidth},
                                    {"n_layer", 1, kLayers},
                                    {"data_type", 0, 0, H::kDataType}};

// All of one magic.  Format, name, hyper-parameters, the parts of the header,
// least and most dimensions.
constexpr LegacyFamily kGgmlFamilies[] = {
    {"ggml", "llama", kLlama, {P::kHyperParameters, P::kTokens}, 1, 2},
    {"whisper-ggml",
     "whisper",
     kWhisper,
     {P::kHyperParameters, P::kMelFilters, P::kVocabularySize, P::kTokens},
     0,
     4},
    {"whisper-ggml",
     "silero-vad",
     kSilero,
     {P::kModelType, P::kHyperParameters, P::kConvLayers},
     0,
     4},
    {"whisper-ggml",
     "parakeet",
     kParakeet,
     {P::kHyperParameters, P::kMelFilters, P::kWindow, P::kDurations,
      P::kVocabularySize, P::kTokens},
     0,
     4},
    {"ggml",
     "gpt-2",
     kGpt2,
     {P::kHyperParameters, P::kVocabularySize, P::kTokens},
     1,
     2},
    {"ggml",
     "gpt-j",
     kGptJ,
     {P::kHyperParameters, P::kVocabularySize, P::kTokens},
     1,
     2},
    {"ggml", "gpt-neox", kGptNeox, {P::kHyperParameters, P::kTokens}, 1, 2},
    {"ggml", "mpt", kMpt, {P::kHyperParameters, P::kTokens}, 1, 2},
    {"ggml", "replit", kReplit, {P::kHyperParameters, P::kScoredTokens}, 1, 2},
};

constexpr LegacyFamily kGgmfFamilies[] = {
    {"ggmf", "llama", kLlama, {P::kHyperParameters, P::kScoredTokens}, 1, 2},
};

constexpr LegacyFamily kGgjtFamilies[] = {
    {"ggjt", "llama", kLlama, {P::kHyperParameters, P::kScoredTokens}, 1, 2},
};

constexpr LegacyFamily kRwkvFamilies[] = {
    {"rwkv.cpp", "rwkv", kRwkv, {P::kHyperParameters}, 1, 3},
};

}  // namespace

bool HyperParameter::IsPlausible(uint32_t value) const {
  switch (kind) {
    case kCount:
      return value >= least && value <= most;
    case kFloat: {
      const float number = FloatFromBits(value);
      return number == 0 || (std::abs(number) > 1e-6 && std::abs(number) < 1e6);
    }
    case kFtype:
      return TypeOfLlamaFtype(value).has_value();
    case kPackedFtype:
      return value / kFtypesPerVersion <= 2 &&
             TypeOfGgmlFtype(value % kFtypesPerVersion);
    case kDataType:
      return true;  // No other family is mistaken for rwkv.cpp's.
  }
  return false;
}

size_t LegacyFamily::IndexOf(absl::string_view hparam) const {
  size_t i = 0;
  while (i < hparams.size() && hparams[i].name != hparam) ++i;
  return i;
}

absl::Span<const LegacyFamily> FamiliesOf(absl::string_view format) {
  if (format == "ggmf") return kGgmfFamilies;
  if (format == "ggjt") return kGgjtFamilies;
  if (format == "rwkv.cpp") return kRwkvFamilies;
  return kGgmlFamilies;
}

}  // namespace gguf
