// Checks of the parts of a file's name against the content of the file.
//
// Names that do not follow the convention are checked where a part is certain:
// its size label and its encoding.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/reason.h"
#include "conformance/model/tensor_table.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/rules/naming/name_parts.h"
#include "conformance/rules/naming/name_proposal.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr Subject kName = {"file", false, 0, {}, "name"};

// Requires a name that follows the convention.
Reason OnlyByConvention(const Model& model) {
  Reason why = OnlyNamed(model);
  return model.name_parts() || !why.empty() ? why : Reason::Silent();
}

// Returns the name of the symbol's key in this file.
std::string NameOfKey(const Model& model, Symbol symbol) {
  return model.hparams().Expand(model.hparams().Row(symbol).key);
}

// Returns the text as in a file's name: dashes for blanks, all in lower case.
std::string Folded(absl::string_view text) {
  return absl::AsciiStrToLower(absl::StrReplaceAll(text, {{" ", "-"}, {"_", "-"}, {"/", "-"}}));
}

// Labels are rounded, count embeddings or not, and experts share some of their
// parameters: half of one expert to twice all of them is about right.
bool IsAbout(const SizeLabel& label, double parameters) {
  constexpr double kSlack = 2;
  const double experts = static_cast<double>(std::max<uint64_t>(label.experts, 1));
  return parameters * kSlack >= label.parameters &&
         parameters <= label.parameters * experts * kSlack;
}

void FileNameSizeLabel(const CheckContext& context, Finder& find) {
  const absl::string_view label = Text(context.model, "general.size_label");
  const std::string part = SizeIn(context.model);
  if (label.empty() || part.empty()) return;
  if (absl::EqualsIgnoreCase(part, label)) return;
  const auto named = ParseSizeLabel(part), stated = ParseSizeLabel(label);
  if (named && stated && named->experts == stated->experts &&
      named->parameters == stated->parameters) {
    return;
  }
  // Outside the convention, the size is often rounded differently.
  if (!context.model.name_parts() && (!named || !stated || IsAbout(*named, stated->parameters) ||
                                      IsAbout(*stated, named->parameters))) {
    return;
  }
  find({0, 0}, kName, "has {part}, but general.size_label is {label}",
       {{"part", absl::string_view(part)}, {"label", label}});
}

// Returns the label in the keys, else that in the name.
std::string SizeLabelOf(const Model& model) {
  const absl::string_view stated = Text(model, "general.size_label");
  return stated.empty() ? SizeIn(model) : std::string(stated);
}

Reason OnlyWithSizeLabel(const Model& model) {
  return ParseSizeLabel(SizeLabelOf(model)) && !model.tensors().empty() ? Reason()
                                                                        : Reason::Silent();
}

void SizeLabelParameters(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const std::string text = SizeLabelOf(model);
  if (!WhyNoModel(model.kind()).empty() || Part(model, "Sidecar") == "mtp") {
    return find.CannotCheck("the label is that of another file");
  }
  const auto parameters = CountParameters(model.tensors());
  if (!parameters) return find.CannotCheck("the parameters cannot be counted");
  if (IsAbout(*ParseSizeLabel(text), static_cast<double>(*parameters))) return;
  const bool is_stated = !Text(model, "general.size_label").empty();
  const KeyValue* kv = model.FindKey("general.size_label");
  find(is_stated ? kv->value : Range{0, 0}, is_stated ? kv->subject().Of("value") : kName,
       "has {label}, but the tensors have {parameters parameter|parameters}",
       {{"label", absl::string_view(text)}, {"parameters", *parameters}});
}

// "v1.0" -> "1", "2024-07" -> "2024.07"; empty when it is not numeric.
std::string Version(absl::string_view text) {
  StatedVersion version = ParseVersion(text);
  if (!version.words.empty()) return "";
  absl::string_view number = version.number;
  while (absl::ConsumeSuffix(&number, ".0")) {
  }
  return std::string(number);
}

Reason OnlyWithEncoding(const Model& model) {
  Reason why = OnlyNamed(model);
  if (!why.empty()) return why;
  const std::string encoding = Part(model, "Encoding");
  if (encoding.empty() || model.tensors().empty()) return Reason::Silent();
  if (TypesOfEncoding(model, encoding) != 0) return why;
  return model.name_parts() ? "the encoding is not known" : Reason::Silent();
}

// Outside the convention, words such as Q4_K_XL stand for mixes of many types:
// only quantized and unquantized weights are told apart.
void FileNameEncoding(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const std::string encoding = Part(model, "Encoding");
  const uint64_t types = TypesOfEncoding(model, encoding);
  const Majority most = MostTensors(model.tensors(), types);
  if (!most.contradicts()) return;
  if (!model.name_parts() && !most.is_other_kind) return;
  find({0, 0}, kName,
       "has {encoding}, but this is the type of {asked} of {all matrix|matrices}; {type} is "
       "the "
       "type of {count}",
       {{"encoding", absl::string_view(encoding)},
        {"asked", most.asked},
        {"count", most.tensors},
        {"all", most.of},
        {"type", Trusted{most.type->name}}});
}

// Returns whether a label is that of experts: "8x7B", not "4B-Context4k".
bool StatesExperts(absl::string_view label) {
  return absl::StrContains(label.substr(0, label.find('-')), 'x');
}

// Returns whether the file has block 0.  The heads that predict further tokens
// are the last blocks.
bool HasFirstBlock(const Model& model) {
  const auto& tensors = model.file.tensors;
  return std::any_of(tensors.begin(), tensors.end(), [](const auto& tensor) {
    return absl::StartsWith(tensor.name.value, "blk.0.");
  });
}

void FileNameType(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const std::string type = Part(model, "Type");
  // What general.type states, even if the file is a model: model-type-stated
  // reports that.
  const KindFound& found = model.kind();
  const GgufKind kind = found.misstated.value_or(found.kind);
  const bool is_adapter = kind == GgufKind::kLora;
  const bool is_vocabulary = kind == GgufKind::kVocabulary;
  if ((type == "LoRA") != is_adapter) {
    find({0, 0}, kName,
         is_adapter ? "has no LoRA, but general.type is adapter"
                    : "has LoRA, but general.type is not adapter",
         {});
  }
  if ((type == "vocab") != is_vocabulary) {
    find({0, 0}, kName,
         is_vocabulary ? "has no vocab, but the file has no tensors"
                       : "has vocab, but the file has more than a vocabulary",
         {});
  }
  // An adapter of a projector has both words.
  const bool is_projector = Part(model, "Sidecar") == "mmproj" && type.empty();
  if (is_projector && kind != GgufKind::kProjector) {
    find({0, 0}, kName, "has mmproj, but general.type is not mmproj", {});
  }
  if (Part(model, "Sidecar") == "mtp" && HasFirstBlock(model)) {
    find({0, 0}, kName, "has mtp, but the file has the blocks of the model", {});
  }
}

}  // namespace

constexpr RuleTable kNameContentRules = {
    {.id = "file-name-basename",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The base name in the file's name should match general.basename.",
     .why = "People mistake the file for a different model.",
     .repair = "Rename the file, or correct general.basename.",
     .citation = "gguf.md, naming convention: \"This can be derived from gguf metadata "
                 "`general.basename` substituting spaces for dashes\".",
     .requirements = {OnlyByConvention},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const absl::string_view basename = Text(model, "general.basename");
           const std::string part = Part(model, "BaseName");
           if (basename.empty() || Folded(part) == Folded(basename)) return;
           // The convention has no dots, for example.
           if (Folded(part) == Folded(PropositionOf(model).base_name)) return;
           // Phi-3-mini-4k-instruct: the context length is part of the base
           // name.
           if (!IsSizeNotContext(Part(model, "SizeLabel"))) return;
           find({0, 0}, kName, "has {part}, but general.basename is {basename}",
                {{"part", absl::string_view(part)}, {"basename", basename}});
         }},
    {.id = "file-name-size-label",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The size label in the file's name should match general.size_label.",
     .why = "People mistake the file for a larger or smaller model.",
     .repair = "Rename the file, or correct general.size_label.",
     .citation = "gguf.md, naming convention: \"This can be derived from gguf metadata "
                 "`general.size_label` if available\".",
     .requirements = {OnlyNamed},
     .check = FileNameSizeLabel},
    {.id = "file-name-size-label-scale",
     .severities = {.upload = kNote, .spec = kNote},
     .summary =
         "The size label in the file's name should have one of the scale letters K, M, B, T and Q.",
     .why = "With any other letter, no program can determine the size. The letters may be in lower "
            "case, but published names use a lower-case k for a context length.",
     .repair = "Write the number of parameters with one of these letters.",
     .citation = "gguf.md, naming convention: \"single letter scale prefix\".",
     .since = "0.2.0",
     .needs = Needs::kName,
     .requirements = {OnlyByConvention},
     .check =
         [](const CheckContext& context, Finder& find) {
           const std::string part = Part(context.model, "SizeLabel");
           if (part.empty() || ParseSizeLabel(part)) return;
           find({0, 0}, kName, "has {part}, with a letter that is not a scale",
                {{"part", absl::string_view(part)}});
         }},
    {.id = "size-label-parameters",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "A size label should roughly match the number of parameters.",
     .why = "People use the size label to choose a model and to estimate the memory that it needs.",
     .repair = "Write the number of parameters, rounded.",
     .citation = "gguf.md, naming convention: the size label is the \"Parameter weight class\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithSizeLabel, OnlyWithAllTensors},
     .check = SizeLabelParameters},
    {.id = "file-name-expert-count",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The number of experts in the file's name should match expert_count.",
     .why = "People estimate speed and memory use from the size label.",
     .repair = "Rename the file, or correct expert_count.",
     .citation = "gguf.md, naming convention: \"Parameter weight class (useful for leader boards) "
                 "represented as `<expertCount>x<count><scale-prefix>`\".",
     .since = "0.2.0",
     .requirements = {OnlyNamed, OnlyModels},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const std::string part = SizeIn(model);
           const auto label = ParseSizeLabel(part);
           const auto experts = model.hparams().Get(Symbol::kExpertCount);
           if (!label || !experts || !StatesExperts(part)) return;
           if (static_cast<int64_t>(label->experts) == *experts) return;
           const bool is_set = model.hparams().Key(Symbol::kExpertCount) != nullptr;
           find(
               {0, 0}, kName,
               is_set ? "has {label}, but {key} is {experts}" : "has {label}, but {key} is missing",
               {{"label", absl::string_view(part)},
                {"key", Trusted{NameOfKey(model, Symbol::kExpertCount)}},
                {"experts", *experts}});
         }},
    {.id = "file-name-finetune",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The fine-tune in the file's name should match general.finetune.",
     .why = "People mistake the file for another variant of the model.",
     .repair = "Rename the file, or correct general.finetune.",
     .citation = "gguf.md, naming convention: \"This can be derived from gguf metadata "
                 "`general.finetune` substituting spaces for dashes\".",
     .since = "0.2.0",
     .requirements = {OnlyByConvention},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const absl::string_view finetune = Text(model, "general.finetune");
           const std::string part = Part(model, "FineTune");
           // The convention has no place for a fine-tune without a size label.
           if (finetune.empty() || SizeIn(model).empty()) return;
           if (Folded(part) == Folded(finetune)) return;
           if (Folded(part) == Folded(PropositionOf(model).finetune)) return;
           find({0, 0}, kName,
                part.empty() ? "has no fine-tune, but general.finetune is {finetune}"
                             : "has {part}, but general.finetune is {finetune}",
                {{"part", absl::string_view(part)}, {"finetune", finetune}});
         }},
    {.id = "file-name-version",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The version in the file's name should match general.version.",
     .why = "People mistake the file for an older or newer version.",
     .repair = "Rename the file, or correct general.version.",
     .citation = "gguf.md, naming convention: \"This can be derived from gguf metadata "
                 "`general.version`\".",
     .requirements = {OnlyByConvention},
     .check =
         [](const CheckContext& context, Finder& find) {
           const absl::string_view text = Text(context.model, "general.version");
           if (text.empty()) return;
           const std::string version = Version(text);
           if (version.empty()) {
             return find.CannotCheck("general.version is not a number");
           }
           const std::string part = Part(context.model, "Version");
           if (Version(part) == version) return;
           find({0, 0}, kName, "has {part}, but general.version is {version}",
                {{"part", absl::string_view(part)}, {"version", text}});
         }},
    {.id = "file-name-encoding",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "The encoding in the file's name should be the type of most tensors.",
     .why = "People download the wrong quantization. For a name that does not follow the "
            "convention, this rule only distinguishes quantized from unquantized weights.",
     .repair = "Rename the file.",
     .citation = "gguf.md, naming convention: \"Indicates the weights encoding scheme that was "
                 "applied to the model\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyFirstShard, OnlyWithEncoding, OnlyWithAllTensors},
     .check = FileNameEncoding},
    {.id = "file-name-type",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "LoRA, vocab, mmproj or mtp in the file's name should match the file's kind.",
     .why = "People use the file for the wrong purpose.",
     .repair = "Rename the file, or correct general.type.",
     .citation = "gguf.md, naming convention: the type \"Indicates the kind of gguf file and the "
                 "intended purpose for it\".",
     .needs = Needs::kTensors,
     .requirements = {OnlyByConvention},
     .check = FileNameType},
};

}  // namespace gguf
