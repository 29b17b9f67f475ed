// What the arrays beside the tokens must be: scores, types and others.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/tokenizer/checks.h"

namespace gguf {
namespace {

constexpr char kScores[] = "tokenizer.ggml.scores";
constexpr char kTypes[] = "tokenizer.ggml.token_type";

// Reports scores and types whose number `is_wrong` compared with the tokens'.
template <class Predicate>
void FindLengths(const Model& model, Finder& find, Predicate is_wrong) {
  const Vocabulary& vocabulary = model.vocabulary();
  for (const char* const name : {kScores, kTypes}) {
    const KeyValue* kv = model.FindKey(name);
    if (kv == nullptr) continue;
    const auto length = LengthOf(*kv);
    if (!length || !is_wrong(*length, vocabulary.size())) continue;
    find(kv->value, kv->subject().Of("value"),
         "has {length} elements for {tokens} tokens",
         {{"length", *length}, {"tokens", vocabulary.size()}});
  }
}

constexpr Rule kArraysLongEnough = {
    "token-arrays-long-enough",
    Everywhere(kError),
    Since("0.1.0"),
    "There shall be a score and a type for each token, where there are any.",
    "Readers look them up by the token's id, outside of an array that is "
    "shorter.",
    "Write as many as there are tokens, in the same order.",
    "gguf.md, tokenizer.ggml.scores: \"If present, it must have the same "
    "length and index as `tokens`\"."};

void ArraysLongEnough(const Model& model, Finder& find) {
  FindLengths(model, find, std::less<uint64_t>());
}

constexpr Rule kArraysNoLonger = {
    "token-arrays-no-longer",
    Everywhere(kWarning).Spec(kError),
    Since("0.1.0"),
    "There shall not be more scores or types than tokens.",
    "They belong to other tokens than a reader thinks, or to none.",
    "Write as many as there are tokens, in the same order.",
    "gguf.md, tokenizer.ggml.scores: \"If present, it must have the same "
    "length and index as `tokens`\"."};

void ArraysNoLonger(const Model& model, Finder& find) {
  FindLengths(model, find, std::greater<uint64_t>());
}

constexpr Rule kArrayTypes = {
    "tokenizer-array-types",
    Severities().Safety(kError),
    Since("0.1.0"),
    "The arrays of a tokenizer shall have the types that readers look for.",
    "A reader that does not ask reads four bytes where there is one, outside "
    "of the array.",
    "Write the array as the type that is expected.",
    "gguf.md, tokenizer.ggml: each key is listed with its type; llama.cpp did "
    "not ask before August 2026."};

// In other profiles the types are the findings of the standardised keys.
void ArrayTypes(const Model& model, Finder& find) {
  constexpr TypeSet kArrays = ~TypeSet{0} << kArrayBit;
  for (const KeyValue& kv : model.file.keys) {
    const StandardKey* row = model.known_keys().rows()[kv.index];
    if (row == nullptr || (row->loader & kArrays) == 0) continue;
    if (!absl::StartsWith(row->key, "tokenizer.ggml.")) continue;
    if (HasType(kv, row->loader)) continue;
    find(kv.type_where(), kv.subject().Of("type"), "is {type}, not {expected}",
         {{"type", Word{TypeName(kv)}},
          {"expected", Word{TypeNames(row->loader)}}});
  }
}

constexpr Rule kScoresFloat = {
    "token-scores-float",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    Since("0.1.0"),
    "Scores should be f32.",
    "llama.cpp takes an array of i32, too, but other readers look for floats "
    "and refuse it, or read its bits as tiny numbers.",
    "Write the scores as f32.",
    "gguf.md, tokenizer.ggml.scores: \"array[float32]\"."};

void ScoresFloat(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kScores);
  find(kv.type_where(), kv.subject().Of("type"), "is arr[i32], not arr[f32]",
       {});
}

// Reports the first type of a token that `is_wrong` picks, and how many.
void FindTypes(const Model& model, Finder& find, bool (*is_wrong)(int32_t)) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.types_key() == nullptr) return;
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t id = 0; id < vocabulary.type_count(); ++id) {
    if (is_wrong(vocabulary.type_number(id)) && count++ == 0) first = id;
  }
  if (count == 0) return;
  find(vocabulary.where_type(first),
       vocabulary.types_key()->subject().Of("value").At(first),
       count == 1 ? "is {type}" : "is {type}, the first of {count} such types",
       {{"type", Word{absl::StrCat(vocabulary.type_number(first))}},
        {"count", count}});
}

constexpr Rule kTypeKnown = {
    "token-type-known",
    Severities().Upload(kWarning).Spec(kWarning).LlamaCpp(kWarning),
    Since("0.1.0"),
    "A token's type should be one of 1 to 6.",
    "Readers do not know whether to show the token, or to look for it.",
    "Write 1 normal, 2 unknown, 3 control, 4 user defined, 5 unused or 6 byte.",
    "gguf.md, tokenizer.ggml.token_type: \"1=normal, 2=unknown, 3=control, "
    "4=user defined, 5=unused, 6=byte\"."};

void TypeKnown(const Model& model, Finder& find) {
  FindTypes(model, find, [](int32_t type) {
    return type < static_cast<int32_t>(TokenType::kUndefined) ||
           type > static_cast<int32_t>(TokenType::kByte);
  });
}

constexpr Rule kTypeInSpec = {
    "token-type-in-spec",
    Severities().Upload(kNote).Spec(kWarning),
    Since("0.1.0"),
    "A token's type should not be 0.",
    "llama.cpp calls it undefined; the specification does not know it.",
    "Write 1 for a normal token, or 5 for one that is not used.",
    "gguf.md, tokenizer.ggml.token_type: \"1=normal, 2=unknown, 3=control, "
    "4=user defined, 5=unused, 6=byte\"."};

void TypeInSpec(const Model& model, Finder& find) {
  FindTypes(model, find, [](int32_t type) {
    return type == static_cast<int32_t>(TokenType::kUndefined);
  });
}

constexpr Check kChecks[] = {
    {&kArraysLongEnough, Needs::kKeys, ArraysLongEnough, OnlyWithVocabulary},
    {&kArraysNoLonger, Needs::kKeys, ArraysNoLonger, OnlyWithVocabulary},
    {&kArrayTypes, Needs::kKeys, ArrayTypes},
    {&kScoresFloat, Needs::kKeys, ScoresFloat,
     OnlyWithArray<kScores, ValueType::kI32>},
    {&kTypeKnown, Needs::kKeys, TypeKnown, OnlyWithVocabulary},
    {&kTypeInSpec, Needs::kKeys, TypeInSpec, OnlyWithVocabulary},
};

}  // namespace

absl::Span<const Check> TokenArrayChecks() { return kChecks; }

}  // namespace gguf
