// Checks of tokens that readers find by their text.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/rules/tokenizer/checks.h"
#include "conformance/tables/control_tokens.h"

namespace gguf {
namespace {

constexpr Rule kControlTyped = {
    "control-tokens-typed",
    Severities().Upload(kWarning).LlamaCpp(kWarning),
    "End-of-text and end-of-turn tokens, and other tokens that look like "
    "control tokens, should have the type control.",
    "Otherwise, readers print these tokens, and text typed by a user may be "
    "tokenized as one of them, which lets the user end a turn.",
    "Write 3 as the token's type.",
    "Not in the specification; llama.cpp warns about it and overrides the "
    "type."};

// Returns the ids of the tokens that should have the type control, sorted.
std::vector<uint32_t> ControlTokens(const Model& model,
                                    const Vocabulary& vocabulary) {
  std::vector<uint32_t> ids;
  for (const char* const key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
        "tokenizer.ggml.eom_token_id"}) {
    const KeyValue* kv = model.FindKey(key);
    const auto id = kv == nullptr ? std::nullopt : model.file.Unsigned(*kv);
    if (id && *id < vocabulary.size()) ids.push_back(uint32_t(*id));
  }
  for (const ControlTokenRow& row : kControlTokens) {
    if (*row.unless != 0 && model.FindKey(row.unless) != nullptr) continue;
    if (const auto id = vocabulary.Find(row.text)) ids.push_back(*id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void ControlTyped(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (vocabulary.types_key() == nullptr) return;
  for (const uint32_t id : ControlTokens(model, vocabulary)) {
    if (id >= vocabulary.type_count() ||
        vocabulary.HasType(id, TokenType::kControl)) {
      continue;
    }
    find(vocabulary.at_type(id), "is {type}, but the token is {text}",
         {{"type", vocabulary.type_number(id)},
          {"text", vocabulary.tokens()[id]}});
  }
}

constexpr Rule kPhi3Tokens = {
    "phi-3-tokens-present",
    Severities().Upload(kWarning).LlamaCpp(kError),
    "A file with phi-3 or phi3 in general.name, in upper or lower case, shall "
    "have the tokens </s>, <unk>, <s> and <|endoftext|>.",
    "llama.cpp looks up these tokens and rejects a file that lacks one.",
    "Rename the model, or write the tokens of the original.",
    "Not in the specification; llama.cpp's loader requires the tokens for such "
    "a name."};

// Ignores the case of letters.
bool ContainsWord(absl::string_view text, absl::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [](char a, char b) {
                       return absl::ascii_tolower(a) == b;
                     }) != text.end();
}

Reason OnlyNamedPhi3(const Model& model) {
  const KeyValue* kv = model.FindKey("general.name");
  const auto name = kv == nullptr ? std::nullopt : model.file.String(*kv);
  const absl::string_view read = BeforeNul(name.value_or(""));
  return ContainsWord(read, "phi-3") || ContainsWord(read, "phi3")
             ? Reason()
             : Reason::Silent();
}

void Phi3Tokens(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey("general.name");
  for (const char* const text : {"</s>", "<unk>", "<s>", "<|endoftext|>"}) {
    if (model.vocabulary().Contains(text)) continue;
    find(kv.at_value(), "is {name}, but the vocabulary lacks the token {text}",
         {{"name", *model.file.String(kv)}, {"text", absl::string_view(text)}});
  }
}

constexpr Check kChecks[] = {
    {&kControlTyped, Needs::kKeys, ControlTyped, OnlyWithVocabulary},
    {&kPhi3Tokens, Needs::kKeys, Phi3Tokens, OnlyNamedPhi3, OnlyWithVocabulary},
};

}  // namespace

absl::Span<const Check> TokenTextChecks() { return kChecks; }

}  // namespace gguf
