// What readers require of general.architecture.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/sections.h"
#include "conformance/rules/tables/architectures.h"

namespace gguf {
namespace {

constexpr Rule kArchitectureKnown = {
    "architecture-known",
    ByProfile("W-E-"),
    "general.architecture shall be a name that llama.cpp knows.",
    "llama.cpp refuses to load an architecture that it does not know.",
    "Correct the spelling; for a new architecture, use a reader that has it.",
    "No norm: llama.cpp's list of architectures, August 2026."};

void ArchitectureKnown(const Model& model, Finder& find) {
  const KeyValue* kv = model.file.Find("general.architecture");
  if (kv == nullptr) return find.CannotCheck("general.architecture is missing");
  const auto name = model.file.String(*kv);
  if (!name) return find.CannotCheck("general.architecture is not a string");
  if (IsIn(model.hparams().architecture(), Group::kKnown)) return;
  find(kv->value, kv->subject().Of("value"), "is {name}", {{"name", *name}});
}

constexpr Check kChecks[] = {
    {&kArchitectureKnown, Needs::kKeys, ArchitectureKnown},
};

}  // namespace

absl::Span<const Check> ArchitectureChecks() { return kChecks; }

}  // namespace gguf
