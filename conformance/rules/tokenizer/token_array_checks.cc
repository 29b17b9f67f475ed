// Checks of the arrays that accompany the tokens: scores, types and others.
//
// SPDX-License-Identifier: Apache-2.0

#include <functional>

#include "absl/strings/match.h"
#include "conformance/model/known_keys.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

constexpr char kTokens[] = "tokenizer.ggml.tokens";
constexpr char kScores[] = "tokenizer.ggml.scores";
constexpr char kTypes[] = "tokenizer.ggml.token_type";

// Reports the arrays of scores and types for which `is_wrong(length, tokens)`
// holds.
template <class Predicate>
void FindLengths(const Model& model, Finder& find, Predicate is_wrong) {
  const Vocabulary& vocabulary = model.vocabulary();
  for (const char* const name : {kScores, kTypes}) {
    const KeyValue* kv = model.FindKey(name);
    if (kv == nullptr) continue;
    const auto length = LengthOf(*kv);
    if (!length || !is_wrong(*length, vocabulary.size())) continue;
    find(kv->at_value(),
         model.FindKey(kTokens) == nullptr
             ? "has {length element|elements}, but there is no tokenizer.ggml.tokens"
             : "has {length element|elements} for {tokens token|tokens}",
         {{"length", *length}, {"tokens", vocabulary.size()}});
  }
}

// Requires tokens, or that all keys were read and there are none.
Reason OnlyWithVocabularyOrNone(const Model& model) {
  if (model.FindKey(kTokens) != nullptr) return OnlyWithVocabulary(model);
  return model.file.progress < Progress::kKeys ? "not all keys could be read" : Reason();
}

// Reports the first token type that `is_wrong` selects, and how many there are.
void FindTypes(const Model& model, Finder& find, const char* one, const char* many,
               bool (*is_wrong)(int32_t)) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.types_key() == nullptr) return;
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t id = 0; id < vocabulary.type_count(); ++id) {
    if (is_wrong(vocabulary.type_number(id)) && count++ == 0) first = id;
  }
  if (count == 0) return;
  find(vocabulary.at_type(first), count == 1 ? one : many,
       {{"type", vocabulary.type_number(first)}, {"count", count}});
}

}  // namespace

constexpr RuleTable kTokenArrayRules = {
    {.id = "token-arrays-long-enough",
     .severities = Everywhere(kError),
     .summary = "The arrays of scores and types, if present, shall have an element for each token.",
     .why = "Readers index the arrays by token id and read past the end of a shorter one.",
     .repair = "Write one element for each token, in the order of the tokens.",
     .citation = "gguf.md, tokenizer.ggml.scores: \"If present, it must have the same length and "
                 "index as `tokens`\".",
     .requirements = {OnlyWithVocabulary},
     .check = [](const CheckContext& context,
                 Finder& find) { FindLengths(context.model, find, std::less<uint64_t>()); }},
    {.id = "token-arrays-no-longer",
     .severities = {.upload = kWarning, .spec = kError, .llama_cpp = kWarning, .safety = kWarning},
     .summary = "There shall not be more scores or types than tokens.",
     .why = "Readers assign the elements to the wrong tokens, or ignore the last ones.",
     .repair = "Write one element for each token, in the order of the tokens.",
     .citation = "gguf.md, tokenizer.ggml.scores: \"If present, it must have the same length and "
                 "index as `tokens`\".",
     .requirements = {OnlyWithVocabularyOrNone},
     .check = [](const CheckContext& context,
                 Finder& find) { FindLengths(context.model, find, std::greater<uint64_t>()); }},
    {.id = "tokenizer-array-types",
     .severities = {.upload = kError, .safety = kError},
     .summary = "The arrays of a tokenizer shall have the types that readers expect.",
     .why = "A reader that does not check the type reads four bytes for an element that has only "
            "one, and continues past the end of the array.",
     .repair = "Write the array with the expected type.",
     .citation = "gguf.md, tokenizer.ggml: each key is listed with its type; llama.cpp did not "
                 "check the type before August 2026.",
     .implied_by = {"key-type-loaded"},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr TypeSet kArrays = ~TypeSet{0} << kArrayBit;
           for (const KeyValue& kv : context.model.file.keys) {
             const StandardKey* row = context.model.known_keys().rows()[kv.index].row;
             if (row == nullptr || (row->loader & kArrays) == 0) continue;
             if (!absl::StartsWith(row->key, "tokenizer.ggml.")) continue;
             if (HasType(kv, row->loader)) continue;
             find(kv.at_type(), "is {type}, not {expected}",
                  {{"type", Trusted{TypeName(kv)}}, {"expected", Trusted{TypeNames(row->loader)}}});
           }
         }},
    {.id = "token-scores-float",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "Scores should be f32.",
     .why = "llama.cpp also accepts an array of i32, but other readers expect floats: they reject "
            "the array, or read its bits as tiny numbers.",
     .repair = "Write the scores as f32.",
     .citation = "gguf.md, tokenizer.ggml.scores: \"array[float32]\".",
     .requirements = {OnlyWithArray<kScores, ValueType::kI32>},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kScores);
           find(kv.at_type(), "is arr[i32], not arr[f32]", {});
         }},
    {.id = "token-type-known",
     .severities = {.upload = kWarning, .spec = kWarning, .llama_cpp = kWarning},
     .summary = "A token's type should be a number from 0 to 6.",
     .why = "If the type is unknown, readers cannot tell whether to print the token or to match it "
            "in the input.",
     .repair =
         "Write 1 (normal), 2 (unknown), 3 (control), 4 (user defined), 5 (unused) or 6 (byte).",
     .citation = "gguf.md, tokenizer.ggml.token_type: \"1=normal, 2=unknown, 3=control, 4=user "
                 "defined, 5=unused, 6=byte\"; llama.cpp also defines 0.",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindTypes(context.model, find, "is {type}, not 0 to 6",
                     "is {type}, not 0 to 6; the first of {count} such types", [](int32_t type) {
                       return type < static_cast<int32_t>(TokenType::kUndefined) ||
                              type > static_cast<int32_t>(TokenType::kByte);
                     });
         }},
    {.id = "token-type-in-spec",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "A token's type should not be 0, which only llama.cpp defines.",
     .why = "llama.cpp calls type 0 undefined; a reader that follows the specification does not "
            "know it.",
     .repair = "Write 1 for a normal token, or 5 for an unused one.",
     .citation = "gguf.md, tokenizer.ggml.token_type: \"1=normal, 2=unknown, 3=control, 4=user "
                 "defined, 5=unused, 6=byte\".",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindTypes(
               context.model, find, "is {type}, which only llama.cpp defines",
               "is {type}, which only llama.cpp defines; the first of {count} such types",
               [](int32_t type) { return type == static_cast<int32_t>(TokenType::kUndefined); });
         }},
};

}  // namespace gguf
