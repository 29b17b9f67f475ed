// What is required of general.architecture.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "conformance/rules/sections.h"
#include "conformance/rules/tables/architectures.h"

namespace gguf {
namespace {

constexpr char kKey[] = "general.architecture";

// The name, when it can be looked at; otherwise other rules speak, or nobody
// has to.  In a later shard, that is shard-set-architecture.
std::optional<absl::string_view> NameOf(const Model& model, Finder& find) {
  if (!model.is_whole()) return std::nullopt;
  const KeyValue* kv = model.FindKey(kKey);
  if (kv == nullptr) {
    find.CannotCheck("general.architecture is missing");
    return std::nullopt;
  }
  const auto name = model.file.String(*kv);
  if (!name) find.CannotCheck("general.architecture is not a string");
  if (name && name->empty()) find.CannotCheck("general.architecture is empty");
  return name && !name->empty() ? name : std::nullopt;
}

// Reports the architecture's name.
void ReportName(const Model& model, Finder& find, absl::string_view format) {
  const KeyValue* kv = model.FindKey(kKey);
  find(kv->value, kv->subject().Of("value"), format,
       {{"name", *model.file.String(*kv)}});
}

constexpr Rule kArchitecturePresent = {
    "architecture-present",
    ByProfile("EEEE"),
    "A file shall have general.architecture, and it shall not be empty.",
    "Without it no reader knows which keys and tensors to look for; some have "
    "crashed over it (CVE-2025-0312).  Shards after the first and importance "
    "matrices need none.",
    "Convert the model again, or add the key with the model's architecture.",
    "gguf.md, standardized key-value pairs, \"Required\": "
    "general.architecture \"describes what architecture this model "
    "implements\"."};

void ArchitecturePresent(const Model& model, Finder& find) {
  const File& file = model.file;
  const KeyValue* kv = model.FindKey(kKey);
  if (kv != nullptr) {
    if (model.file.String(*kv) == absl::string_view()) {
      find(kv->value, kv->subject().Of("value"), "is empty", {});
    }
    return;
  }
  // The keys that were not read may have it.
  if (file.progress < Progress::kKeys) return;
  if (!model.is_whole() || model.kind().kind == GgufKind::kImportanceMatrix ||
      model.hparams().Get(Symbol::kSplitNo).value_or(0) > 0) {
    return;
  }
  find(file.key_count.where, Subject{"header"}.Of("metadata_kv_count"),
       "none of the {count} keys is general.architecture",
       {{"count", file.key_count.value}});
}

constexpr Rule kArchitectureString = {
    "architecture-string",
    ByProfile("EEEE"),
    "general.architecture shall be a string.",
    "Readers refuse any other type, or take its bytes for a string's.",
    "Write the architecture's name as a string.",
    "gguf.md, standardized key-value pairs: \"general.architecture: string\"."};

void ArchitectureString(const Model& model, Finder& find) {
  const KeyValue* kv = model.FindKey(kKey);
  if (kv == nullptr) return;  // architecture-present.
  if (kv->type->kind == ValueKind::kString) return;
  find(kv->type_where(), kv->subject().Of("type"), "is {type}",
       {{"type", Word{kv->type->name}}});
}

bool HasGrammar(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(c) || absl::ascii_isdigit(c);
  });
}

constexpr Rule kArchitectureGrammar = {
    "architecture-grammar",
    ByProfile("-E--"),
    "An architecture's name shall consist of lower-case letters and digits.",
    "The name is the first segment of the model's keys.",
    "Choose a name without other characters.",
    "gguf.md, general.architecture: \"All lowercase ASCII, with only "
    "`[a-z0-9]+` characters allowed\"."};

void ArchitectureGrammar(const Model& model, Finder& find) {
  const auto name = NameOf(model, find);
  if (!name || HasGrammar(*name)) return;
  if (IsIn(FindArchitecture(*name), Group::kKnown)) return;
  ReportName(model, find, "is {name}");
}

constexpr Rule kArchitectureGrammarKnown = {
    "architecture-grammar-known",
    ByProfile("-W--"),
    "The name of an architecture that llama.cpp knows should consist of "
    "lower-case letters and digits, too.",
    "The specification forbids dashes and underscores, but a quarter of "
    "llama.cpp's architectures have them.",
    "None is needed: readers look for the name as it is.",
    "gguf.md, general.architecture: \"only `[a-z0-9]+` characters allowed\"; "
    "llama.cpp's names break it."};

void ArchitectureGrammarKnown(const Model& model, Finder& find) {
  const auto name = NameOf(model, find);
  if (!name || HasGrammar(*name)) return;
  if (!IsIn(FindArchitecture(*name), Group::kKnown)) return;
  ReportName(model, find, "is {name}");
}

constexpr Rule kArchitectureKnown = {
    "architecture-known",
    ByProfile("WNE-"),
    "general.architecture should be a name that llama.cpp knows.",
    "llama.cpp refuses to load an architecture that it does not know.",
    "Correct the spelling; for a new architecture, use a reader that has it.",
    "No norm: llama.cpp's list of architectures, August 2026."};

// That of a language model, or of an adapter of one.
bool IsForLanguage(const Model& model) {
  const GgufKind kind = model.kind().kind;
  return kind != GgufKind::kImageModel && kind != GgufKind::kControlVector;
}

void ArchitectureKnown(const Model& model, Finder& find) {
  const auto name = NameOf(model, find);
  if (!name || IsIn(FindArchitecture(*name), Group::kKnown)) return;
  if (!IsForLanguage(model)) return;
  ReportName(model, find, "is {name}");
}

constexpr Rule kArchitectureLoadable = {
    "architecture-loadable",
    ByProfile("W-E-"),
    "llama.cpp shall be able to load models of the architecture.",
    "llama.cpp knows the name, but has no code for such a model and refuses "
    "it.",
    "Use a reader that has the architecture.",
    "No norm: the model classes of llama.cpp, August 2026."};

void ArchitectureLoadable(const Model& model, Finder& find) {
  const auto name = NameOf(model, find);
  if (!name || *name == "clip") return;  // Of projectors, which others load.
  const uint16_t architecture = FindArchitecture(*name);
  if (!IsIn(architecture, Group::kKnown)) return;  // architecture-known.
  if (IsIn(architecture, Group::kLoader)) return;
  ReportName(model, find, "is {name}, which llama.cpp cannot load");
}

constexpr Rule kArchitectureOfLanguage = {
    "architecture-of-language-model",
    ByProfile("--E-"),
    "For llama.cpp, general.architecture shall be that of a language model.",
    "llama.cpp does not run image models and refuses the file.",
    "Use a program for image models.",
    "No norm: llama.cpp's list of architectures has none of images."};

void ArchitectureOfLanguage(const Model& model, Finder& find) {
  const auto name = NameOf(model, find);
  if (!name || model.kind().kind != GgufKind::kImageModel) return;
  ReportName(model, find, "is {name}, an image model");
}

constexpr Check kChecks[] = {
    {&kArchitecturePresent, Needs::kKeys, ArchitecturePresent},
    {&kArchitectureString, Needs::kKeys, ArchitectureString},
    {&kArchitectureGrammar, Needs::kKeys, ArchitectureGrammar},
    {&kArchitectureGrammarKnown, Needs::kKeys, ArchitectureGrammarKnown},
    {&kArchitectureKnown, Needs::kKeys, ArchitectureKnown},
    {&kArchitectureLoadable, Needs::kKeys, ArchitectureLoadable},
    {&kArchitectureOfLanguage, Needs::kKeys, ArchitectureOfLanguage},
};

}  // namespace

absl::Span<const Check> ArchitectureChecks() { return kChecks; }

}  // namespace gguf
