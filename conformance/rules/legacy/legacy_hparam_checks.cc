// Checks of the format of a legacy (pre-GGUF) file, of its hyperparameters and
// of the counts after them.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "conformance/rules/legacy/legacy_names.h"
#include "conformance/rules/rule_tables.h"
#include "parser/legacy_format.h"
#include "parser/parse_legacy.h"

namespace gguf {
namespace {

// Calls each(hyperparameter, its field) with those that count something and that the family's
// readers use: `used_alone` of a file that is only the vocabulary of a llama.
template <class Function>
void ForEachHparam(const Model& model, absl::Span<const absl::string_view> used_alone,
                   Function each) {
  const LegacyHeader& header = *model.file.legacy;
  const bool is_alone = IsLlamaVocabulary(model);
  const bool is_llama = header.family->name == absl::string_view("llama");
  for (size_t i = 0; i < header.hparams.size(); ++i) {
    const HyperParameter& hparam = header.family->hparams[i];
    if (hparam.kind != HyperParameter::kCount) continue;
    if (is_alone && !absl::c_linear_search(used_alone, hparam.name)) continue;
    // llama.cpp divides the width by the number of heads instead.
    if (is_llama && hparam.name == absl::string_view("n_rot")) continue;
    each(hparam, header.hparams[i]);
  }
}

// Widths and the number of heads that share them.
constexpr std::pair<const char*, const char*> kHeads[] = {
    {"n_embd", "n_head"},
    {"d_model", "n_heads"},
    {"n_audio_state", "n_audio_head"},
    {"n_text_state", "n_text_head"},
};

void HparamsInRange(const CheckContext& context, Finder& find) {
  const LegacyHeader& header = *context.model.file.legacy;
  constexpr absl::string_view kUsedAlone[] = {"n_vocab", "n_layer"};
  ForEachHparam(context.model, kUsedAlone,
                [&](const HyperParameter& hparam, const Field<uint32_t>& field) {
                  const uint32_t value = field.value;
                  // legacy-hparams-nonzero reports a 0.
                  if (value <= hparam.most && (value >= hparam.least || value == 0)) return;
                  find(field.where, {"header", false, 0, {}, hparam.name},
                       "is {value}, not {least} to {most}",
                       {{"value", value}, {"least", hparam.least}, {"most", hparam.most}});
                });
  const Field<uint32_t>* text = header.Find("n_text_state");
  if (text != nullptr && text->value != header.Find("n_audio_state")->value) {
    find(text->where, {"header", false, 0, {}, "n_text_state"},
         "is {text}, but n_audio_state is {audio}",
         {{"text", text->value}, {"audio", header.Find("n_audio_state")->value}});
  }
  auto numbers = header.numbers.begin();
  for (const HeaderPart& part : header.family->parts) {
    if (part.kind != HeaderPart::kNumbers || numbers == header.numbers.end()) continue;
    const Range where = *numbers++;
    const Bytes bytes = context.model.file.At(where);
    for (size_t i = 0; i < part.values.size() && 4 * i + 4 <= bytes.size(); ++i) {
      const auto value = LoadUnsigned<uint32_t>(bytes.data() + 4 * i, Endian::kLittle);
      if (value == part.values[i]) continue;
      find({where.begin + 4 * i, where.begin + 4 * i + 4},
           Subject{"header", false, 0, {}, part.name}.At(i), "is {value}, not {wanted}",
           {{"value", value}, {"wanted", part.values[i]}});
    }
  }
}

void MelFilters(const CheckContext& context, Finder& find) {
  constexpr uint32_t kWhisperBins = 201;
  const LegacyHeader& header = *context.model.file.legacy;
  if (context.model.file.progress < Progress::kKeys || !header.n_mel) return;
  const uint32_t n_mels = header.Find("n_mels")->value;
  if (header.n_mel->value != n_mels) {
    find(header.n_mel->where, {"filters", false, 0, {}, "n_mel"},
         "is {n_mel}, but n_mels is {n_mels}",
         {{"n_mel", header.n_mel->value}, {"n_mels", n_mels}});
  }
  const Field<uint32_t>* n_fft = header.Find("n_fft");
  const uint32_t bins = n_fft == nullptr ? kWhisperBins : n_fft->value / 2 + 1;
  if (header.n_fft->value != bins) {
    find(header.n_fft->where, {"filters", false, 0, {}, "n_fft"}, "is {n_fft}, not {bins}",
         {{"n_fft", header.n_fft->value}, {"bins", bins}});
  }
}

struct Ftype {
  const HyperParameter* hparam = nullptr;
  Field<uint32_t> field;
  const TensorTypeInfo* type = nullptr;  // Null when there is none.
};

// Returns nothing for a family without an ftype.
std::optional<Ftype> FtypeOf(const Model& model) {
  const LegacyHeader& header = *model.file.legacy;
  if (header.FindFtype() == nullptr) return std::nullopt;
  Ftype ftype;
  const char* const name = header.Find("ftype") != nullptr ? "ftype" : "data_type";
  ftype.hparam = &header.family->hparams[header.family->IndexOf(name)];
  ftype.field = *header.FindFtype();
  const auto type = ftype.hparam->TypeOf(ftype.field.value);
  if (type) ftype.type = FindTensorType(*type, header.scheme);
  return ftype;
}

void FtypeMatchesTensors(const CheckContext& context, Finder& find) {
  const auto ftype = FtypeOf(context.model);
  if (!ftype || (ftype->type == nullptr && ftype->hparam->kind != HyperParameter::kFtype)) return;
  bool has_matrix = false;
  for (const TensorInfo& tensor : context.model.file.tensors) {
    if (tensor.n_dims.value < 2) continue;
    if (tensor.type_info() == ftype->type) return;
    has_matrix = true;
  }
  if (!has_matrix) return;
  if (context.model.file.progress < Progress::kTensors) {
    return find.CannotCheck("not all tensors could be read");
  }
  find(ftype->field.where, {"header", false, 0, {}, ftype->hparam->name},
       "is {ftype} ({type}), but no tensor of two or more dimensions has that type",
       {{"ftype", ftype->field.value},
        {"type", Trusted{ftype->type == nullptr ? "no type" : ftype->type->name}}});
}

// Returns why readers of a family refuse an ftype, as the rest of a sentence; null if they do not.
// llama.cpp ignores it: the tensors have types of their own.
const char* WhyFtypeRefused(const Model& model, const Ftype& ftype) {
  if (ftype.hparam->kind == HyperParameter::kFtype) return nullptr;
  if (ftype.type == nullptr) return "which this version does not define";
  const bool is_rwkv_100 = model.file.legacy->scheme == TypeScheme::kRwkv100;
  return is_rwkv_100 && ftype.type->block_elements > 1
             ? "a quantized type, which rwkv.cpp reads in version 101 only"
             : nullptr;
}

}  // namespace

constexpr RuleTable kLegacyFormatRules = {
    {.id = "format-gguf",
     .severities = {.llama_cpp = kError},
     .summary = "The file shall be GGUF.",
     .why = "llama.cpp loads only GGUF.",
     .repair = "Convert the model to GGUF, or use a program that reads its format.",
     .citation = "Not in the specification; llama.cpp dropped its older formats in August 2023; it "
                 "never read those of whisper.cpp and rwkv.cpp.",
     .scope = Scope::kContainer,
     .needs = Needs::kMagic,
     .files = Files::kLegacy,
     .requirements = {OnlyLegacyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           find({0, 4}, {"file", false, 0, {}, "format"}, "is {format}, {past}",
                {{"format", Trusted{context.model.file.kind.format}},
                 {"past", Trusted{context.model.file.legacy->family->support.past}}});
         }},
};

constexpr RuleTable kLegacyFamilyRules = {
    {.id = "legacy-family-certain",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The family of an unversioned GGML file should be unambiguous.",
     .why = "All families have the same magic, and some have the same layout: a reader for a "
            "different family accepts the file and misreads its numbers.",
     .repair = "Convert the model to GGUF, which names its architecture.",
     .citation = "gguf.md, historical state of affairs: \"There's no way to identify which model "
                 "architecture a given model is for\".",
     .scope = Scope::kContainer,
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           std::vector<absl::string_view> others;
           for (const LegacyFamily* family : context.model.file.legacy->also) {
             others.push_back(family->name);
           }
           if (others.empty()) return;
           find({0, 4}, {"file", false, 0, {}, "family"},
                "is assumed to be {family}, but the file can also be read as {others}",
                {{"family", Trusted{context.model.file.legacy->family->name}},
                 {"others", Trusted{absl::StrJoin(others, ", ")}}});
         }},
};

constexpr RuleTable kLegacyHparamRules = {
    {.id = "legacy-hparams-nonzero",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "A hyperparameter that is a count shall not be zero.",
     .why = "Readers divide by the count and crash.",
     .repair = "Write the values of the original model.",
     .citation = "Not in the specification; llama.cpp crashed on n_head 0 (2023).",
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr absl::string_view kUsedAlone[] = {"n_vocab", "n_mult"};
           ForEachHparam(context.model, kUsedAlone,
                         [&](const HyperParameter& hparam, const Field<uint32_t>& field) {
                           if (hparam.least == 0 || field.value != 0) return;
                           find(field.where, {"header", false, 0, {}, hparam.name},
                                "is 0, but a model has at least 1", {});
                         });
         }},
    {.id = "legacy-hparams-plausible",
     .severities = {.upload = kError, .spec = kNote, .safety = kError},
     .summary = "A hyperparameter shall be in the range of real models, and n_text_state of "
                "whisper shall be n_audio_state.",
     .why = "Readers allocate memory in proportion to the number before they read a tensor, and "
            "treat a negative number as a huge one; whisper.cpp asserts that its two widths are "
            "equal, and reads past the end of a table of fewer than four layers.",
     .repair = "Write the values of the original model.",
     .citation = "Not in the specification; of whisper.cpp, the sizes of the largest published "
                 "model or the limits in its sources; of other families, bounds far above real "
                 "models.",
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check = HparamsInRange},
    {.id = "legacy-heads-divide-width",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The number of heads shall divide the width of the model.",
     .why = "Each head gets an equal share of the width; readers ignore the remainder, read past "
            "the end of the tensor, or abort.",
     .repair = "Write the values of the original model.",
     .citation = "Not in the specification; every reader divides the width by the number of heads.",
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           const LegacyHeader& header = *context.model.file.legacy;
           if (IsLlamaVocabulary(context.model)) return;
           for (const auto& [width_name, heads_name] : kHeads) {
             const Field<uint32_t>* width = header.Find(width_name);
             const Field<uint32_t>* heads = header.Find(heads_name);
             if (width == nullptr || heads == nullptr || heads->value == 0) {
               continue;
             }
             if (width->value % heads->value == 0) continue;
             find(heads->where, {"header", false, 0, {}, heads_name},
                  "is {heads}, which does not divide {width_name}, {width}",
                  {{"heads", heads->value},
                   {"width_name", Trusted{width_name}},
                   {"width", width->value}});
           }
         }},
    {.id = "legacy-audio-layers-known",
     .severities = {.upload = kWarning, .spec = kNote},
     .summary = "n_audio_layer should be 4, 6, 12, 24 or 32.",
     .why = "whisper.cpp infers the size of the model from n_audio_layer: tiny, base, small, "
            "medium or large.",
     .repair = "No change is needed if the model really has a different number of layers.",
     .citation =
         "Not in the specification; whisper.cpp derives the model's name from n_audio_layer.",
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint32_t kKnown[] = {4, 6, 12, 24, 32};
           if (context.model.file.legacy->family->name != absl::string_view("whisper")) return;
           const Field<uint32_t>& layers = *context.model.file.legacy->Find("n_audio_layer");
           if (absl::c_linear_search(kKnown, layers.value)) return;
           find(layers.where, {"header", false, 0, {}, "n_audio_layer"},
                "is {layers}, not 4, 6, 12, 24 or 32", {{"layers", layers.value}});
         }},
    {.id = "legacy-ftype-known",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary =
         "The ftype (data_type in rwkv.cpp) shall be defined in the file's version of the format.",
     .why = "Readers derive the tensors' type from the ftype; they refuse a file whose ftype they "
            "do not know, and whisper.cpp aborts.",
     .repair = "Write the number of the type that most tensors have.",
     .citation = "rwkv.cpp: FILE_FORMAT.md, data types. llama.cpp and whisper.cpp have no "
                 "specification; their readers refuse the file.",
     .needs = Needs::kHeader,
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           const auto ftype = FtypeOf(context.model);
           const char* const why = ftype ? WhyFtypeRefused(context.model, *ftype) : nullptr;
           if (why == nullptr) return;
           find(ftype->field.where, {"header", false, 0, {}, ftype->hparam->name},
                "is {ftype}, {why}", {{"ftype", ftype->field.value}, {"why", Trusted{why}}});
         }},
    {.id = "legacy-mel-filters",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "There shall be n_mels mel filters, each of 201 numbers in a whisper model or of "
                "n_fft / 2 + 1 in a parakeet model.",
     .why = "Readers multiply the spectrum by the filters without checking their size.",
     .repair = "Write the filters of the original model.",
     .citation = "Not in the specification; whisper.cpp reads n_mels times n_fft numbers.",
     .files = Files::kLegacy,
     .check = MelFilters},
    {.id = "legacy-vocabulary-size",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The vocabulary shall have at most n_vocab tokens.",
     .why = "whisper.cpp allocates n_vocab tokens and adds the missing ones; if the vocabulary has "
            "more, whisper.cpp writes past the end of the allocation.",
     .repair = "Make n_vocab and the size of the vocabulary equal.",
     .citation = "Not in the specification; the readers of ggml's examples require exactly n_vocab "
                 "tokens; whisper.cpp's files may have fewer.",
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           const LegacyHeader& header = *context.model.file.legacy;
           const Field<uint32_t>* n_vocab = header.Find("n_vocab");
           if (context.model.file.progress < Progress::kKeys || n_vocab == nullptr) return;
           if (header.tokens.value <= n_vocab->value) return;
           find(header.tokens.where, {"vocabulary", false, 0, {}, "size"},
                "is {tokens}, but n_vocab is {n_vocab}",
                {{"tokens", header.tokens.value}, {"n_vocab", n_vocab->value}});
         }},
    {.id = "whisper-blank-token",
     .severities = {.upload = kError, .spec = kWarning, .safety = kError},
     .summary = "The vocabulary of a whisper model shall have the token \" \".",
     .why = "whisper.cpp looks the token up before it decodes, and dies of an exception that "
            "programs do not catch.",
     .repair = "Convert the model again, with its tokenizer.",
     .citation = "Not in the specification; whisper.cpp, whisper_process_logits: suppress_blank.",
     .since = "0.2.0",
     .files = Files::kLegacy,
     .check =
         [](const CheckContext& context, Finder& find) {
           const File& file = context.model.file;
           if (file.legacy->family->name != absl::string_view("whisper")) return;
           if (file.progress < Progress::kKeys) return;
           bool has_blank = false;
           ForEachToken(file, [&](absl::string_view text, uint32_t) { has_blank |= text == " "; });
           if (has_blank) return;
           find(file.legacy->tokens.where, {"vocabulary", false, 0, {}, "tokens"},
                "have no \" \", which whisper.cpp looks up", {});
         }},
    {.id = "legacy-ftype-matches-tensors",
     .severities = {.upload = kWarning, .spec = kNote},
     .summary = "At least one tensor of two or more dimensions should have the type that the ftype "
                "(data_type in rwkv.cpp) stands for.",
     .why = "Readers allocate the tensors according to the ftype.",
     .repair = "Write the number of the type that most of the large tensors have.",
     .citation = "gguf.md, historical state of affairs: ftype \"describes the type of the majority "
                 "of the tensors\"; in real files, it describes the type of the large tensors.",
     .needs = Needs::kTensors,
     .files = Files::kLegacy,
     .check = FtypeMatchesTensors},
};

}  // namespace gguf
