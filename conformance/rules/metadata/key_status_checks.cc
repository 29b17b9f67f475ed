// Checks of keys that are not standardized or that have a successor.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/edit_distance.h"
#include "conformance/rules/metadata/checks.h"
#include "conformance/tables/architectures.h"

namespace gguf {
namespace {

// The namespaces that the specification and llama.cpp's programs reserve,
// besides the architectures' names.
constexpr absl::string_view kNamespaces[] = {
    "adapter",  "controlvector", "general",   "imatrix",
    "quantize", "split",         "tokenizer",
};

// Returns whether keys of this namespace are checked.  Those of clip files are
// not: they are the keys of a hundred kinds of projectors.
bool IsJudged(absl::string_view first, absl::string_view architecture) {
  const auto is_first = [&](absl::string_view name) { return name == first; };
  if (std::any_of(std::begin(kNamespaces), std::end(kNamespaces), is_first)) {
    return true;
  }
  const uint16_t known = FindArchitecture(first);
  return first == architecture && first != "clip" &&
         (IsIn(known, Group::kKnown) || IsIn(known, Group::kSpec));
}

// Returns the standardized key with nearly the same spelling; empty for none.
std::string Closest(absl::string_view key, absl::string_view architecture) {
  constexpr size_t kLongest = 64;
  std::string closest;
  size_t least = 4;  // Any more is hardly a typo.
  if (key.size() > kLongest) return closest;
  for (const StandardKey& row : kStandardKeys) {
    if (row.status != KeyStatus::kCurrent) continue;
    absl::string_view own = key;
    absl::string_view standard = row.key;
    if (absl::ConsumePrefix(&standard, "{arch}") &&
        !absl::ConsumePrefix(&own, architecture)) {
      continue;
    }
    const size_t distance = EditDistance(own, standard, least);
    if (distance >= least) continue;
    least = distance;
    closest = WithArchitecture(row.key, architecture);
  }
  return closest;
}

constexpr Rule kKeyKnown = {
    "key-known",
    Severities().Upload(kNote).Spec(kNote).LlamaCpp(kNote),
    "A key in a standardized namespace should be a standardized key.",
    "No reader is known to look for any other key; such a key is often a typo, "
    "and readers use a default instead.",
    "Correct the spelling, or put the key in your own namespace.",
    "gguf.md, standardized key-value pairs: keys of the community \"should be "
    "namespaced with the relevant community name\"."};

void KeyKnown(const Model& model, Finder& find) {
  constexpr int kMostGuesses = 32;  // Each takes time.
  const absl::string_view architecture = model.hparams().architecture_name();
  int guesses = 0;
  for (const auto& [kv, row] : model.known_keys().rows()) {
    const absl::string_view key = kv.key.value;
    const size_t dot = key.find('.');
    if (dot == absl::string_view::npos || row != nullptr ||
        !IsJudged(key.substr(0, dot), architecture)) {
      continue;
    }
    std::string closest;
    if (++guesses <= kMostGuesses) closest = Closest(key, architecture);
    find(kv.at_key(),
         closest.empty()
             ? "{key} is not a standardized key"
             : "{key} is not a standardized key; did you mean {meant}?",
         {{"key", key}, {"meant", absl::string_view(closest)}});
  }
}

absl::string_view MessageOf(KeyStatus status) {
  switch (status) {
    case KeyStatus::kCurrent:
      break;
    case KeyStatus::kRetired:
      return "{key} was renamed to {successor}";
    case KeyStatus::kMisspelt:
      return "is misspelled; the specification has {successor}";
    case KeyStatus::kUnread:
      return "is not read by llama.cpp, which reads {successor}";
    case KeyStatus::kSuperseded:
      return "{key} is superseded by {successor}";
    case KeyStatus::kOlder:
      return "{key} is older than {successor}, which is recommended";
  }
  return "";
}

// Reports the keys with the status, unless their successor is present, too.
template <KeyStatus status>
void FindStatus(const Model& model, Finder& find) {
  for (const auto& [kv, row] : model.known_keys().rows()) {
    if (row == nullptr || row->status != status) continue;
    const std::string successor =
        WithArchitecture(row->successor, model.hparams().architecture_name());
    if (model.FindKey(successor) != nullptr) continue;
    find(kv.at_key(), MessageOf(status),
         {{"key", kv.key.value}, {"successor", absl::string_view(successor)}});
  }
}

constexpr Rule kKeyNotRetired = {
    "key-not-retired",
    Severities().Upload(kNote).Spec(kWarning).LlamaCpp(kNote),
    "A key should have its current name.",
    "No reader looks for the old name, so the value is lost.",
    "Write the value under the current name.",
    "gguf.md, sections General and LLM, has the current names; its first draft "
    "and a translation of early 2024 use older ones."};

constexpr Rule kKeySpelling = {
    "key-spelling",
    Severities().Upload(kNote).Spec(kNote),
    "A key should be spelt as the specification spells it.",
    "A reader that follows the specification does not find a key that is spelt "
    "differently.",
    "Write the specified key in addition to the one that llama.cpp reads.",
    "gguf.md, special tokens: \"`tokenizer.ggml.separator_token_id: uint32`: "
    "Separator token\"; llama.cpp reads and writes `seperator`."};

constexpr Rule kKeySpellingLoaded = {
    "key-spelling-loaded",
    Severities().Upload(kNote).LlamaCpp(kWarning),
    "A key should be spelt as llama.cpp reads it.",
    "llama.cpp does not find a key that is spelt differently, and uses a "
    "default.",
    "In addition to the specified key, write the one that llama.cpp reads.",
    "Not in the specification; the key names of llama.cpp, which differ from "
    "the specification's."};

constexpr Rule kKeyNotSuperseded = {
    "key-not-superseded",
    Severities().Upload(kNote).LlamaCpp(kNote),
    "A key should be the one that current writers use.",
    "Newer programs show only the new key.",
    "Write the new key as well.",
    "Not in the specification; llama.cpp's Python package has written "
    "`general.dataset.{id}` since November 2024, and now writes "
    "fill-in-the-middle tokens under new names."};

constexpr Rule kKeyRecommended = {
    "key-recommended",
    Severities().Upload(kNote).Spec(kNote).LlamaCpp(kNote),
    "The scale of the rotary embedding should be in the newer keys.",
    "The older keys can describe linear scaling only. They remain valid: the "
    "specification lists rope.scale as optional, and readers support both.",
    "Write rope.scaling.type and rope.scaling.factor.",
    "gguf.md, LLM, scaling: \"It is recommended that models use the newer keys "
    "if possible\".",
    Since("0.2.0")};

constexpr Check kChecks[] = {
    {&kKeyKnown, Needs::kKeys, KeyKnown},
    {&kKeyNotRetired, Needs::kKeys, FindStatus<KeyStatus::kRetired>},
    {&kKeySpelling, Needs::kKeys, FindStatus<KeyStatus::kMisspelt>},
    {&kKeySpellingLoaded, Needs::kKeys, FindStatus<KeyStatus::kUnread>},
    {&kKeyNotSuperseded, Needs::kKeys, FindStatus<KeyStatus::kSuperseded>},
    {&kKeyRecommended, Needs::kKeys, FindStatus<KeyStatus::kOlder>},
};

}  // namespace

absl::Span<const Check> KeyStatusChecks() { return kChecks; }

}  // namespace gguf
