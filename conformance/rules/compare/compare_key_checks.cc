// Checks that a file has the keys of its origin.  No built-in profile turns
// these rules on; `ggufcheck compare` does.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"
#include "conformance/compare/comparison.h"
#include "conformance/compare/origin.h"
#include "conformance/compare/values.h"
#include "conformance/model/hparams.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

// Stands for the file's architecture in keys of a source.
constexpr char kArch[] = "{arch}";

// Reports that the file lacks a key, which has a value in `of`.
void Missing(const Model& model, absl::string_view key, absl::string_view of, Arg::Value value,
             Finder& find) {
  find(AbsentKey(model, key), absl::StrCat("is missing, but ", of, " has {value}"),
       {{"key", key}, {"value", std::move(value)}});
}

// Reports long texts whose first difference a quoted beginning does not show,
// and returns true; or returns false.
bool DiffersLate(const Location& at, const ValueDifference& difference, absl::string_view of,
                 Finder& find) {
  const auto* found = std::get_if<absl::string_view>(&difference.found);
  const auto* wanted = std::get_if<absl::string_view>(&difference.wanted);
  if (found == nullptr || wanted == nullptr) return false;
  // Bytes that are shown before the difference.
  constexpr size_t kContext = 24;
  static_assert(kContext + 3 <= kQuotedBytes / 2, "the context begins in the text");
  const size_t longest = std::max(found->size(), wanted->size());
  size_t byte = 0;
  while (byte < std::min(found->size(), wanted->size()) && (*found)[byte] == (*wanted)[byte]) {
    ++byte;
  }
  if (longest <= kQuotedBytes || byte < kQuotedBytes / 2) return false;
  size_t from = byte - kContext;
  // At the first byte of a character, which has at most four.
  while (from > byte - kContext - 3 && ((*found)[from] & 0xC0) == 0x80) --from;
  find(at,
       absl::StrCat(
           "differs from byte {byte} on; from byte {from} on, it is {found}, but {wanted} in ", of),
       {{"byte", byte},
        {"from", from},
        {"found", found->substr(from)},
        {"wanted", wanted->substr(from)}});
  return true;
}

// Reports a key with another value than `of` has.
void Differs(const KeyValue& kv, const ValueDifference& difference, absl::string_view of,
             Finder& find) {
  const Subject value = kv.subject().Of("value");
  const bool is_element = difference.kind == ValueDifference::kElement;
  const Location at = {kv.value, is_element ? value.At(difference.element) : value};
  if (DiffersLate(at, difference, of, find)) return;
  const Arg found = {"found", difference.found};
  const Arg wanted = {"wanted", difference.wanted};
  switch (difference.kind) {
    case ValueDifference::kLength:
      return find(at, absl::StrCat("has {found element|elements}, but {wanted} in ", of),
                  {found, wanted});
    case ValueDifference::kElement:
    case ValueDifference::kType:
    case ValueDifference::kValue:
      return find(at, absl::StrCat("is {found}, but {wanted} in ", of), {found, wanted});
  }
}

// Returns whether a key is named after an architecture.
bool IsNamedAfter(absl::string_view key, absl::string_view architecture) {
  return !architecture.empty() && absl::ConsumePrefix(&key, architecture) &&
         absl::StartsWith(key, ".");
}

// Keys named after an architecture are not compared if it is another one:
// compare-hparams-equal reports that of general.architecture.
constexpr char kOtherArchitecture[] = "the architecture is not that of the origin";
bool HasKeysOfArchitecture(CompareGroup group) {
  return group == CompareGroup::kHparams || group == CompareGroup::kRope;
}

// Compares the keys of a group with those of a GGUF origin.
void CompareWithModel(const Model& model, const Origin& origin, CompareGroup group, Finder& find) {
  constexpr char kOf[] = "the base";
  const Model& other = *origin.model();
  const auto is_of_group = [&](const KeyValue& kv) {
    return GroupOf(kv.key.value, origin.architecture()) == group;
  };
  const bool is_other = model.hparams().architecture_name() != origin.architecture();
  if (is_other && HasKeysOfArchitecture(group)) {
    find.CannotCheck(kOtherArchitecture);
  }
  for (const KeyValue& wanted : other.file.keys) {
    if (!is_of_group(wanted)) continue;
    if (is_other && IsNamedAfter(wanted.key.value, origin.architecture())) {
      continue;
    }
    const KeyValue* kv = model.FindKey(wanted.key.value);
    if (kv == nullptr) {
      Missing(model, wanted.key.value, kOf, ShownValue(other.file, wanted), find);
      continue;
    }
    const auto difference = CompareValues(model.file, *kv, other.file, wanted);
    if (difference) Differs(*kv, *difference, kOf, find);
  }
  for (const KeyValue& kv : model.file.keys) {
    if (!is_of_group(kv) || other.FindKey(kv.key.value) != nullptr) continue;
    find(kv.at_key(), "is not in the base", {});
  }
}

// Requires the end of text, or of turn, to be one of those of the source.
void CheckEnds(const Model& model, const SourceModel& source, Finder& find) {
  const std::vector<int64_t>& ends = source.end_tokens;
  const KeyValue* first = nullptr;
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"}) {
    const KeyValue* kv = model.FindKey(key);
    const auto id = kv != nullptr ? IntegerOf(model.file, *kv) : std::nullopt;
    if (id && std::count(ends.begin(), ends.end(), *id) > 0) return;
    if (first == nullptr && id) first = kv;
  }
  if (ends.empty() || first == nullptr) return;
  find(first->at_value(),
       "is {found}, but the source (generation_config.json: eos_token_id) has {wanted}",
       {{"found", *IntegerOf(model.file, *first)},
        {"wanted", Trusted{absl::StrJoin(ends, " or ")}}});
}

// Returns the difference from the value of a source, or nothing if the file has
// this or another value that converters write.
std::optional<ValueDifference> CompareWithKey(const Model& model, const KeyValue& kv,
                                              const SourceModel::Key& wanted) {
  auto difference = CompareValues(model.file, kv, wanted.value);
  for (const SourceValue& also : wanted.also) {
    if (difference && !CompareValues(model.file, kv, also)) difference.reset();
  }
  return difference;
}

// Returns whether the converter of an unknown architecture may have written the
// value: a number for each block, 0 for one that does not apply, or a number of
// blocks that includes those for prediction.
bool MayBeOfUnknown(const Model& model, const KeyValue& kv, const SourceModel::Key& wanted) {
  if (!absl::StartsWith(wanted.key, kArch)) return false;
  if (kv.element_type != nullptr) return true;
  const auto found = IntegerOf(model.file, kv);
  if (found && *found == 0) return true;
  const auto* blocks = std::get_if<int64_t>(&wanted.value);
  const KeyValue* key =
      model.FindKey(absl::StrCat(model.hparams().architecture_name(), ".nextn_predict_layers"));
  if (wanted.key != "{arch}.block_count" || blocks == nullptr || key == nullptr) {
    return false;
  }
  const auto more = IntegerOf(model.file, *key);
  return found && more && *found >= *more && *found - *more == *blocks;
}

// Compares the tokens with those of the source.
void CheckTokens(const Model& model, const SourceModel& source, Finder& find) {
  constexpr char kTokens[] = "tokenizer.ggml.tokens";
  if (!source.tokens) return;
  const std::string of = absl::StrCat("the source (", source.tokens->from, ")");
  const KeyValue* kv = model.FindKey(kTokens);
  if (kv == nullptr) {
    const std::string shown = absl::StrCat("an array of length ", source.tokens->texts.size());
    return Missing(model, kTokens, of, Trusted{shown}, find);
  }
  const auto difference = CompareTokens(model.file, *kv, *source.tokens);
  if (difference) Differs(*kv, *difference, of, find);
}

// Reports the keys of a group that no converter writes for the source.
void CheckAbsent(const Model& model, const SourceModel& source, CompareGroup group, Finder& find) {
  const absl::string_view architecture = source.architecture;
  for (const KeyValue& kv : model.file.keys) {
    const absl::string_view key = kv.key.value;
    if (GroupOf(key, architecture) != group) continue;
    if (!IsNamedAfter(key, architecture)) continue;
    const std::string plain = absl::StrCat(kArch, key.substr(architecture.size()));
    for (const std::string& pattern : source.absent_keys) {
      if (!MatchesGlob(plain, pattern)) continue;
      find(kv.at_key(), "is not in the source", {});
    }
  }
}

// Compares the keys of a group with those that follow from the source.
void CompareWithSource(const Model& model, const SourceModel& source, CompareGroup group,
                       Finder& find) {
  const absl::string_view architecture = model.hparams().architecture_name();
  const bool is_unknown = source.architecture.empty();
  const bool is_other = !is_unknown && source.architecture != architecture;
  for (const SourceModel::Key& wanted : source.keys) {
    if (is_other && absl::StartsWith(wanted.key, kArch)) continue;
    const std::string key = absl::StrReplaceAll(wanted.key, {{kArch, architecture}});
    if (GroupOf(key, architecture) != group) continue;
    const std::string of = absl::StrCat("the source (", wanted.from, ")");
    const KeyValue* kv = model.FindKey(key);
    if (kv == nullptr) {
      if (!wanted.may_lack) Missing(model, key, of, ShownValue(wanted.value), find);
      continue;
    }
    const auto difference = CompareWithKey(model, *kv, wanted);
    if (!difference) continue;
    if (is_unknown && MayBeOfUnknown(model, *kv, wanted)) continue;
    Differs(*kv, *difference, of, find);
  }
  CheckAbsent(model, source, group, find);
  if (group == CompareGroup::kTokenizer) CheckTokens(model, source, find);
  if (group == CompareGroup::kSpecial) CheckEnds(model, source, find);
  std::vector<absl::string_view> reasons;
  if (is_other && HasKeysOfArchitecture(group)) {
    reasons.push_back(kOtherArchitecture);
  }
  for (const auto& [of_group, why] : source.not_compared) {
    if (of_group == group) reasons.push_back(why);
  }
  if (!reasons.empty()) find.CannotCheck(absl::StrJoin(reasons, "; "));
}

template <CompareGroup group>
void KeysEqual(const CheckContext& context, Finder& find) {
  const Origin& origin = *context.comparison->origin;
  if (origin.model() != nullptr) {
    CompareWithModel(context.model, origin, group, find);
  } else {
    CompareWithSource(context.model, *origin.source(), group, find);
  }
}

}  // namespace

constexpr RuleTable kCompareKeyRules = {
    {.id = "compare-hparams-equal",
     .summary = "The architecture and the hyperparameters shall be those of the origin.",
     .why = "With different dimensions or constants, the same weights produce different output.",
     .repair = "Recreate the file from its origin, with a current converter or quantizer.",
     .citation = kClaim,
     .since = "0.2.0",
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = KeysEqual<CompareGroup::kHparams>},
    {.id = "compare-rope-equal",
     .summary = "The rotary position embedding shall be that of the origin.",
     .why = "With a different base frequency or scaling, the model fails on long contexts, or "
            "produces nonsense.",
     .repair = "Recreate the file from its origin, with a current converter or quantizer.",
     .citation = kClaim,
     .since = "0.2.0",
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = KeysEqual<CompareGroup::kRope>},
    {.id = "compare-tokenizer-equal",
     .summary = "The tokens and the tokenizer shall be those of the origin.",
     .why = "With different tokens, the model reads and writes words other than those that it was "
            "trained on.",
     .repair = "Recreate the file from its origin; do not copy a vocabulary from another model.",
     .citation = kClaim,
     .since = "0.2.0",
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = KeysEqual<CompareGroup::kTokenizer>},
    {.id = "compare-special-tokens-equal",
     .summary = "The special tokens shall be those of the origin.",
     .why = "With the wrong end tokens, generation never stops or stops too early; with the wrong "
            "start token, the output gets worse.",
     .repair = "Write the ids of the origin's special tokens.",
     .citation = kClaim,
     .since = "0.2.0",
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = KeysEqual<CompareGroup::kSpecial>},
    {.id = "compare-template-equal",
     .summary = "The chat templates shall be those of the origin.",
     .why = "An outdated template, or that of another model, formats conversations in a way that "
            "the model was not trained on.",
     .repair = "Write the template of the origin.",
     .citation = kClaim,
     .since = "0.2.0",
     .against = Against::kOrigin,
     .requirements = {OnlyFirstShard},
     .check = KeysEqual<CompareGroup::kTemplate>},
};

}  // namespace gguf
