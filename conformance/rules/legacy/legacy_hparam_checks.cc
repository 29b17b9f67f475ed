// Checks of the hyperparameters of legacy (pre-GGUF) formats and of the counts
// after them.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "conformance/rules/legacy/checks.h"
#include "parser/core/legacy_format.h"

namespace gguf {
namespace {

// Calls each(hyperparameter, its field) with those that count something.
template <class Function>
void ForEachHparam(const Model& model, Function each) {
  const LegacyHeader& header = *model.file.legacy;
  for (size_t i = 0; i < header.hparams.size(); ++i) {
    const HyperParameter& hparam = header.family->hparams[i];
    if (hparam.kind == HyperParameter::kCount) each(hparam, header.hparams[i]);
  }
}

constexpr Rule kHparamsNonzero = {
    "legacy-hparams-nonzero",
    Severities().Upload(kError).Spec(kWarning).Safety(kError),
    "A hyperparameter that is a count shall not be zero.",
    "Readers divide by the count and crash.",
    "Write the values of the original model.",
    "Not in the specification; llama.cpp crashed on n_head 0 (2023)."};

void HparamsNonzero(const Model& model, Finder& find) {
  ForEachHparam(
      model, [&](const HyperParameter& hparam, const Field<uint32_t>& field) {
        if (hparam.least == 0 || field.value != 0) return;
        find(field.where, {"header", false, 0, {}, hparam.name}, "is 0", {});
      });
}

constexpr Rule kHparamsPlausible = {
    "legacy-hparams-plausible",
    Severities().Upload(kWarning).Spec(kNote).Safety(kWarning),
    "A hyperparameter should not be larger than in any real model.",
    "Readers allocate memory in proportion to the number, and treat a negative "
    "number as a huge one.",
    "Write the values of the original model.",
    "Not in the specification; real models stay far below these bounds."};

void HparamsPlausible(const Model& model, Finder& find) {
  ForEachHparam(
      model, [&](const HyperParameter& hparam, const Field<uint32_t>& field) {
        if (field.value <= hparam.most) return;
        find(field.where, {"header", false, 0, {}, hparam.name},
             "is {value}, above {most}",
             {{"value", field.value}, {"most", hparam.most}});
      });
}

// Widths and the number of heads that share them.
constexpr std::pair<const char*, const char*> kHeads[] = {
    {"n_embd", "n_head"},
    {"d_model", "n_heads"},
    {"n_audio_state", "n_audio_head"},
    {"n_text_state", "n_text_head"},
};

constexpr Rule kHeadsDivideWidth = {
    "legacy-heads-divide-width",
    Severities().Upload(kError).Spec(kWarning).Safety(kWarning),
    "The number of heads shall divide the width of the model.",
    "Each head gets an equal share of the width; readers ignore the remainder, "
    "or read past the end of the tensor.",
    "Write the values of the original model.",
    "Not in the specification; every reader divides the width by the number of "
    "heads."};

void HeadsDivideWidth(const Model& model, Finder& find) {
  const LegacyHeader& header = *model.file.legacy;
  for (const auto& [width_name, heads_name] : kHeads) {
    const Field<uint32_t>* width = header.Find(width_name);
    const Field<uint32_t>* heads = header.Find(heads_name);
    if (width == nullptr || heads == nullptr || heads->value == 0) continue;
    if (width->value % heads->value == 0) continue;
    find(heads->where, {"header", false, 0, {}, heads_name},
         "is {heads}, which does not divide {width_name}, {width}",
         {{"heads", heads->value},
          {"width_name", Word{width_name}},
          {"width", width->value}});
  }
}

constexpr Rule kVocabularySize = {
    "legacy-vocabulary-size",
    Severities().Upload(kError).Spec(kWarning).Safety(kError),
    "The vocabulary shall have at most n_vocab tokens.",
    "whisper.cpp allocates n_vocab tokens and adds the missing ones; if the "
    "vocabulary has more, whisper.cpp writes past the end of the allocation.",
    "Make n_vocab and the size of the vocabulary equal.",
    "Not in the specification; the readers of ggml's examples require exactly "
    "n_vocab tokens; whisper.cpp's files may have fewer."};

void VocabularySize(const Model& model, Finder& find) {
  const LegacyHeader& header = *model.file.legacy;
  const Field<uint32_t>* n_vocab = header.Find("n_vocab");
  if (model.file.progress < Progress::kKeys || n_vocab == nullptr) return;
  if (header.tokens.value <= n_vocab->value) return;
  find(header.tokens.where, {"vocabulary", false, 0, {}, "size"},
       "is {tokens}, but n_vocab is {n_vocab}",
       {{"tokens", header.tokens.value}, {"n_vocab", n_vocab->value}});
}

constexpr Rule kMelFilters = {
    "legacy-mel-filters",
    Severities().Upload(kError).Spec(kWarning).Safety(kError),
    "There shall be n_mels mel filters, each of 201 numbers in a whisper model "
    "or of n_fft / 2 + 1 in a parakeet model.",
    "Readers multiply the spectrum by the filters without checking their size.",
    "Write the filters of the original model.",
    "Not in the specification; whisper.cpp reads n_mels times n_fft numbers."};

void MelFilters(const Model& model, Finder& find) {
  constexpr uint32_t kWhisperBins = 201;
  const LegacyHeader& header = *model.file.legacy;
  if (model.file.progress < Progress::kKeys || !header.n_mel) return;
  const uint32_t n_mels = header.Find("n_mels")->value;
  if (header.n_mel->value != n_mels) {
    find(header.n_mel->where, {"filters", false, 0, {}, "n_mel"},
         "is {n_mel}, but n_mels is {n_mels}",
         {{"n_mel", header.n_mel->value}, {"n_mels", n_mels}});
  }
  const Field<uint32_t>* n_fft = header.Find("n_fft");
  const uint32_t bins = n_fft == nullptr ? kWhisperBins : n_fft->value / 2 + 1;
  if (header.n_fft->value != bins) {
    find(header.n_fft->where, {"filters", false, 0, {}, "n_fft"},
         "is {n_fft}, not {bins}",
         {{"n_fft", header.n_fft->value}, {"bins", bins}});
  }
}

constexpr Rule kAudioLayersKnown = {
    "legacy-audio-layers-known",
    Severities().Upload(kWarning).Spec(kNote),
    "n_audio_layer should be 4, 6, 12, 24 or 32.",
    "whisper.cpp infers the size of the model from n_audio_layer: tiny, base, "
    "small, medium or large.",
    "No change is needed if the model really has a different number of layers.",
    "Not in the specification; whisper.cpp derives the model's name from "
    "n_audio_layer."};

void AudioLayersKnown(const Model& model, Finder& find) {
  constexpr uint32_t kKnown[] = {4, 6, 12, 24, 32};
  if (model.file.legacy->family->name != absl::string_view("whisper")) return;
  const Field<uint32_t>& layers = *model.file.legacy->Find("n_audio_layer");
  if (absl::c_linear_search(kKnown, layers.value)) return;
  find(layers.where, {"header", false, 0, {}, "n_audio_layer"}, "is {layers}",
       {{"layers", layers.value}});
}

std::optional<uint32_t> TypeId(HyperParameter::Kind kind, uint32_t ftype) {
  if (kind == HyperParameter::kPackedFtype) {
    return TypeOfGgmlFtype(ftype % kFtypesPerVersion);
  }
  if (kind == HyperParameter::kFtype) return TypeOfLlamaFtype(ftype);
  return ftype;
}

struct Ftype {
  const char* name = nullptr;
  Field<uint32_t> field;
  const TensorTypeInfo* type = nullptr;  // Null when there is none.
};

// Returns nothing for a family without an ftype.
std::optional<Ftype> FtypeOf(const Model& model) {
  const LegacyHeader& header = *model.file.legacy;
  if (header.FindFtype() == nullptr) return std::nullopt;
  Ftype ftype;
  ftype.name = header.Find("ftype") != nullptr ? "ftype" : "data_type";
  ftype.field = *header.FindFtype();
  const auto type =
      TypeId(header.family->hparams[header.family->IndexOf(ftype.name)].kind,
             ftype.field.value);
  if (type) ftype.type = FindTensorType(*type, header.scheme);
  return ftype;
}

constexpr Rule kFtypeKnown = {
    "legacy-ftype-known",
    Severities().Upload(kError).Spec(kWarning).Safety(kWarning),
    "The ftype (data_type in rwkv.cpp) shall be defined in the file's version "
    "of the format.",
    "Readers derive the tensors' type from the ftype, and refuse a file whose "
    "ftype they do not know.",
    "Write the number of the type that most tensors have.",
    "rwkv.cpp: FILE_FORMAT.md, data types. llama.cpp and whisper.cpp have no "
    "specification; their readers refuse the file."};

void FtypeKnown(const Model& model, Finder& find) {
  const auto ftype = FtypeOf(model);
  if (!ftype || ftype->type != nullptr) return;
  find(ftype->field.where, {"header", false, 0, {}, ftype->name},
       "is {ftype}, which this version does not define",
       {{"ftype", ftype->field.value}});
}

constexpr Rule kFtypeMatchesTensors = {
    "legacy-ftype-matches-tensors",
    Severities().Upload(kWarning).Spec(kNote),
    "At least one tensor of two or more dimensions should have the type that "
    "the ftype (data_type in rwkv.cpp) stands for.",
    "Readers allocate the tensors according to the ftype.",
    "Write the number of the type that most of the large tensors have.",
    "gguf.md, historical state of affairs: ftype \"describes the type of the "
    "majority of the tensors\"; in real files, it describes the type of the "
    "large tensors."};

void FtypeMatchesTensors(const Model& model, Finder& find) {
  const auto ftype = FtypeOf(model);
  if (!ftype || ftype->type == nullptr) return;
  bool has_matrix = false;
  for (const TensorInfo& tensor : model.file.tensors) {
    if (tensor.n_dims.value < 2) continue;
    if (tensor.type_info() == ftype->type) return;
    has_matrix = true;
  }
  if (!has_matrix) return;
  if (model.file.progress < Progress::kTensors) {
    return find.CannotCheck("not all tensors could be read");
  }
  find(ftype->field.where, {"header", false, 0, {}, ftype->name},
       "is {ftype} ({type}), but no tensor of two or more dimensions has that "
       "type",
       {{"ftype", ftype->field.value}, {"type", Word{ftype->type->name}}});
}

constexpr Check kChecks[] = {
    {&kHparamsNonzero, Needs::kHeader, HparamsNonzero, Files::kLegacy},
    {&kHparamsPlausible, Needs::kHeader, HparamsPlausible, Files::kLegacy},
    {&kHeadsDivideWidth, Needs::kHeader, HeadsDivideWidth, Files::kLegacy},
    {&kAudioLayersKnown, Needs::kHeader, AudioLayersKnown, Files::kLegacy},
    {&kFtypeKnown, Needs::kHeader, FtypeKnown, Files::kLegacy},
    {&kMelFilters, Needs::kKeys, MelFilters, Files::kLegacy},
    {&kVocabularySize, Needs::kKeys, VocabularySize, Files::kLegacy},
    {&kFtypeMatchesTensors, Needs::kTensors, FtypeMatchesTensors,
     Files::kLegacy},
};

}  // namespace

absl::Span<const Check> LegacyHparamChecks() { return kChecks; }

}  // namespace gguf
