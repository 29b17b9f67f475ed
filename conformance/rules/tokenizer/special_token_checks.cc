// Checks of the ids of special tokens: those in the file, and the defaults that
// readers use when a key is absent.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/match.h"
#include "conformance/rules/judged.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/rules/tokenizer/checks.h"

namespace gguf {
namespace {

constexpr Rule kIdsInRange = {
    "token-ids-in-range",
    Everywhere(kWarning),
    "The id of a special token should be the id of an existing token.",
    "llama.cpp uses a default instead; other readers read outside the token "
    "array.",
    "Write the token's index in tokenizer.ggml.tokens, counted from 0, or "
    "remove the key.",
    "gguf.md, tokenizer.ggml.tokens: \"A list of tokens indexed by the token "
    "ID\"."};

void IdsInRange(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  for (const KeyValue& kv : model.file.keys) {
    if (!absl::StartsWith(kv.key.value, "tokenizer.ggml.") ||
        !absl::EndsWith(kv.key.value, "_token_id")) {
      continue;
    }
    const auto id = model.file.Unsigned(kv);
    if (!id || *id < vocabulary.size()) continue;
    find(kv.at_value(), "is {id}, but there are {tokens} tokens",
         {{"id", *id}, {"tokens", vocabulary.size()}});
  }
}

// A special token for which llama.cpp has a default when its key is absent.
struct SpecialToken {
  const char* key;
  int32_t TokenizerRow::*default_id;
  const char* flag;  // The key that adds it to each text, or null.
};

constexpr SpecialToken kSpecialTokens[] = {
    {"tokenizer.ggml.bos_token_id", &TokenizerRow::bos,
     "tokenizer.ggml.add_bos_token"},
    {"tokenizer.ggml.eos_token_id", &TokenizerRow::eos,
     "tokenizer.ggml.add_eos_token"},
    {"tokenizer.ggml.unknown_token_id", &TokenizerRow::unknown, nullptr},
    {"tokenizer.ggml.seperator_token_id", &TokenizerRow::separator,
     "tokenizer.ggml.add_sep_token"},
    {"tokenizer.ggml.padding_token_id", &TokenizerRow::padding, nullptr},
    {"tokenizer.ggml.mask_token_id", &TokenizerRow::mask, nullptr},
};

// Returns the id of the token in a file without its key; -1 for none.
int64_t DefaultId(const Model& model, const SpecialToken& token) {
  const TokenizerRow& row = *model.vocabulary().tokenizer();
  const PreTokenizerRow* pre = FindPreTokenizer(model);
  const bool is_bos = token.default_id == &TokenizerRow::bos;
  if (is_bos && row.pre == PreTokenizers::kRead && pre != nullptr &&
      pre->bos == DefaultBos::kNone) {
    return -1;
  }
  return row.*token.default_id;
}

bool HasIdKey(const Model& model, const SpecialToken& token) {
  if (model.FindKey(token.key) != nullptr) return true;
  // The specification's spelling.
  return token.default_id == &TokenizerRow::separator &&
         model.FindKey("tokenizer.ggml.separator_token_id") != nullptr;
}

// Selects files with a vocabulary for which llama.cpp has defaults.
Reason OnlyWithDefaults(const Model& model) {
  return model.vocabulary().tokenizer() != nullptr
             ? Reason()
             : "tokenizer.ggml.model is absent or unknown";
}

// Returns whether it is a WordPiece vocabulary without tokens.
bool LacksAllPieces(const Vocabulary& vocabulary) {
  return vocabulary.Is(TokenizerKind::kWpm) && vocabulary.size() == 0;
}

constexpr Rule kDefaultsInRange = {
    "default-token-ids-in-range",
    Severities().Upload(kWarning).LlamaCpp(kWarning).Safety(kWarning),
    "If the key of a special token is absent, its default id should be the id "
    "of an existing token.",
    "Readers that do not compare the default with the number of tokens read "
    "outside the token array (GHSA-g4cc-763q-h9h6).",
    "Write the ids of the special tokens into the file.",
    "Not in the specification; these are the defaults of llama.cpp."};

void DefaultsInRange(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (LacksAllPieces(vocabulary)) return;  // wpm-has-tokens reports it.
  for (const SpecialToken& token : kSpecialTokens) {
    const int64_t id = DefaultId(model, token);
    if (id < static_cast<int64_t>(vocabulary.size())) continue;
    if (HasIdKey(model, token)) continue;
    find(vocabulary.key()->at_value(),
         "has {tokens} tokens, but without {key} readers use token {id}",
         {{"tokens", vocabulary.size()}, {"key", Word{token.key}}, {"id", id}});
  }
}

constexpr Rule kUnigramUnknown = {
    "unigram-default-unknown-in-range",
    Severities().LlamaCpp(kError),
    "A unigram vocabulary without a newline token shall contain the default "
    "unknown token, even if a key sets a different unknown token.",
    "llama.cpp tokenizes a newline while it loads the vocabulary, before it "
    "reads the ids of special tokens, and rejects a file without the default "
    "unknown token.",
    "Add tokens until the vocabulary includes the default id; real "
    "vocabularies have thousands of tokens.",
    "Not in the specification; llama.cpp's loader throws "
    "\"vector::_M_range_check\"."};

void UnigramUnknown(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!vocabulary.Is(TokenizerKind::kUgm)) return;
  const auto unknown = static_cast<uint64_t>(vocabulary.tokenizer()->unknown);
  if (unknown < vocabulary.size() || vocabulary.Contains("\n")) return;
  find(vocabulary.key()->at_value(),
       "has {tokens} tokens and no newline, but the default unknown token is "
       "{id}",
       {{"tokens", vocabulary.size()}, {"id", unknown}});
}

constexpr Rule kWordPieceTokens = {
    "wpm-has-tokens",
    Severities().Upload(kError).LlamaCpp(kError),
    "A WordPiece vocabulary shall have at least one token.",
    "llama.cpp uses token 0 as the newline token and looks it up while it "
    "loads the vocabulary; it rejects a file without token 0.",
    "Write the tokenizer of the original model.",
    "Not in the specification; llama.cpp's loader throws "
    "\"vector::_M_range_check\".",
    Since("0.2.0")};

void WordPieceTokens(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  if (!LacksAllPieces(vocabulary)) return;
  find(vocabulary.key()->at_value(), "has no tokens", {});
}

constexpr char kSuppressed[] = "tokenizer.ggml.suppress_tokens";

constexpr Rule kSuppressedInRange = {
    "suppressed-token-ids-in-range",
    Everywhere(kWarning),
    "The ids of suppressed tokens should be ids of existing tokens.",
    "A reader that does not check the ids writes outside its array of "
    "probabilities.",
    "Remove the ids that are negative or not below the number of tokens.",
    "Not in the specification; llama.cpp ignores ids out of range."};

void SuppressedInRange(const Model& model, Finder& find) {
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
  const uint64_t begin = kv.value.end - (length - first) * sizeof(int32_t);
  find({begin, begin + sizeof(int32_t)}, kv.subject().Of("value").At(first),
       count == 1 ? "is {id}, but there are {tokens} tokens"
                  : "is {id}, but there are {tokens} tokens; the first of "
                    "{count} such ids",
       {{"id", *IntegerOf(model.file, kv, first)},
        {"tokens", vocabulary.size()},
        {"count", count}});
}

constexpr Rule kAddedHasId = {
    "added-token-has-id",
    Severities().Upload(kWarning).LlamaCpp(kWarning).Safety(kWarning),
    "A special token that the file tells readers to add to their input should "
    "have an id.",
    "Without an id, readers add token -1 or abort.",
    "Write the token's id, or set the key that adds it to false.",
    "Not in the specification; llama.cpp asserts this when it tokenizes text."};

void AddedHasId(const Model& model, Finder& find) {
  for (const SpecialToken& token : kSpecialTokens) {
    const KeyValue* kv =
        token.flag == nullptr ? nullptr : model.FindKey(token.flag);
    if (kv == nullptr || kv->type->kind != ValueKind::kBool) continue;
    if (IntegerOf(model.file, *kv) == 0 || HasIdKey(model, token)) continue;
    if (DefaultId(model, token) >= 0) continue;
    find(kv->at_value(), "is true, but {key} is absent",
         {{"key", Word{token.key}}});
  }
}

constexpr Check kChecks[] = {
    {&kIdsInRange, Needs::kKeys, IdsInRange, OnlyWithVocabulary},
    {&kDefaultsInRange, Needs::kKeys, DefaultsInRange, OnlyWithVocabulary,
     OnlyModels, OnlyWithDefaults},
    {&kUnigramUnknown, Needs::kKeys, UnigramUnknown, OnlyWithVocabulary},
    {&kWordPieceTokens, Needs::kKeys, WordPieceTokens, OnlyWithVocabulary},
    {&kSuppressedInRange, Needs::kKeys, SuppressedInRange,
     OnlyWithArray<kSuppressed, ValueType::kI32>, OnlyWithVocabulary},
    {&kAddedHasId, Needs::kKeys, AddedHasId, OnlyWithVocabulary, OnlyModels,
     OnlyWithDefaults},
};

}  // namespace

absl::Span<const Check> SpecialTokenChecks() { return kChecks; }

}  // namespace gguf
