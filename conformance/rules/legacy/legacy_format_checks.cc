// Checks of the format of a legacy (pre-GGUF) file.
//
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "absl/strings/str_join.h"
#include "conformance/rules/legacy/checks.h"
#include "parser/legacy/legacy_rules.h"

namespace gguf {
namespace {

constexpr Rule kFormatGguf = {
    "format-gguf",
    Severities().LlamaCpp(kError),
    "The file shall be GGUF.",
    "llama.cpp loads only GGUF.",
    "Convert the model to GGUF, or use a program that reads its format.",
    "Not in the specification; llama.cpp dropped its older formats in August "
    "2023; it never read those of whisper.cpp and rwkv.cpp."};

void FormatGguf(const Model& model, Finder& find) {
  find({0, 4}, {"file", false, 0, {}, "format"}, "is {format}, {past}",
       {{"format", Word{model.file.kind.format}},
        {"past", Word{model.file.legacy->family->support.past}}});
}

constexpr Rule kFamilyCertain = {
    "legacy-family-certain",
    Severities().Upload(kNote).Spec(kNote),
    "The family of an unversioned GGML file should be unambiguous.",
    "All families have the same magic, and some have the same layout: a reader "
    "for a different family accepts the file and misreads its numbers.",
    "Convert the model to GGUF, which names its architecture.",
    "gguf.md, historical state of affairs: \"There's no way to identify which "
    "model architecture a given model is for\"."};

void FamilyCertain(const Model& model, Finder& find) {
  std::vector<absl::string_view> others;
  for (const LegacyFamily* family : model.file.legacy->also) {
    others.push_back(family->name);
  }
  if (others.empty()) return;
  find({0, 4}, {"file", false, 0, {}, "family"},
       "is assumed to be {family}, but the file can also be read as {others}",
       {{"family", Word{model.file.legacy->family->name}},
        {"others", Word{absl::StrJoin(others, ", ")}}});
}

constexpr Check kChecks[] = {
    {&kFormatGguf, Needs::kMagic, FormatGguf, Files::kLegacy},
    {&kLegacyVersionKnown, Needs::kHeader, nullptr, Files::kLegacy},
    {&kFamilyCertain, Needs::kHeader, FamilyCertain, Files::kLegacy},
    {&kLegacyCountsFit, Needs::kKeys, nullptr, Files::kLegacy},
};

}  // namespace

absl::Span<const Check> LegacyFormatChecks() { return kChecks; }

}  // namespace gguf
