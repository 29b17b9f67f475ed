// The tables of legacy (pre-GGUF) formats, of their families and of ftypes.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/legacy_format.h"

#include <cmath>

#include "absl/strings/match.h"
#include "conformance/base/bytes.h"

namespace gguf {
namespace {

using H = HyperParameter;
using P = HeaderPart;

// Bounds that several families share.
constexpr uint32_t kVocab = 1 << 20, kWidth = 1 << 17, kContext = 1 << 20, kHeads = 1024,
                   kLayers = 1024;

// llama.cpp derives the size of the model, and of its buffers, from n_layer, and aborts above 80.
constexpr HyperParameter kLlama[] = {
    {"n_vocab", 1, kVocab}, {"n_embd", 1, kWidth}, {"n_mult", 1, kWidth},     {"n_head", 1, kHeads},
    {"n_layer", 1, 80},     {"n_rot", 1, kWidth},  {"ftype", 0, 0, H::kFtype}};

// Starcoder's is the same.  The example aborts at the products of a single head.
constexpr HyperParameter kGpt2[] = {{"n_vocab", 1, kVocab},  {"n_ctx", 1, kContext},
                                    {"n_embd", 1, kWidth},   {"n_head", 2, kHeads},
                                    {"n_layer", 1, kLayers}, {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kGptJ[] = {{"n_vocab", 1, kVocab},          {"n_ctx", 1, kContext},
                                    {"n_embd", 1, kWidth},           {"n_head", 1, kHeads},
                                    {"n_layer", 1, kLayers},         {"n_rot", 1, kWidth},
                                    {"ftype", 0, 0, H::kPackedFtype}};

// Dolly v2's is the same.
constexpr HyperParameter kGptNeox[] = {{"n_vocab", 1, kVocab},  {"n_ctx", 1, kContext},
                                       {"n_embd", 1, kWidth},   {"n_head", 1, kHeads},
                                       {"n_layer", 1, kLayers}, {"n_rot", 1, kWidth},
                                       {"par_res", 0, 1},       {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kMpt[] = {
    {"d_model", 1, kWidth},        {"max_seq_len", 1, kContext},
    {"n_heads", 1, kHeads},        {"n_layers", 1, kLayers},
    {"n_vocab", 1, kVocab},        {"alibi_bias_max", 0, 0, H::kFloat},
    {"clip_qkv", 0, 0, H::kFloat}, {"ftype", 0, 0, H::kPackedFtype}};

constexpr HyperParameter kReplit[] = {{"d_model", 1, kWidth}, {"max_seq_len", 1, kContext},
                                      {"n_heads", 1, kHeads}, {"n_layers", 1, kLayers},
                                      {"n_vocab", 1, kVocab}, {"ftype", 0, 0, H::kPackedFtype}};

// At most those of large-v3.  whisper.cpp allocates the tensors of these sizes before it reads one,
// has no name for the languages of a larger vocabulary, and writes past the end of a smaller one.
constexpr HyperParameter kWhisper[] = {
    {"n_vocab", 51864, 51866}, {"n_audio_ctx", 1, 1500},        {"n_audio_state", 1, 1280},
    {"n_audio_head", 1, 20},   {"n_audio_layer", 1, 32},        {"n_text_ctx", 1, 448},
    {"n_text_state", 1, 1280}, {"n_text_head", 1, 20},          {"n_text_layer", 1, 32},
    {"n_mels", 1, 128},        {"ftype", 0, 0, H::kPackedFtype}};

// whisper.cpp reads four layers, whatever their number, needs four columns of the transform, and
// only prints the version.
constexpr HyperParameter kSilero[] = {{"major", 0, UINT32_MAX},     {"minor", 0, UINT32_MAX},
                                      {"patch", 0, UINT32_MAX},     {"n_window", 512, 65536},
                                      {"n_context", 0, UINT32_MAX}, {"n_encoder_layers", 4, 4}};

// The graph of whisper.cpp holds these numbers: channels in and out and width of each layer.
constexpr uint32_t kSileroLayers[] = {129, 128, 3, 128, 64, 3, 64, 64, 3, 64, 128, 3};
constexpr uint32_t kSileroEnd[] = {128, 128, 128, 1};

// whisper.cpp refuses more than these.
constexpr HyperParameter kParakeet[] = {{"n_vocab", 1, 8192},
                                        {"n_audio_ctx", 1, 5000},
                                        {"n_audio_state", 1, 1024},
                                        {"n_audio_head", 1, 8},
                                        {"n_audio_layer", 1, 24},
                                        {"n_mels", 1, 128},
                                        {"ftype", 0, 0, H::kPackedFtype},
                                        {"n_fft", 1, 512},
                                        {"subsampling_factor", 1, 8},
                                        {"n_subsampling_channels", 1, 256},
                                        {"n_conv_kernel", 1, 9},
                                        {"n_pred_dim", 1, 640},
                                        {"n_pred_layers", 1, 2},
                                        {"n_tdt_durations", 1, 5},
                                        {"n_max_tokens", 1, 10}};

constexpr HyperParameter kRwkv[] = {{"n_vocab", 1, kVocab},
                                    {"n_embed", 1, kWidth},
                                    {"n_layer", 1, kLayers},
                                    {"data_type", 0, 0, H::kDataType}};

// Parts of headers.
constexpr P kHparams = {P::kHyperParameters}, kMelFilters = {P::kMelFilters},
            kVocabularySize = {P::kVocabularySize}, kTokens = {P::kTokens},
            kScoredTokens = {P::kScoredTokens};

// Support.
constexpr char kReplaced[] = "which llama.cpp stopped loading when GGUF replaced it in August 2023";
constexpr char kNever[] = "which was never a format of llama.cpp";
constexpr char kConvertLlama[] =
    "Convert it with convert_llama_ggml_to_gguf.py from a late 2024 llama.cpp, or convert the "
    "original model.";
constexpr char kConvertOriginal[] =
    "Convert the original model with llama.cpp's convert_hf_to_gguf.py.";
constexpr LegacySupport kLlamaSupport = {kReplaced, "KoboldCpp", kConvertLlama},
                        kCandleSupport = {kReplaced, "KoboldCpp, candle", kConvertLlama},
                        kExampleSupport = {kReplaced, "KoboldCpp", kConvertOriginal},
                        kReplitSupport = {kReplaced, "none known", kConvertOriginal},
                        kRwkvSupport = {kNever, "rwkv.cpp, KoboldCpp", kConvertOriginal},
                        kWhisperSupport = {kNever, "whisper.cpp",
                                           "Keep it: whisper.cpp has no other format."};

// The families of each magic, likeliest first.  Columns: format, name,
// hyper-parameters, header parts, minimum and maximum dimensions, stacks of
// blocks, whether the tensors are listed, support.
constexpr LegacyFamily kGgmlFamilies[] = {
    {"ggml",
     "llama",
     kLlama,
     {kHparams, kTokens},
     1,
     2,
     {{"layers.", "n_layer"}},
     true,
     kLlamaSupport},
    {"whisper-ggml",
     "whisper",
     kWhisper,
     {kHparams, kMelFilters, kVocabularySize, kTokens},
     0,
     4,
     {{"encoder.blocks.", "n_audio_layer"}, {"decoder.blocks.", "n_text_layer"}},
     true,
     kWhisperSupport},
    {"whisper-ggml",
     "silero-vad",
     kSilero,
     {{P::kString, "model_type"},
      kHparams,
      {P::kNumbers, "layers", "n_encoder_layers", 3, kSileroLayers},
      {P::kNumbers, "lstm_and_final_conv", nullptr, 4, kSileroEnd}},
     0,
     4,
     {{"_model.encoder.", "n_encoder_layers"}},
     true,
     kWhisperSupport},
    {"whisper-ggml",
     "parakeet",
     kParakeet,
     {kHparams,
      kMelFilters,
      {P::kNumbers, "n_window", "n_window"},
      {P::kNumbers, "n_tdt_durations", "n_tdt_durations"},
      kVocabularySize,
      kTokens},
     0,
     4,
     {{"encoder.layers.", "n_audio_layer"}},
     false,
     kWhisperSupport},
    {"ggml",
     "gpt-2",
     kGpt2,
     {kHparams, kVocabularySize, kTokens},
     1,
     2,
     {{"model/h", "n_layer"}},
     true,
     kExampleSupport},
    {"ggml",
     "gpt-j",
     kGptJ,
     {kHparams, kVocabularySize, kTokens},
     1,
     2,
     {{"transformer.h.", "n_layer"}},
     true,
     kExampleSupport},
    {"ggml",
     "gpt-neox",
     kGptNeox,
     {kHparams, kTokens},
     1,
     2,
     {{"gpt_neox.layers.", "n_layer"}},
     true,
     kExampleSupport},
    {"ggml",
     "mpt",
     kMpt,
     {kHparams, kTokens},
     1,
     2,
     {{"transformer.blocks.", "n_layers"}},
     true,
     kExampleSupport},
    {"ggml",
     "replit",
     kReplit,
     {kHparams, kScoredTokens},
     1,
     2,
     {{"transformer.blocks.", "n_layers"}},
     true,
     kReplitSupport},
};

constexpr LegacyFamily ScoredLlama(const char* format, const LegacySupport& support) {
  return {format, "llama", kLlama, {kHparams, kScoredTokens}, 1, 2, {{"layers.", "n_layer"}},
          true,   support};
}

constexpr LegacyFamily kGgmfFamilies[] = {ScoredLlama("ggmf", kLlamaSupport)};
constexpr LegacyFamily kGgjtFamilies[] = {ScoredLlama("ggjt", kLlamaSupport)};
constexpr LegacyFamily kGgjt3Families[] = {ScoredLlama("ggjt", kCandleSupport)};

constexpr HyperParameter kSums[] = {{"n_entries", 1, 1 << 20}};

constexpr LegacyFamily kImatrixFamilies[] = {
    {"imatrix.dat",
     "imatrix",
     kSums,
     {kHparams},
     1,
     1,
     {},
     false,
     {"which llama.cpp wrote until July 2025", "ik_llama.cpp, and llama.cpp's quantizer",
      "Convert it with llama.cpp: llama-imatrix --in-file OLD.dat -o NEW.gguf."}},
};

constexpr LegacyFamily kRwkvFamilies[] = {
    {"rwkv.cpp", "rwkv", kRwkv, {kHparams}, 1, 3, {{"blocks.", "n_layer"}}, true, kRwkvSupport},
};

constexpr LegacyFormat kFormats[] = {
    {"ggml", "lmgg", 0, TypeScheme::kQnt0, 1, kGgmlFamilies},
    {"ggmf", "fmgg", 1, TypeScheme::kQnt0, 1, kGgmfFamilies},
    {"rwkv.cpp", "fmgg", 100, TypeScheme::kRwkv100, 1, kRwkvFamilies},
    {"rwkv.cpp", "fmgg", 101, TypeScheme::kRwkv101, 1, kRwkvFamilies},
    {"ggjt", "tjgg", 1, TypeScheme::kQnt0, 32, kGgjtFamilies},
    {"ggjt", "tjgg", 2, TypeScheme::kQnt1, 32, kGgjtFamilies},
    {"ggjt", "tjgg", 3, TypeScheme::kQnt2, 32, kGgjt3Families},
};

constexpr LegacyFormat kImatrix = {"imatrix.dat", "", 0, TypeScheme::kCurrent, 1, kImatrixFamilies};

constexpr uint8_t kLlamaTypes[] = {0,  1,  2,  3,  3,  4,  5,  8,  6, 7,
                                   10, 11, 11, 11, 12, 12, 13, 13, 14};
// ggml aborts on ftypes 4 to 6: two types were removed, and the other is a mixture.
constexpr uint8_t kNoType = 255;
constexpr uint8_t kGgmlTypes[] = {0,  1,  2,  3,  kNoType, kNoType, kNoType, 8,  6,  7,
                                  10, 11, 12, 13, 14,      16,      17,      18, 19, 20,
                                  21, 22, 23, 29, 30,      39,      40,      41, 42};

std::optional<uint32_t> TypeIn(absl::Span<const uint8_t> types, uint32_t ftype) {
  if (ftype >= types.size() || types[ftype] == kNoType) return std::nullopt;
  return types[ftype];
}

}  // namespace

absl::Span<const LegacyFormat> LegacyFormats() { return kFormats; }

const LegacyFormat& ImatrixFormat() { return kImatrix; }

std::optional<uint32_t> TypeOfLlamaFtype(uint32_t ftype) { return TypeIn(kLlamaTypes, ftype); }

std::optional<uint32_t> TypeOfGgmlFtype(uint32_t ftype) { return TypeIn(kGgmlTypes, ftype); }

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
      return value / kFtypesPerVersion <= 2 && TypeOfGgmlFtype(value % kFtypesPerVersion);
    case kDataType:
      return true;  // No other family is confused with rwkv.cpp's.
  }
  return false;
}

std::optional<uint32_t> HyperParameter::TypeOf(uint32_t value) const {
  // Readers take a packed ftype as signed.
  if (kind == kPackedFtype && value > INT32_MAX) return std::nullopt;
  if (kind == kPackedFtype) return TypeOfGgmlFtype(value % kFtypesPerVersion);
  return kind == kFtype ? TypeOfLlamaFtype(value) : value;
}

bool LegacyFamily::allows_vocabulary_alone() const {
  return name == absl::string_view("llama") || format == absl::string_view("whisper-ggml");
}

bool LegacyFamily::is_imatrix() const { return format == absl::string_view(kImatrix.name); }

size_t LegacyFamily::IndexOf(absl::string_view hparam) const {
  size_t i = 0;
  while (i < hparams.size() && hparams[i].name != hparam) ++i;
  return i;
}

const BlockStack* LegacyFamily::FindStack(absl::string_view tensor) const {
  for (const BlockStack& stack : stacks) {
    if (stack.prefix != nullptr && absl::StartsWith(tensor, stack.prefix)) {
      return &stack;
    }
  }
  return nullptr;
}

}  // namespace gguf
