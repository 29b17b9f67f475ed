// The table of families.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy/family.h"

namespace gguf {
namespace {

using P = HeaderPart;

// Bounds that several families share.
constexpr uint32_t kVocab = 1 << 20, kWidth = 1 << 17, kContext = 1 << 20,
                   kHeads = 1024, kLayers = 1024, kFtype = 2999;

constexpr HyperParameter kLlama[] = {
    {"n_vocab", 1, kVocab}, {"n_embd", 1, kWidth},   {"n_mult", 1, kWidth},
    {"n_head", 1, kHeads},  {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
    {"ftype", 0, 18}};

// Starcoder's is the same.
constexpr HyperParameter kGpt2[] = {
    {"n_vocab", 1, kVocab}, {"n_ctx", 1, kContext},  {"n_embd", 1, kWidth},
    {"n_head", 1, kHeads},  {"n_layer", 1, kLayers}, {"ftype", 0, kFtype}};

constexpr HyperParameter kGptJ[] = {
    {"n_vocab", 1, kVocab}, {"n_ctx", 1, kContext},  {"n_embd", 1, kWidth},
    {"n_head", 1, kHeads},  {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
    {"ftype", 0, kFtype}};

// Dolly v2's is the same.
constexpr HyperParameter kGptNeox[] = {
    {"n_vocab", 1, kVocab}, {"n_ctx", 1, kContext},  {"n_embd", 1, kWidth},
    {"n_head", 1, kHeads},  {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
    {"par_res", 0, 1},      {"ftype", 0, kFtype}};

constexpr HyperParameter kMpt[] = {
    {"d_model", 1, kWidth},   {"max_seq_len", 1, kContext},
    {"n_heads", 1, kHeads},   {"n_layers", 1, kLayers},
    {"n_vocab", 1, kVocab},   {"alibi_bias_max", 0, 0, true},
    {"clip_qkv", 0, 0, true}, {"ftype", 0, kFtype}};

constexpr HyperParameter kReplit[] = {
    {"d_model", 1, kWidth}, {"max_seq_len", 1, kContext},
    {"n_heads", 1, kHeads}, {"n_layers", 1, kLayers},
    {"n_vocab", 1, kVocab}, {"ftype", 0, kFtype}};

constexpr HyperParameter kWhisper[] = {
    {"n_vocab", 1, kVocab},        {"n_audio_ctx", 1, 1500},
    {"n_audio_state", 1, kWidth},  {"n_audio_head", 1, kHeads},
    {"n_audio_layer", 1, kLayers}, {"n_text_ctx", 1, kContext},
    {"n_text_state", 1, kWidth},   {"n_text_head", 1, kHeads},
    {"n_text_layer", 1, kLayers},  {"n_mels", 1, 256},
    {"ftype", 0, kFtype}};

constexpr HyperParameter kSilero[] = {
    {"major", 0, 1000},      {"minor", 0, 1000},
    {"patch", 0, 1000},      {"n_window", 1, 65536},
    {"n_context", 0, 65536}, {"n_encoder_layers", 1, 64}};

constexpr HyperParameter kParakeet[] = {
    {"n_vocab", 1, kVocab},        {"n_audio_ctx", 1, kContext},
    {"n_audio_state", 1, kWidth},  {"n_audio_head", 1, kHeads},
    {"n_audio_layer", 1, kLayers}, {"n_mels", 1, 256},
    {"ftype", 0, kFtype},          {"n_fft", 1, 65536},
    {"subsampling_factor", 1, 64}, {"n_subsampling_channels", 1, 65536},
    {"n_conv_kernel", 1, 1024},    {"n_pred_dim", 1, kWidth},
    {"n_pred_layers", 1, kLayers}, {"n_tdt_durations", 1, 1024},
    {"n_max_tokens", 1, 65536}};

constexpr HyperParameter kRwkv[] = {{"n_vocab", 1, kVocab},
                                    {"n_embed", 1, kWidth},
                                    {"n_layer", 1, kLayers},
                                    {"data_type", 0, 16}};

// All of one magic.  Format, name, hyper-parameters, the parts of the header,
// least and most dimensions, whether the ftype is packed.
constexpr LegacyFamily kGgmlFamilies[] = {
    {"ggml", "llama", kLlama, {P::kHyperParameters, P::kTokens}, 1, 2, false},
    {"whisper-ggml",
     "whisper",
     kWhisper,
     {P::kHyperParameters, P::kMelFilters, P::kVocabularySize, P::kTokens},
     0,
     4,
     true},
    {"whisper-ggml",
     "silero-vad",
     kSilero,
     {P::kModelType, P::kHyperParameters, P::kConvLayers},
     0,
     4,
     false},
    {"whisper-ggml",
     "parakeet",
     kParakeet,
     {P::kHyperParameters, P::kMelFilters, P::kWindow, P::kDurations,
      P::kVocabularySize, P::kTokens},
     0,
     4,
     true},
    {"ggml",
     "gpt-2",
     kGpt2,
     {P::kHyperParameters, P::kVocabularySize, P::kTokens},
     1,
     2,
     true},
    {"ggml",
     "gpt-j",
     kGptJ,
     {P::kHyperParameters, P::kVocabularySize, P::kTokens},
     1,
     2,
     true},
    {"ggml",
     "gpt-neox",
     kGptNeox,
     {P::kHyperParameters, P::kTokens},
     1,
     2,
     true},
    {"ggml", "mpt", kMpt, {P::kHyperParameters, P::kTokens}, 1, 2, true},
    {"ggml",
     "replit",
     kReplit,
     {P::kHyperParameters, P::kScoredTokens},
     1,
     2,
     true},
};

constexpr LegacyFamily kGgmfFamilies[] = {
    {"ggmf",
     "llama",
     kLlama,
     {P::kHyperParameters, P::kScoredTokens},
     1,
     2,
     false},
};

constexpr LegacyFamily kGgjtFamilies[] = {
    {"ggjt",
     "llama",
     kLlama,
     {P::kHyperParameters, P::kScoredTokens},
     1,
     2,
     false},
};

constexpr LegacyFamily kRwkvFamilies[] = {
    {"rwkv.cpp", "rwkv", kRwkv, {P::kHyperParameters}, 1, 3, false},
};

}  // namespace

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
