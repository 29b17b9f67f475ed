// Checks of general.architecture.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/ascii.h"
#include "conformance/rules/architecture/checks.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/tables_version.h"
#include "conformance/tables/architectures.h"

namespace gguf {
namespace {

constexpr char kKey[] = "general.architecture";

// Requires the name of an architecture; shard-set-architecture covers later
// shards.
Reason OnlyWithName(const Model& model) {
  if (!model.is_whole()) return Reason::Silent();
  const KeyValue* kv = model.FindKey(kKey);
  if (kv == nullptr) return "general.architecture is missing";
  const auto name = model.file.String(*kv);
  if (!name) return "general.architecture is not a string";
  return name->empty() ? "general.architecture is empty" : Reason();
}

absl::string_view NameOf(const Model& model) {
  return *model.file.String(*model.FindKey(kKey));
}

// Reports the architecture's name.
void ReportName(const Model& model, Finder& find, absl::string_view format) {
  find(model.FindKey(kKey)->at_value(), format, {{"name", NameOf(model)}});
}

constexpr Rule kArchitecturePresent = {
    "architecture-present",
    Everywhere(kError),
    "A file shall have a non-empty general.architecture; only importance "
    "matrices, image models and shards after the first may lack the key.",
    "Without it, no reader knows which keys and tensors to look for; some have "
    "crashed (CVE-2025-0312).",
    "Convert the model again, or add the key with the model's architecture.",
    "gguf.md, standardized key-value pairs, \"Required\": "
    "general.architecture \"describes what architecture this model "
    "implements\"."};

void ReportMissing(const File& file, Finder& find) {
  find(file.key_count.where, Subject{"header"}.Of("metadata_kv_count"),
       "is {count}: missing key general.architecture",
       {{"count", file.key_count.value}});
}

void ArchitecturePresent(const Model& model, Finder& find) {
  const File& file = model.file;
  const KeyValue* kv = model.FindKey(kKey);
  if (kv != nullptr) {
    if (file.String(*kv) == "") find(kv->at_value(), "is empty", {});
    return;
  }
  // It may be among the keys that were not read.
  if (file.progress < Progress::kKeys) return;
  const GgufKind kind = model.kind().kind;
  if (!model.is_whole() || kind == GgufKind::kImportanceMatrix ||
      kind == GgufKind::kImageModel ||
      model.hparams().Get(Symbol::kSplitNo).value_or(0) > 0) {
    return;
  }
  ReportMissing(file, find);
}

constexpr Rule kImageArchitecturePresent = {
    "image-architecture-present",
    Severities().Upload(kNote).Spec(kError).LlamaCpp(kError),
    "An image model, too, shall have general.architecture.",
    "stable-diffusion.cpp writes no keys. Both stable-diffusion.cpp and "
    "ComfyUI-GGUF recognize files without keys by their tensors; other readers "
    "cannot tell what such a file contains.",
    "Add the key with the model's architecture, such as flux or sdxl.",
    "gguf.md, standardized key-value pairs, \"Required\": "
    "general.architecture.",
    Since("0.2.0")};

void ImageArchitecturePresent(const Model& model, Finder& find) {
  if (model.FindKey(kKey) == nullptr) ReportMissing(model.file, find);
}

constexpr Rule kArchitectureString = {
    "architecture-string",
    Everywhere(kError),
    "general.architecture shall be a string.",
    "Readers refuse a value of any other type, or interpret its bytes as a "
    "string.",
    "Write the architecture's name as a string.",
    "gguf.md, standardized key-value pairs: \"general.architecture: string\"."};

void ArchitectureString(const Model& model, Finder& find) {
  const KeyValue* kv = model.FindKey(kKey);
  // architecture-present reports a missing one.
  if (kv == nullptr || kv->type->kind == ValueKind::kString) return;
  find(kv->type_where(), kv->subject().Of("type"), "is {type}",
       {{"type", Word{kv->type->name}}});
}

// Reports a name with other characters, a known or an unknown one.
template <bool known>
void FindBadName(const Model& model, Finder& find) {
  const absl::string_view name = NameOf(model);
  const bool has_grammar = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c);
  });
  if (!has_grammar && IsIn(FindArchitecture(name), Group::kKnown) == known) {
    ReportName(model, find, "is {name}");
  }
}

constexpr Rule kArchitectureGrammar = {
    "architecture-grammar",
    Severities().Spec(kError),
    "An architecture's name shall consist of lower-case letters and digits.",
    "The name is the first segment of the model's keys.",
    "Choose a name of lower-case letters and digits only.",
    "gguf.md, general.architecture: \"All lowercase ASCII, with only "
    "`[a-z0-9]+` characters allowed\"."};

constexpr Rule kArchitectureGrammarKnown = {
    "architecture-grammar-known",
    Severities().Spec(kWarning),
    "Even the name of an architecture that llama.cpp knows should consist only "
    "of lower-case letters and digits.",
    "The specification forbids dashes and underscores in the name, but a "
    "quarter of llama.cpp's architectures have them.",
    "No change is needed: readers look for the name as it is.",
    "gguf.md, general.architecture: \"only `[a-z0-9]+` characters allowed\"; "
    "llama.cpp's names violate it."};

constexpr Rule kArchitectureKnown = {
    "architecture-known",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kError),
    "general.architecture should be a name that llama.cpp or the specification "
    "knows.",
    "llama.cpp refuses to load an architecture that it does not know.",
    "Correct the spelling. If the architecture is new, a newer llama.cpp may "
    "know it, and a newer ggufcheck may be able to check its models. The "
    "message names the version of llama.cpp that the tables of this ggufcheck "
    "follow.",
    "Not in the specification; the architectures of llama.cpp v0.5.0."};

void ArchitectureKnown(const Model& model, Finder& find) {
  const uint16_t architecture = FindArchitecture(NameOf(model));
  // architecture-loadable reports names that only the specification has.
  if (IsIn(architecture, Group::kKnown) || IsIn(architecture, Group::kSpec)) {
    return;
  }
  // These are not of language models, nor adapters for one.
  const GgufKind kind = model.kind().kind;
  if (kind == GgufKind::kImageModel || kind == GgufKind::kControlVector ||
      kind == GgufKind::kSpeechModel) {
    return;
  }
  find(model.FindKey(kKey)->at_value(),
       "is {name}, which llama.cpp {known} does not know; to check models of a "
       "newer architecture, update ggufcheck",
       {{"name", NameOf(model)}, {"known", Word{TablesVersion()}}});
}

constexpr Rule kArchitectureLoadable = {
    "architecture-loadable",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "The architecture shall be one that llama.cpp can load.",
    "llama.cpp has no code for models of this architecture and refuses them, "
    "although llama.cpp or the specification lists the name.",
    "Use a reader that supports the architecture.",
    "Not in the specification; the model classes of llama.cpp v0.5.0."};

void ArchitectureLoadable(const Model& model, Finder& find) {
  if (NameOf(model) == "clip") return;  // Projectors have another loader.
  const uint16_t architecture = FindArchitecture(NameOf(model));
  // architecture-known reports the others.
  if (!IsIn(architecture, Group::kKnown) && !IsIn(architecture, Group::kSpec)) {
    return;
  }
  if (IsIn(architecture, Group::kLoader)) return;
  ReportName(model, find, "is {name}, which llama.cpp cannot load");
}

constexpr Rule kArchitectureOfLanguage = {
    "architecture-of-language-model",
    Severities().LlamaCpp(kError),
    "general.architecture shall be the architecture of a language model.",
    "llama.cpp runs no image models and few speech models, and refuses the "
    "others.",
    "Use a program that runs such models.",
    "Not in the specification; llama.cpp's list of architectures contains none "
    "for image models and none of TTS.cpp's."};

void ArchitectureOfLanguage(const Model& model, Finder& find) {
  const GgufKind kind = model.kind().kind;
  if (kind == GgufKind::kImageModel) {
    return ReportName(model, find, "is {name}, an image model");
  }
  // architecture-loadable reports the names that llama.cpp knows.
  const uint16_t architecture = FindArchitecture(NameOf(model));
  if (kind == GgufKind::kSpeechModel && !IsIn(architecture, Group::kKnown) &&
      !IsIn(architecture, Group::kSpec)) {
    ReportName(model, find, "is {name}, a speech model");
  }
}

constexpr Check kChecks[] = {
    {&kArchitecturePresent, Needs::kKeys, ArchitecturePresent},
    {&kImageArchitecturePresent, Needs::kKeys, ImageArchitecturePresent,
     OnlyKind<GgufKind::kImageModel>},
    {&kArchitectureString, Needs::kKeys, ArchitectureString},
    {&kArchitectureGrammar, Needs::kKeys, FindBadName<false>, OnlyWithName},
    {&kArchitectureGrammarKnown, Needs::kKeys, FindBadName<true>, OnlyWithName},
    {&kArchitectureKnown, Needs::kKeys, ArchitectureKnown, OnlyWithName},
    {&kArchitectureLoadable, Needs::kKeys, ArchitectureLoadable, OnlyWithName},
    {&kArchitectureOfLanguage, Needs::kKeys, ArchitectureOfLanguage,
     OnlyWithName},
};

}  // namespace

absl::Span<const Check> ArchitectureChecks() { return kChecks; }

}  // namespace gguf
