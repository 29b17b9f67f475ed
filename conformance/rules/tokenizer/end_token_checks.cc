// Checks of the tokens that end a text or a turn: that the keys name such tokens, and their types.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/rules/tokenizer/special_tokens.h"
#include "conformance/rules/tokenizer/tokenizer_family.h"
#include "conformance/tables/control_tokens.h"

namespace gguf {
namespace {

// The keys of the tokens that end a text, a turn or a message.
constexpr const char* kEndKeys[] = {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                    "tokenizer.ggml.eom_token_id"};

// Calls f(kv, id) for the keys that are present, with the ids of existing tokens.
template <class F>
void ForEachEndToken(const Model& model, F f) {
  for (const char* const key : kEndKeys) {
    const KeyValue* kv = model.FindKey(key);
    const auto id = kv == nullptr ? std::nullopt : model.file.Unsigned(*kv);
    if (id && *id < model.vocabulary().size()) f(*kv, *id);
  }
}

// Returns the ids of the tokens that should have the type control, sorted.
std::vector<uint32_t> ControlTokens(const Model& model, const Vocabulary& vocabulary) {
  std::vector<uint32_t> ids;
  ForEachEndToken(model, [&](const KeyValue&, uint64_t id) { ids.push_back(uint32_t(id)); });
  for (const ControlTokenRow& row : kControlTokens) {
    if (*row.unless != 0 && model.FindKey(row.unless) != nullptr) continue;
    if (const auto id = vocabulary.Find(row.text)) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// Returns "; \"</s>\" is token 2" with a token of the vocabulary that ends texts, or empty.
std::string EndTokenHint(const Vocabulary& vocabulary) {
  for (const ControlTokenRow& row : kControlTokens) {
    const auto id = *row.unless == 0 ? vocabulary.Find(row.text) : std::nullopt;
    if (id) return absl::StrCat("; ", Quote(row.text), " is token ", *id);
  }
  return "";
}

// Returns whether a token cannot be a mark: a byte, or text without the brackets and words that
// marks of ends have.
bool IsOrdinary(const Vocabulary& vocabulary, uint64_t id) {
  if (vocabulary.HasType(id, TokenType::kByte)) return true;
  const std::string text = absl::AsciiStrToLower(vocabulary.tokens()[id]);
  if (text.empty() ||
      absl::c_any_of(text, [](char c) { return absl::StrContains("<>[]{}|", c); }) ||
      absl::StrContains(text, "\uFF5C")) {  // The broad bar of DeepSeek's marks.
    return false;
  }
  for (const char* const word : {"end", "eos", "eot", "eom", "eod", "stop", "sep", "pad"}) {
    if (absl::StrContains(text, word)) return false;
  }
  // Others may be marks of their own kind, if the vocabulary has no better one.
  return !vocabulary.HasType(id, TokenType::kControl) || !EndTokenHint(vocabulary).empty();
}

// Returns whether a token begins a text or a turn, and the vocabulary has others to end it.
bool IsBeginning(const Vocabulary& vocabulary, absl::string_view text) {
  return (text == "<s>" && vocabulary.Contains("</s>")) ||
         (absl::StrContains(text, "start") && absl::StrContains(text, '<') &&
          !EndTokenHint(vocabulary).empty());
}

void EndTokensEnd(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.Is(TokenizerKind::kRwkv)) return;  // Its texts end with two newlines.
  ForEachEndToken(model, [&](const KeyValue& kv, uint64_t id) {
    const absl::string_view text = vocabulary.tokens()[id];
    const bool is_ordinary = IsOrdinary(vocabulary, id);
    if (!is_ordinary && !IsBeginning(vocabulary, text)) return;
    find(kv.at_value(),
         vocabulary.HasType(id, TokenType::kByte)
             ? "is {id}, the byte token {text}, which ends no text{hint}"
         : is_ordinary ? "is {id}, the token {text}, which is ordinary text and ends none{hint}"
                       : "is {id}, the token {text}, which begins a text or a turn{hint}",
         {{"id", id},
          {"text", text},
          {"hint", Trusted{EndTokenHint(vocabulary)}},
          {kWrite, Trusted{IdToWrite(model, kv.key.value)}}});
  });
}

void DefaultsAreSpecial(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  const Vocabulary& vocabulary = model.vocabulary();
  for (const SpecialToken& token : kSpecialTokens) {
    const bool is_end = token.added == AddedToken::kEos;
    if (HasIdKey(model, token) || (!is_end && !IsAdded(model, token))) continue;
    const int64_t id = DefaultId(model, token);
    if (id < 0 || id >= static_cast<int64_t>(vocabulary.size())) continue;
    if (!IsOrdinary(vocabulary, id)) continue;
    find(AbsentKey(model, token.key),
         is_end ? "is absent, and llama.cpp then takes token {id}, {text}, which ends no text{hint}"
                : "is absent, and llama.cpp then begins each text with token {id}, {text}",
         {{"id", id},
          {"text", vocabulary.tokens()[id]},
          {"hint", Trusted{EndTokenHint(vocabulary)}},
          {kWriteKey, Trusted{token.key}},
          {kWrite, Trusted{IdToWrite(model, token.key)}}});
  }
}

void ChatPromptsStayOpen(const CheckContext& context, Finder& find) {
  const Model& model = context.model;
  if (model.templates().empty() || model.hparams().Key(Symbol::kPoolingType) != nullptr) return;
  const KeyValue* kv = model.FindKey("tokenizer.ggml.add_eos_token");
  if (kv == nullptr || kv->type->kind != ValueKind::kBool || IntegerOf(model.file, *kv) == 0)
    return;
  if (!model.vocabulary().Is(TokenizerKind::kSpm) && !model.vocabulary().Is(TokenizerKind::kBpe)) {
    return;
  }
  find(kv->at_value(),
       "is true, but the model has a chat template: the end token follows each prompt, and the "
       "model answers as if the conversation were over",
       {});
}

}  // namespace

constexpr RuleTable kEndTokenRules = {
    {.id = "end-tokens-end-text",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "The tokens that end a text, a turn or a message should not be ordinary text.",
     .why = "Readers stop where the model writes this token: at each comma, say, or never.",
     .repair = "Write the id of the original model's end token: eos_token_id in "
               "generation_config.json or config.json. The text decides here: if the model was "
               "trained to stop at a token that looks like text, the file is right.",
     .citation = "Not in the specification; readers stop at this token.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies, OnlyModels, OnlyWithDefaults},
     .check = EndTokensEnd},
    {.id = "default-tokens-special",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "If the key of the end token, or of one that is added to each text, is absent, its "
                "default should not be ordinary text.",
     .why =
         "Without tokenizer.ggml.eos_token_id, llama.cpp takes token 11 of gpt2's vocabulary, and "
         "2 of llama's. In another vocabulary these are letters, and answers do not stop, or "
         "stop too early.",
     .repair = "Write the ids of the original model's special tokens, which its "
               "tokenizer_config.json and config.json name.",
     .citation = "Not in the specification; these are the defaults of llama.cpp.",
     .since = "0.2.0",
     .requirements = {OnlyRealVocabularies, OnlyModels, OnlyWithDefaults},
     .check = DefaultsAreSpecial},
    {.id = "chat-prompts-open",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "A model with a chat template should not have tokenizer.ggml.add_eos_token set to "
                "true.",
     .why = "llama.cpp then appends the end token to each prompt, behind the words with which the "
            "model's answer begins.",
     .repair = "Write false. Models that make embeddings need true: they have no chat template, or "
               "state their pooling type.",
     .citation = "Not in the specification; converters copy the key from tokenizer_config.json, "
                 "where training sets it.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary, OnlyModels},
     .check = ChatPromptsStayOpen},
    {.id = "control-tokens-typed",
     .severities = {.upload = kWarning, .llama_cpp = kWarning},
     .summary = "End-of-text and end-of-turn tokens, and other tokens that look like control "
                "tokens, should have the type control.",
     .why = "Otherwise, readers print these tokens, and text typed by a user may be tokenized as "
            "one of them, which lets the user end a turn.",
     .repair = "If the token ends a text or a turn, or is another control token, write 3 as its "
               "type. If a key such as tokenizer.ggml.eos_token_id names the wrong token, correct "
               "the key instead.",
     .citation = "Not in the specification; llama.cpp warns about it and overrides the type.",
     .requirements = {OnlyWithVocabulary, OnlyWithAllKeys},
     .check =
         [](const CheckContext& context, Finder& find) {
           const Vocabulary& vocabulary = context.model.vocabulary();
           if (vocabulary.types_key() == nullptr) return;
           for (const uint32_t id : ControlTokens(context.model, vocabulary)) {
             if (id >= vocabulary.type_count() || vocabulary.HasType(id, TokenType::kControl)) {
               continue;
             }
             // end-tokens-end-text reports it.
             if (OnlyRealVocabularies(context.model).empty() && IsOrdinary(vocabulary, id))
               continue;
             find(vocabulary.at_type(id), "is {type}, not 3 (control), but the token is {text}",
                  {{"type", vocabulary.type_number(id)}, {"text", vocabulary.tokens()[id]}});
           }
         }},
};

}  // namespace gguf
