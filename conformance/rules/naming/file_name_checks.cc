// Checks a file's name against the naming convention, and its parts against the
// content of the file.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/model/file_name.h"
#include "conformance/model/reason.h"
#include "conformance/model/shard_name.h"
#include "conformance/model/tensor_census.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/metadata/text_formats.h"
#include "conformance/rules/naming/checks.h"
#include "conformance/tables/file_types.h"
#include "parser/core/tensor_type.h"

namespace gguf {
namespace {

constexpr Subject kName = {"file", false, 0, {}, "name"};

constexpr Rule kFileNameConvention = {
    "file-name-convention",
    Severities().Spec(kWarning),
    "The file's name should follow the GGUF naming convention.",
    "People and tools read size, version and quantization from the name.",
    "Name it BaseName-SizeLabel-FineTune-Version-Encoding.gguf, for example "
    "Mixtral-8x7B-v0.1-KQ2.gguf; base name, size label and version are "
    "required.",
    "gguf.md, naming convention: \"At a minimum all model files should have at "
    "least BaseName, SizeLabel, Version\"."};

void FileNameConvention(const Model& model, Finder& find) {
  if (model.name_parts()) return;
  find({0, 0}, kName, "{name} does not follow the convention",
       {{"name", model.file.name}});
}

// Requires a name that follows the convention; any other states nothing about
// the file.
Reason OnlyByConvention(const Model& model) {
  Reason why = OnlyNamed(model);
  return model.name_parts() || !why.empty() ? why : Reason::Silent();
}

// Returns this part of the name; empty when the name does not have it.
absl::string_view Part(const Model& model, absl::string_view part) {
  if (!model.name_parts()) return "";
  for (const auto& [name, text] : *model.name_parts()) {
    if (name == part) return text;
  }
  return "";
}

// Returns the key's string; empty when it is missing or not a string.
absl::string_view Text(const Model& model, absl::string_view key) {
  const KeyValue* kv = model.FindKey(key);
  return kv == nullptr ? "" : model.file.String(*kv).value_or("");
}

// Returns the text as in a file's name: dashes for blanks, all in lower case.
std::string Folded(absl::string_view text) {
  return absl::AsciiStrToLower(
      absl::StrReplaceAll(text, {{" ", "-"}, {"_", "-"}, {"/", "-"}}));
}

constexpr Rule kFileNameBasename = {
    "file-name-basename",
    Severities().Upload(kNote).Spec(kNote),
    "The base name in the file's name should match general.basename.",
    "People mistake the file for a different model.",
    "Rename the file, or correct general.basename.",
    "gguf.md, naming convention: \"This can be derived from gguf metadata "
    "`general.basename` substituting spaces for dashes\"."};

void FileNameBasename(const Model& model, Finder& find) {
  const absl::string_view basename = Text(model, "general.basename");
  const absl::string_view part = Part(model, "BaseName");
  if (basename.empty() || Folded(part) == Folded(basename)) return;
  find({0, 0}, kName, "has {part}, but general.basename is {basename}",
       {{"part", part}, {"basename", basename}});
}

constexpr Rule kFileNameSizeLabel = {
    "file-name-size-label",
    Severities().Upload(kNote).Spec(kNote),
    "The size label in the file's name should match general.size_label.",
    "People mistake the file for a larger or smaller model.",
    "Rename the file, or correct general.size_label.",
    "gguf.md, naming convention: \"This can be derived from gguf metadata "
    "`general.size_label` if available\"."};

void FileNameSizeLabel(const Model& model, Finder& find) {
  const absl::string_view label = Text(model, "general.size_label");
  const absl::string_view part = Part(model, "SizeLabel");
  if (label.empty() || part.empty()) return;
  if (absl::EqualsIgnoreCase(part, label)) return;
  const auto named = ParseSizeLabel(part), stated = ParseSizeLabel(label);
  if (named && stated && named->experts == stated->experts &&
      named->parameters == stated->parameters) {
    return;
  }
  find({0, 0}, kName, "has {part}, but general.size_label is {label}",
       {{"part", part}, {"label", label}});
}

constexpr Rule kSizeLabelParameters = {
    "size-label-parameters",
    Severities().Upload(kNote).Spec(kNote),
    "A size label should roughly match the number of parameters.",
    "People choose a model, and estimate the memory that it needs, by the size "
    "label.",
    "Write the number of parameters, rounded.",
    "gguf.md, naming convention: the size label is the \"Parameter weight "
    "class\"."};

// Labels are rounded, count embeddings or not, and experts share some of their
// parameters: half of one expert to twice all of them is about right.
bool IsAbout(const SizeLabel& label, uint64_t parameters) {
  constexpr double kSlack = 2;
  const double count = static_cast<double>(parameters);
  const double experts =
      static_cast<double>(std::max<uint64_t>(label.experts, 1));
  return count * kSlack >= label.parameters &&
         count <= label.parameters * experts * kSlack;
}

// Returns the label in the keys, else that in the name.
absl::string_view SizeLabelOf(const Model& model) {
  const absl::string_view stated = Text(model, "general.size_label");
  return stated.empty() ? Part(model, "SizeLabel") : stated;
}

Reason OnlyWithSizeLabel(const Model& model) {
  return ParseSizeLabel(SizeLabelOf(model)) && !model.tensors().empty()
             ? Reason()
             : Reason::Silent();
}

void SizeLabelParameters(const Model& model, Finder& find) {
  const absl::string_view text = SizeLabelOf(model);
  if (!WhyNoModel(model.kind()).empty()) {
    return find.CannotCheck("the label is that of another file");
  }
  const auto parameters = CountParameters(model.tensors());
  if (!parameters) return find.CannotCheck("the parameters cannot be counted");
  if (IsAbout(*ParseSizeLabel(text), *parameters)) return;
  const bool is_stated = !Text(model, "general.size_label").empty();
  const KeyValue* kv = model.FindKey("general.size_label");
  find(is_stated ? kv->value : Range{0, 0},
       is_stated ? kv->subject().Of("value") : kName,
       "has {label}, but the tensors have {parameters} parameters",
       {{"label", text}, {"parameters", *parameters}});
}

// "v1.0" -> "1"; empty when it is not numeric.
std::string Version(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "v")) absl::ConsumePrefix(&text, "V");
  const bool numeric = !text.empty() && absl::ascii_isdigit(text.front()) &&
                       std::all_of(text.begin(), text.end(), [](char c) {
                         return absl::ascii_isdigit(c) || c == '.';
                       });
  if (!numeric) return "";
  while (absl::ConsumeSuffix(&text, ".0")) {
  }
  return std::string(text);
}

constexpr Rule kFileNameVersion = {
    "file-name-version",
    Severities().Upload(kNote).Spec(kNote),
    "The version in the file's name should match general.version.",
    "People mistake the file for an older or newer version.",
    "Rename the file, or correct general.version.",
    "gguf.md, naming convention: \"This can be derived from gguf metadata "
    "`general.version`\"."};

void FileNameVersion(const Model& model, Finder& find) {
  const absl::string_view text = Text(model, "general.version");
  if (text.empty()) return;
  const std::string version = Version(text);
  if (version.empty())
    return find.CannotCheck("general.version has no numbers");
  const absl::string_view part = Part(model, "Version");
  if (Version(part) == version) return;
  find({0, 0}, kName, "has {part}, but general.version is {version}",
       {{"part", part}, {"version", text}});
}

// Returns the tensor types that an encoding stands for; 0 if it is not known.
uint64_t TypesOfEncoding(absl::string_view encoding) {
  for (const FileType& row : kFileTypes) {
    if (absl::EqualsIgnoreCase(encoding, row.name)) return row.types;
  }
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    if (absl::EqualsIgnoreCase(encoding, type.name)) {
      return uint64_t{1} << type.id;
    }
  }
  return 0;
}

constexpr Rule kFileNameEncoding = {
    "file-name-encoding",
    Severities().Upload(kNote).Spec(kNote),
    "The encoding in the file's name should be the type of most tensors.",
    "People download the wrong quantization.",
    "Rename the file.",
    "gguf.md, naming convention: \"Indicates the weights encoding scheme that "
    "was applied to the model\"."};

Reason OnlyWithEncoding(const Model& model) {
  Reason why = OnlyByConvention(model);
  if (!why.empty()) return why;
  const absl::string_view encoding = Part(model, "Encoding");
  if (encoding.empty() || model.tensors().empty()) return Reason::Silent();
  return TypesOfEncoding(encoding) == 0 ? "the encoding is not known" : why;
}

void FileNameEncoding(const Model& model, Finder& find) {
  const absl::string_view encoding = Part(model, "Encoding");
  const Majority most = MostTensors(model.tensors(), TypesOfEncoding(encoding));
  if (most.type == nullptr || most.as_asked) return;
  find({0, 0}, kName,
       "has {encoding}, the type of {asked} of {all} matrices; {count} are "
       "{type}",
       {{"encoding", encoding},
        {"asked", most.asked},
        {"count", most.tensors},
        {"all", most.of},
        {"type", Word{most.type->name}}});
}

constexpr Rule kFileNameType = {
    "file-name-type",
    Severities().Upload(kNote).Spec(kNote),
    "LoRA, vocab or mmproj in the file's name should match the file's kind.",
    "People use the file for the wrong purpose.",
    "Rename the file, or correct general.type.",
    "gguf.md, naming convention: the type \"Indicates the kind of gguf file "
    "and the intended purpose for it\"."};

void FileNameType(const Model& model, Finder& find) {
  const absl::string_view type = Part(model, "Type");
  const GgufKind kind = model.kind().kind;
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
  if (Part(model, "Sidecar") == "mmproj" && kind != GgufKind::kProjector) {
    find({0, 0}, kName, "has mmproj, but general.type is not mmproj", {});
  }
}

constexpr Rule kFileNameShardNumber = {
    "file-name-shard-number",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kError),
    "A shard's file name should end with its number and the number of shards.",
    "llama.cpp derives the names of the other shards from that of the first, "
    "and refuses a first shard whose name has any other form.",
    "Rename the file to end with -00001-of-00003.gguf, for the first of three.",
    "gguf.md, naming convention: \"`<ShardNum>-of-<ShardTotal>`\"; llama.cpp's "
    "model loader throws \"invalid split file name\"."};

// Requires a shard without its set; shard-set-number covers those in a set.
Reason OnlyShardAlone(const Model& model) {
  return model.shard_set() == nullptr && model.hparams().may_be_shard()
             ? Reason()
             : Reason::Silent();
}

void FileNameShardNumber(const Model& model, Finder& find) {
  const Hparams& hparams = model.hparams();
  const auto count = hparams.Get(Symbol::kSplitCount);
  const auto number = hparams.Get(Symbol::kSplitNo);
  if (hparams.Key(Symbol::kSplitNo) == nullptr || !number || !count) {
    return find.CannotCheck(
        "split.no or split.count is missing or not a number");
  }
  const std::string expected = ShardSuffix(static_cast<uint64_t>(*number) + 1,
                                           static_cast<uint64_t>(*count));
  if (absl::EndsWith(model.file.name, expected)) return;
  find({0, 0}, kName, "is {name}, which does not end with {expected}",
       {{"name", model.file.name}, {"expected", Word{expected}}});
}

constexpr Rule kFileNameShardKeys = {
    "file-name-shard-keys",
    Severities().Upload(kNote).Spec(kNote),
    "A file that is named as a shard should have the keys of a shard.",
    "A reader mistakes part of the model for all of it.",
    "Rename the file, or write split.no, split.count and split.tensors.count.",
    "gguf.md, naming convention: the shard \"denotes that the model has been "
    "split into multiple shards\"."};

void FileNameShardKeys(const Model& model, Finder& find) {
  const auto name = ParseShardName(model.file.name);
  if (!name || (name->number == 1 && name->count == 1)) return;
  if (model.hparams().may_be_shard()) return;
  find({0, 0}, kName, "ends with {suffix}, but split.count is not above 1",
       {{"suffix", model.file.name.substr(name->prefix.size())}});
}

constexpr Check kConvention[] = {
    {&kFileNameConvention, Needs::kName, FileNameConvention, OnlyNamed},
};

constexpr Check kContent[] = {
    {&kFileNameBasename, Needs::kKeys, FileNameBasename, OnlyByConvention},
    {&kFileNameSizeLabel, Needs::kKeys, FileNameSizeLabel, OnlyByConvention},
    {&kSizeLabelParameters, Needs::kTensors, SizeLabelParameters,
     OnlyFirstShard, OnlyWithSizeLabel, OnlyWithAllTensors},
    {&kFileNameVersion, Needs::kKeys, FileNameVersion, OnlyByConvention},
    {&kFileNameEncoding, Needs::kTensors, FileNameEncoding, OnlyFirstShard,
     OnlyWithEncoding, OnlyWithAllTensors},
    {&kFileNameType, Needs::kTensors, FileNameType, OnlyByConvention},
    {&kFileNameShardNumber, Needs::kKeys, FileNameShardNumber, OnlyShardAlone,
     OnlyNamed},
    {&kFileNameShardKeys, Needs::kKeys, FileNameShardKeys, OnlyNamed},
};

}  // namespace

absl::Span<const Check> FileNameChecks() { return kConvention; }

absl::Span<const Check> NameContentChecks() { return kContent; }

}  // namespace gguf
