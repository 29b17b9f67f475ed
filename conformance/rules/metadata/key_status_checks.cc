// Checks of keys that are not standardized or that have a successor.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/architectures.h"

namespace gguf {
namespace {

// The namespaces that the specification and llama.cpp's programs reserve,
// besides the architectures' names.
constexpr absl::string_view kNamespaces[] = {
    "adapter", "controlvector", "general", "imatrix", "quantize", "split", "tokenizer",
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
    if (absl::ConsumePrefix(&standard, "{arch}") && !absl::ConsumePrefix(&own, architecture)) {
      continue;
    }
    const size_t distance = EditDistance(own, standard, least);
    if (distance >= least) continue;
    least = distance;
    closest = WithArchitecture(row.key, architecture);
  }
  return closest;
}

void KeyKnown(const CheckContext& context, Finder& find) {
  constexpr int kMostGuesses = 32;  // Each takes time.
  const absl::string_view architecture = context.model.hparams().architecture_name();
  int guesses = 0;
  for (const auto& [kv, row] : context.model.known_keys().rows()) {
    const absl::string_view key = kv.key.value;
    const size_t dot = key.find('.');
    if (dot == absl::string_view::npos || row != nullptr ||
        !IsJudged(key.substr(0, dot), architecture)) {
      continue;
    }
    std::string closest;
    if (++guesses <= kMostGuesses) closest = Closest(key, architecture);
    find(kv.at_key(),
         closest.empty() ? "{key} is not a standardized key"
                         : "{key} is not a standardized key; did you mean {meant}?",
         {{"key", key}, {"meant", absl::string_view(closest)}});
  }
}

// Reports the keys with the status, unless their successor is present, too.
void FindStatus(const CheckContext& context, Finder& find, KeyStatus status,
                absl::string_view message) {
  const Model& model = context.model;
  for (const auto& [kv, row] : model.known_keys().rows()) {
    if (row == nullptr || row->status != status) continue;
    const std::string successor =
        WithArchitecture(row->successor, model.hparams().architecture_name());
    if (model.FindKey(successor) != nullptr) continue;
    find(kv.at_key(), message,
         {{"key", kv.key.value}, {"successor", absl::string_view(successor)}});
  }
}

}  // namespace

constexpr RuleTable kKeyStatusRules = {
    {.id = "key-known",
     .severities = {.upload = kNote, .spec = kNote, .llama_cpp = kNote},
     .summary = "A key in a standardized namespace should be a standardized key.",
     .why = "No reader is known to look for any other key; such a key is often a typo, and readers "
            "use a default instead.",
     .repair = "Correct the spelling, or put the key in your own namespace.",
     .citation = "gguf.md, standardized key-value pairs: keys of the community \"should be "
                 "namespaced with the relevant community name\".",
     .check = KeyKnown},
    {.id = "key-not-retired",
     .severities = {.upload = kNote, .spec = kWarning, .llama_cpp = kNote},
     .summary = "A key should have its current name.",
     .why = "No reader looks for the old name, so the value is lost.",
     .repair = "Write the value under the current name.",
     .citation = "gguf.md, sections General and LLM, has the current names; its first draft and a "
                 "translation of early 2024 use older ones.",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindStatus(context, find, KeyStatus::kRetired, "{key} was renamed to {successor}");
         }},
    {.id = "key-spelling",
     .severities = {.upload = kNote, .spec = kNote},
     .summary = "A key should be spelt as the specification spells it.",
     .why =
         "A reader that follows the specification does not find a key that is spelt differently.",
     .repair = "Write the specified key in addition to the one that llama.cpp reads.",
     .citation = "gguf.md, special tokens: \"`tokenizer.ggml.separator_token_id: uint32`: "
                 "Separator token\"; llama.cpp reads and writes `seperator`.",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindStatus(context, find, KeyStatus::kMisspelt,
                      "is misspelled; the specification has {successor}");
         }},
    {.id = "key-spelling-loaded",
     .severities = {.upload = kNote, .llama_cpp = kWarning},
     .summary = "A key should be spelt as llama.cpp reads it.",
     .why = "llama.cpp does not find a key that is spelt differently, and uses a default.",
     .repair = "In addition to the specified key, write the one that llama.cpp reads.",
     .citation = "Not in the specification; the key names of llama.cpp, which differ from the "
                 "specification's.",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindStatus(context, find, KeyStatus::kUnread,
                      "is not read by llama.cpp, which reads {successor}");
         }},
    {.id = "key-not-superseded",
     .severities = {.upload = kNote, .llama_cpp = kNote},
     .summary = "A key should be the one that current writers use.",
     .why = "Newer programs show only the new key.",
     .repair = "Write the new key as well.",
     .citation =
         "Not in the specification; llama.cpp's Python package has written `general.dataset.{id}` "
         "since November 2024, and now writes fill-in-the-middle tokens under new names.",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindStatus(context, find, KeyStatus::kSuperseded, "{key} is superseded by {successor}");
         }},
    {.id = "key-recommended",
     .severities = {.upload = kNote, .spec = kNote, .llama_cpp = kNote},
     .summary = "The scale of the rotary embedding should be in the newer keys.",
     .why = "The older keys can describe linear scaling only. They remain valid: the specification "
            "lists rope.scale as optional, and readers support both.",
     .repair = "Write rope.scaling.type and rope.scaling.factor.",
     .citation =
         "gguf.md, LLM, scaling: \"It is recommended that models use the newer keys if possible\".",
     .since = "0.2.0",
     .check =
         [](const CheckContext& context, Finder& find) {
           FindStatus(context, find, KeyStatus::kOlder,
                      "{key} is older than {successor}, which is recommended");
         }},
};

}  // namespace gguf
