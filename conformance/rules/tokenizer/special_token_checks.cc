// Checks of special tokens: their ids and their texts.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/rules/tokenizer/special_tokens.h"

namespace gguf {
namespace {

// Returns whether it is a WordPiece vocabulary without tokens.
bool LacksAllPieces(const Vocabulary& vocabulary) {
  return vocabulary.Is(TokenizerKind::kWpm) && vocabulary.size() == 0;
}

// Reports the keys of special tokens, of those that `is_wanted` selects, whose
// token does not exist.
void FindIdsOutside(const Model& model, Finder& find, bool (*is_wanted)(absl::string_view key)) {
  const Vocabulary& vocabulary = model.vocabulary();
  for (const KeyValue& kv : model.file.keys) {
    const absl::string_view key = kv.key.value;
    if (!absl::StartsWith(key, "tokenizer.ggml.") || !absl::EndsWith(key, "_token_id") ||
        !is_wanted(key)) {
      continue;
    }
    const auto id = model.file.Unsigned(kv);
    if (!id || *id < vocabulary.size()) continue;
    find(kv.at_value(), "is {id}, but the vocabulary has {tokens token|tokens}",
         {{"id", *id}, {"tokens", vocabulary.size()}, {kWrite, Trusted{IdToWrite(model, key)}}});
  }
}

constexpr char kSuppressed[] = "tokenizer.ggml.suppress_tokens";

void SuppressedInRange(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const KeyValue& kv = *model.FindKey(kSuppressed);
  const Vocabulary& vocabulary = model.vocabulary();
  const uint64_t length = kv.length;
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t i = 0; i < length; ++i) {
    const int64_t id = *IntegerOf(model.file, kv, i);
    if (id >= 0 && id < static_cast<int64_t>(vocabulary.size())) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return;
  find(
      ElementOf(kv, first),
      count == 1 ? "is {id}, but the vocabulary has {tokens token|tokens}"
                 : "is {id}, but the vocabulary has {tokens token|tokens}; the first of {count} "
                   "such ids",
      {{"id", *IntegerOf(model.file, kv, first)}, {"tokens", vocabulary.size()}, {"count", count}});
}

// Ignores the case of letters.
bool ContainsWord(absl::string_view text, absl::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) { return absl::ascii_tolower(a) == b; }) != text.end();
}

Reason OnlyNamedPhi3(const Model& model) {
  const KeyValue* kv = model.FindKey("general.name");
  const auto name = kv == nullptr ? std::nullopt : model.file.String(*kv);
  const absl::string_view read = BeforeNul(name.value_or(""));
  return ContainsWord(read, "phi-3") || ContainsWord(read, "phi3") ? Reason() : Reason::Silent();
}

}  // namespace

constexpr RuleTable kSpecialTokenRules = {
    {.id = "token-ids-in-range",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kWarning, .safety = kError},
     .summary = "The id of a special token shall be the id of an existing token.",
     .why = "llama.cpp uses a default instead; other readers read outside the token array.",
     .repair =
         "Write the token's index in tokenizer.ggml.tokens, counted from 0; remove the key only if "
         "the model has no such token.",
     .citation = "gguf.md, tokenizer.ggml.tokens: \"A list of tokens indexed by the token ID\".",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindIdsOutside(context.model, find,
                          [](absl::string_view key) { return key != kPaddingId; });
         }},
    {.id = "padding-token-id-in-range",
     .severities = Everywhere(kWarning),
     .summary = "The id of the padding token should be the id of an existing token.",
     .why = "Readers pad with a token that does not exist, or use a default instead; they do not "
            "look its text up.",
     .repair = "Write the id of the model's padding token; remove the key only if it has none.",
     .citation = "gguf.md, tokenizer.ggml.tokens: \"A list of tokens indexed by the token ID\"; "
                 "published models have a padding id beyond the last token.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindIdsOutside(context.model, find,
                          [](absl::string_view key) { return key == kPaddingId; });
         }},
    {.id = "default-token-ids-in-range",
     .severities = {.upload = kWarning, .llama_cpp = kWarning, .safety = kWarning},
     .summary = "If the key of a special token is absent, its default id should be the id of an "
                "existing token.",
     .why = "Readers that do not compare the default with the number of tokens read outside the "
            "token array (GHSA-g4cc-763q-h9h6).",
     .repair = "Write the ids of the special tokens into the file.",
     .citation = "Not in the specification; these are the defaults of llama.cpp.",
     .requirements = {OnlyWithVocabulary, OnlyModels, OnlyWithDefaults},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           if (LacksAllPieces(vocabulary)) return;  // wpm-has-tokens reports it.
           for (const SpecialToken& token : kSpecialTokens) {
             const int64_t id = DefaultId(context.model, token);
             if (id < static_cast<int64_t>(vocabulary.size())) continue;
             if (HasIdKey(context.model, token)) continue;
             find(vocabulary.key()->at_value(),
                  "has {tokens token|tokens}, but without {key} readers use token {id}",
                  {{"tokens", vocabulary.size()},
                   {"key", Trusted{token.key}},
                   {"id", id},
                   {kWriteKey, Trusted{token.key}},
                   {kWrite, Trusted{IdToWrite(context.model, token.key)}}});
           }
         }},
    {.id = "unigram-default-unknown-in-range",
     .severities = {.llama_cpp = kError},
     .summary = "A unigram vocabulary without a newline token shall contain the default unknown "
                "token, even if a key sets a different unknown token.",
     .why = "llama.cpp tokenizes a newline while it loads the vocabulary, before it reads the ids "
            "of special tokens, and rejects a file without the default unknown token.",
     .repair = "Add tokens until the vocabulary includes the default id; real vocabularies have "
               "thousands of tokens.",
     .citation = "Not in the specification; llama.cpp's loader throws \"vector::_M_range_check\".",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           if (!vocabulary.Is(TokenizerKind::kUgm)) return;
           const auto unknown = static_cast<uint64_t>(vocabulary.tokenizer()->unknown);
           if (unknown < vocabulary.size() || vocabulary.Contains("\n")) return;
           find(vocabulary.key()->at_value(),
                "has {tokens token|tokens} and no newline, but the default unknown token is {id}",
                {{"tokens", vocabulary.size()}, {"id", unknown}});
         }},
    {.id = "wpm-has-tokens",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "A WordPiece vocabulary shall have at least one token.",
     .why = "llama.cpp uses token 0 as the newline token and looks it up while it loads the "
            "vocabulary; it rejects a file without token 0.",
     .repair = "Write the tokenizer of the original model.",
     .citation = "Not in the specification; llama.cpp's loader throws \"vector::_M_range_check\".",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           if (!LacksAllPieces(vocabulary)) return;
           find(vocabulary.key()->at_value(), "has no tokens", {});
         }},
    {.id = "suppressed-token-ids-in-range",
     .severities = Everywhere(kWarning),
     .summary = "The ids of suppressed tokens should be ids of existing tokens.",
     .why = "A reader that does not check the ids writes outside its array of probabilities.",
     .repair = "Remove the ids that are negative or not below the number of tokens.",
     .citation = "Not in the specification; llama.cpp ignores ids out of range.",
     .requirements = {OnlyWithArray<kSuppressed, ValueType::kI32>, OnlyWithVocabulary},
     .check = SuppressedInRange},
    {.id = "added-token-has-id",
     .severities = {.upload = kError, .llama_cpp = kWarning, .safety = kError},
     .summary = "A special token that readers add to each text, by default or because the file "
                "says so, shall have the id of an existing token.",
     .why = "llama.cpp aborts at the first text; other readers add token -1.",
     .repair = "Write the token's id; if the model has no such token, set the key that adds it to "
               "false.",
     .citation = "Not in the specification; llama.cpp asserts this when it tokenizes text.",
     .requirements = {OnlyWithVocabulary, OnlyWithDefaults},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Model& model = context.model;
           const Vocabulary& vocabulary = model.vocabulary();
           if (LacksAllPieces(vocabulary)) return;  // wpm-has-tokens reports it.
           for (const SpecialToken& token : kSpecialTokens) {
             if (!IsAdded(model, token) || HasIdKey(model, token)) continue;
             const int64_t id = DefaultId(model, token);
             if (id >= 0 && id < static_cast<int64_t>(vocabulary.size())) continue;
             const KeyValue* const flag = FlagOf(model, token);
             if (flag != nullptr) {
               find(flag->at_value(), "is true, but {key} is absent",
                    {{"key", Trusted{token.key}},
                     {kWriteKey, Trusted{token.key}},
                     {kWrite, Trusted{IdToWrite(model, token.key)}}});
             } else {
               find(vocabulary.key()->at_value(),
                    id < 0 ? "is without {key}, whose token readers add to each text"
                           : "has {tokens token|tokens}, but without {key} readers add token {id} "
                             "to each text",
                    {{"tokens", vocabulary.size()},
                     {"key", Trusted{token.key}},
                     {"id", id},
                     {kWriteKey, Trusted{token.key}},
                     {kWrite, Trusted{IdToWrite(model, token.key)}}});
             }
           }
         }},
    {.id = "phi-3-tokens-present",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A file with phi-3 or phi3 in general.name, in upper or lower case, shall have the "
                "tokens </s>, <unk>, <s> and <|endoftext|>.",
     .why = "llama.cpp looks up these tokens and rejects a file that lacks one.",
     .repair = "Write the tokens of the original model; if it is not Phi-3, correct its name.",
     .citation =
         "Not in the specification; llama.cpp's loader requires the tokens for such a name.",
     .requirements = {OnlyNamedPhi3, OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey("general.name");
           for (const char* const text : {"</s>", "<unk>", "<s>", "<|endoftext|>"}) {
             if (context.model.vocabulary().Contains(text)) continue;
             find(kv.at_value(), "is {name}, but the vocabulary lacks the token {text}",
                  {{"name", *context.model.file.String(kv)}, {"text", absl::string_view(text)}});
           }
         }},
};

}  // namespace gguf
