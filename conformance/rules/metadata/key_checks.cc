// Checks of metadata keys, as the format and its readers require them.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "conformance/base/limits.h"
#include "conformance/base/name_hash.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/architectures.h"

namespace gguf {
namespace {

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), absl::ascii_isascii);
}

bool HasNul(absl::string_view text) { return text.find('\0') != absl::string_view::npos; }

// Reports the keys that `is_wrong` holds for; `message` shows {key}.
template <class Predicate>
void FindKeys(const Model& model, Finder& find, absl::string_view message, Predicate is_wrong) {
  for (const KeyValue& kv : model.file.keys) {
    const absl::string_view key = kv.key.value;
    if (is_wrong(key)) find(kv.at_key(), message, {{"key", key}});
  }
}

void KeyUnique(const CheckContext& context, Finder& find) {
  const std::vector<KeyValue>& keys = context.model.file.keys;
  const auto name = [&](uint32_t i) { return keys[i].key.value; };
  const auto hash = [&](uint32_t i) { return NameHash()(name(i)); };
  const auto equal = [&](uint32_t i, uint32_t j) { return name(i) == name(j); };
  // Indexes, which are shorter than names.
  absl::flat_hash_set<uint32_t, decltype(hash), decltype(equal)> seen(0, hash, equal);
  seen.reserve(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    PollDeadline();
    const auto [first, is_new] = seen.insert(i);
    if (is_new || name(i).empty()) continue;
    find(keys[i].at_key(), "is a duplicate (entries {first} and {index})",
         {{"index", i}, {"first", *first}});
  }
}

constexpr uint64_t kMostKeyBytes = 65535;

// Returns whether the key is segments of lower-case letters, digits and
// underscores, separated by dots.  Segments of digits alone are fine: the
// specification itself uses them.
bool IsLowerSnakeCase(absl::string_view key) {
  bool segment_empty = true;
  for (const char c : key) {
    if (c == '.' && segment_empty) return false;
    segment_empty = c == '.';
    if (c != '.' && c != '_' && !absl::ascii_islower(c) && !absl::ascii_isdigit(c)) {
      return false;
    }
  }
  return !segment_empty;
}

// Returns whether the segments are ones that a program may really write:
// printable, without spaces.
bool HasPlainSegments(absl::string_view key) {
  return std::all_of(key.begin(), key.end(), absl::ascii_isgraph) &&
         !absl::StrContains(key, "..") && !absl::EndsWith(key, ".");
}

// Keys in wide use that end in a freely chosen name.
constexpr absl::string_view kKnownPrefixes[] = {
    "tokenizer.chat_template.",
    "comfy.gguf.orig_shape.",
};

// Returns whether real programs write the key as it is: below a known prefix,
// or lower_snake_case except for its first segment, which is the name of the
// file's own architecture or of a known one.
bool IsKnownKey(absl::string_view key, absl::string_view architecture) {
  if (!HasPlainSegments(key)) return false;
  for (const absl::string_view prefix : kKnownPrefixes) {
    if (absl::StartsWith(key, prefix)) return true;
  }
  const absl::string_view first = key.substr(0, key.find('.'));
  return !first.empty() && first.size() < key.size() &&
         IsLowerSnakeCase(key.substr(first.size() + 1)) &&
         (first == architecture || IsIn(FindArchitecture(first), Group::kKnown));
}

// Reports keys with bad segments, the known or the unknown ones.  Keys that are
// empty, not ASCII or contain NUL have rules of their own.
template <bool known>
void FindBadSegments(const CheckContext& context, Finder& find) {
  absl::string_view architecture;
  if (const KeyValue* kv = context.model.file.Find("general.architecture")) {
    architecture = context.model.file.String(*kv).value_or("");
  }
  FindKeys(context.model, find, "{key} has a segment that is not lower_snake_case",
           [&](absl::string_view key) {
             return !IsLowerSnakeCase(key) && !key.empty() && IsAscii(key) && !HasNul(key) &&
                    IsKnownKey(key, architecture) == known;
           });
}

}  // namespace

constexpr RuleTable kKeyRules = {
    {.id = "key-not-empty",
     .severities = Everywhere(kError),
     .summary = "A key shall not be empty.",
     .why = "llama.cpp refuses the file; until July 2026 it aborted.",
     .repair = "Name the key or leave it out.",
     .citation = "gguf.md, gguf_metadata_kv_t: a key has segments in `lower_snake_case`; ggml's "
                 "gguf.cpp refuses an empty one.",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyValue& kv : context.model.file.keys) {
             if (kv.key.value.empty()) find(kv.at_key(), "is empty", {});
           }
         }},
    {.id = "key-unique",
     .severities = Everywhere(kError),
     .summary = "No two keys shall be the same.",
     .why = "Some readers use the first value, some the last, and some refuse the file: different "
            "readers see different models.",
     .repair = "Remove all but one of them.",
     .citation = "gguf.md is silent; ggml's gguf.cpp refuses the file.",
     .scope = Scope::kContainer,
     .check = KeyUnique},
    {.id = "key-length",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kNote},
     .summary = "A key shall be at most 65535 bytes long.",
     .why = "Readers may store the length in 16 bits.",
     .repair = "Shorten the key.",
     .citation = "gguf.md, gguf_metadata_kv_t: \"It must be at most 2^16-1/65535 bytes long\".",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           for (const KeyValue& kv : context.model.file.keys) {
             const uint64_t length = kv.key.value.size();
             if (length <= kMostKeyBytes) continue;
             find(kv.at_key(), "is {length} bytes long, more than 65535", {{"length", length}});
           }
         }},
    {.id = "key-ascii",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kNote},
     .summary = "A key shall be ASCII.",
     .why = "Keys that look the same but differ in their bytes can be confused.",
     .repair = "Name the key in ASCII.",
     .citation = "gguf.md, gguf_metadata_kv_t: \"It must be a valid ASCII string\".",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindKeys(context.model, find, "{key} is not ASCII", std::not_fn(IsAscii));
         }},
    {.id = "key-no-nul",
     .severities = {.upload = kError, .spec = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "A key shall not contain a NUL byte.",
     .why = "Readers in C stop at the NUL and see a different key: general.alignment followed by "
            "NUL and anything else sets the alignment for these readers alone.",
     .repair = "Remove the NUL.",
     .citation = "gguf.md is silent; ggml's gguf_find_key compares up to the first NUL.",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindKeys(context.model, find, "{key} contains a NUL byte", HasNul);
         }},
    {.id = "key-lower-snake-case",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kNote},
     .summary = "A key shall consist of segments in lower_snake_case, separated by dots.",
     .why = "Readers and tools look keys up by their exact spelling.",
     .repair = "Rename the key so that its segments consist of lower-case letters, digits and "
               "underscores.",
     .citation = "gguf.md, gguf_metadata_kv_t: \"each segment is `lower_snake_case` and separated "
                 "by a `.`\".",
     .scope = Scope::kContainer,
     .check = FindBadSegments<false>},
    {.id = "key-lower-snake-case-known",
     .severities = {.spec = kWarning},
     .summary = "Even a key in common use should consist of segments in lower_snake_case.",
     .why = "The specification requires this of all keys, but converters write keys that violate "
            "it, such as those of an architecture with a dash in its name.",
     .repair = "No change is needed: readers look for the key as it is.",
     .citation = "gguf.md, gguf_metadata_kv_t: \"each segment is `lower_snake_case`\"; llama.cpp's "
                 "architecture names violate it.",
     .unbreakable = "it requires a known architecture with upper-case letters or dashes",
     .scope = Scope::kContainer,
     .check = FindBadSegments<true>},
    {.id = "key-plain",
     .severities = {.upload = kWarning, .safety = kWarning},
     .summary = "A key should contain no control characters.",
     .why = "A program that prints the key sends the control characters to the user's terminal.",
     .repair = "Remove the control characters.",
     .citation = "Not in the specification as such; lower_snake_case, which gguf.md requires, "
                 "excludes control characters: see key-ascii and key-lower-snake-case.",
     .implied_by = {"key-lower-snake-case", "key-lower-snake-case-known"},
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindKeys(context.model, find, "{key} contains control characters",
                    [](absl::string_view key) {
                      return std::any_of(key.begin(), key.end(), [](char c) {
                        return c != '\0' && absl::ascii_iscntrl(c);  // key-no-nul.
                      });
                    });
         }},
    {.id = "key-namespaced",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A key should begin with a namespace, followed by a dot.",
     .why = "Keys without a namespace can collide with those of other projects.",
     .repair = "Put the name of the project or community before the key: example.key.",
     .citation = "gguf.md, standardized key-value pairs: keys of the community \"should be "
                 "namespaced with the relevant community name\".",
     .scope = Scope::kContainer,
     .check =
         [](const CheckContext& context, Finder& find) {
           FindKeys(context.model, find, "{key} has no namespace", [](absl::string_view key) {
             return !key.empty() && !absl::StrContains(key, '.');
           });
         }},
};

}  // namespace gguf
