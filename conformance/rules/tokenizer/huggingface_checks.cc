// Checks of the tokenizer.json of Hugging Face's library that the file
// contains.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/rules/tokenizer/huggingface_json.h"

namespace gguf {
namespace {

constexpr char kJson[] = "tokenizer.huggingface.json";

// Selects files in which the key has a string.
Reason OnlyWithJson(const Model& model) {
  const KeyValue* kv = model.FindKey(kJson);
  return kv != nullptr && model.file.String(*kv) ? Reason() : Reason::Silent();
}

void JsonAgrees(const CheckContext& context, Finder& find) {
  const KeyValue& kv = *context.model.FindKey(kJson);
  const Vocabulary& vocabulary = context.model.vocabulary();
  const auto json = ReadHuggingFaceTokenizer(*context.model.file.String(kv));
  // huggingface-json-parses reports these.
  if (json.fault || !json.is_object) return;
  if (!json.tokens) return find.CannotCheck("the JSON has no model.vocab");
  // Converters pad the tokens to the rows of the embedding.
  uint64_t used = vocabulary.size();
  while (used > 0 && vocabulary.HasType(used - 1, TokenType::kUnused)) --used;
  if (*json.tokens >= used && *json.tokens <= vocabulary.size()) return;
  find(kv.at_value(), "has {json token|tokens}, but tokenizer.ggml.tokens has {tokens}",
       {{"json", *json.tokens}, {"tokens", vocabulary.size()}});
}

}  // namespace

constexpr RuleTable kHuggingFaceRules = {
    {.id = "huggingface-json-parses",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "tokenizer.huggingface.json should be valid JSON, and an object.",
     .why = "A reader that uses tokenizer.json cannot create the tokenizer.",
     .repair = "Copy the model's complete tokenizer.json, as UTF-8.",
     .citation = "gguf.md, tokenizer.huggingface.json: \"the entirety of the HF `tokenizer.json` "
                 "for a given model\".",
     .requirements = {OnlyWithJson},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kJson);
           const auto json = ReadHuggingFaceTokenizer(*context.model.file.String(kv));
           if (json.fault) {
             find(kv.at_value(), "is not valid JSON at byte {byte}", {{"byte", *json.fault}});
           } else if (!json.is_object) {
             find(kv.at_value(), "is valid JSON, but not an object", {});
           }
         }},
    {.id = "huggingface-json-agrees",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "tokenizer.huggingface.json should have as many tokens as tokenizer.ggml.tokens, "
                "except that it may lack unused tokens at the end.",
     .why = "Readers that use the JSON and readers that use the array produce different token ids.",
     .repair = "Copy the tokenizer.json of this model.",
     .citation = "gguf.md, tokenizer.huggingface.json: \"the entirety of the HF `tokenizer.json` "
                 "for a given model\".",
     .requirements = {OnlyWithJson, OnlyWithVocabulary},
     .check = JsonAgrees},
};

}  // namespace gguf
