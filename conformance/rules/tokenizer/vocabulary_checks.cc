// Checks of the tokens of a vocabulary, one by one and against each other.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/model/before_nul.h"
#include "conformance/model/regex.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/judged_vocabulary.h"
#include "conformance/rules/tokenizer/checks.h"
#include "parser/core/name_hash.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Reports the first token that `is_wrong` selects by id, and how many there
// are.
template <class Predicate>
void FindTokens(const Model& model, Finder& find, absl::string_view one,
                absl::string_view many, Predicate is_wrong) {
  const Vocabulary& vocabulary = model.vocabulary();
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t id = 0; id < vocabulary.size(); ++id) {
    if (is_wrong(vocabulary, id) && count++ == 0) first = id;
  }
  if (count == 0) return;
  find(vocabulary.at(first), count == 1 ? one : many,
       {{"count", count},
        {"id", first},
        {"length", vocabulary.tokens()[first].size()}});
}

constexpr Rule kTokensUnique = {
    "tokens-unique",
    Everywhere(kWarning).LlamaCpp(kError),
    "No two tokens should be equal.",
    "llama.cpp aborts; other readers map the string to the last of the ids and "
    "never produce the other ids.",
    "Give unused tokens unique names, such as [PAD7].",
    "gguf.md, tokenizer.ggml.tokens: \"A list of tokens indexed by the token "
    "ID\"; llama.cpp asserts that there are as many distinct strings as ids."};

void TokensUnique(const Model& model, Finder& find) {
  const Vocabulary& vocabulary = model.vocabulary();
  // llama.cpp gives names to empty tokens; tokens-not-empty reports them.
  uint64_t count = 0;
  uint32_t first = 0;
  for (const uint32_t id : vocabulary.duplicates()) {
    if (!vocabulary.tokens()[id].empty() && count++ == 0) first = id;
  }
  if (count == 0) return;
  const absl::string_view text = vocabulary.tokens()[first];
  find(vocabulary.at(first),
       count == 1
           ? "is {text}, as is token {other}"
           : "is {text}, as is token {other}; the first of {count} duplicates",
       {{"text", text},
        {"other", vocabulary.Find(text).value_or(0)},
        {"count", count}});
}

bool HasNul(absl::string_view text) {
  return text.find('\0') != absl::string_view::npos;
}

constexpr Rule kTokensUniqueBeforeNul = {
    "tokens-unique-before-nul",
    Severities().LlamaCpp(kError),
    "No two tokens shall be equal up to their first NUL byte.",
    "llama.cpp truncates tokens at a NUL byte, finds the same token twice and "
    "aborts.",
    "Write a zero byte in the tokenizer's notation, such as <0x00>.",
    "Not in the specification; llama.cpp asserts that there are as many "
    "distinct strings as ids."};

void TokensUniqueBeforeNul(const Model& model, Finder& find) {
  NameSet<> seen;
  FindTokens(
      model, find, "equals another token up to its NUL byte",
      "is the first of {count} that equal another token up to their NUL byte",
      [&](const Vocabulary& vocabulary, uint64_t id) {
        const absl::string_view text = vocabulary.tokens()[id];
        if (!HasNul(text)) return false;
        const absl::string_view cut = BeforeNul(text);
        if (cut.empty()) return false;  // llama.cpp gives it a name.
        return vocabulary.Contains(cut) || !seen.insert(cut).second;
      });
}

constexpr Rule kEmptyTokenNames = {
    "empty-token-names-unique",
    Severities().LlamaCpp(kError),
    "No token shall have the name that llama.cpp gives to an empty token.",
    "For example, llama.cpp names the empty token 7 [EMPTY_7]; if another "
    "token has that name, llama.cpp finds the same token twice and aborts.",
    "Give the empty token a name.",
    "Not in the specification; llama.cpp asserts that there are as many "
    "distinct strings as ids.",
    Since("0.2.0")};

void EmptyTokenNames(const Model& model, Finder& find) {
  FindTokens(
      model, find, "is empty, and another token has the name [EMPTY_{id}]",
      "is the first of {count} empty tokens whose names are other tokens",
      [](const Vocabulary& vocabulary, uint64_t id) {
        return BeforeNul(vocabulary.tokens()[id]).empty() &&
               vocabulary.Contains(absl::StrCat("[EMPTY_", id, "]"));
      });
}

constexpr Rule kTokensWithoutNul = {
    "tokens-without-nul",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kWarning),
    "A token should not contain a NUL byte.",
    "Readers that use C strings truncate the token at the NUL byte.",
    "Write a zero byte in the tokenizer's notation, such as <0x00>.",
    "Not in the specification; ggml returns strings as C strings."};

void TokensWithoutNul(const Model& model, Finder& find) {
  FindTokens(model, find, "contains a NUL byte",
             "is the first of {count} that contain a NUL byte",
             [](const Vocabulary& vocabulary, uint64_t id) {
               return HasNul(vocabulary.tokens()[id]);
             });
}

constexpr Rule kTokensNotEmpty = {
    "tokens-not-empty",
    Severities().Upload(kWarning).Spec(kNote).LlamaCpp(kWarning),
    "A token should not be empty.",
    "llama.cpp gives an empty token a name; in other readers, the empty token "
    "matches everywhere in the input.",
    "Give an unused token a name, such as [PAD7].",
    "Not in the specification; llama.cpp warns about it."};

void TokensNotEmpty(const Model& model, Finder& find) {
  FindTokens(model, find, "is empty", "is the first of {count} that are empty",
             [](const Vocabulary& vocabulary, uint64_t id) {
               return vocabulary.tokens()[id].empty();
             });
}

constexpr Rule kTokenLength = {
    "token-length-plausible",
    Severities().Upload(kWarning).Safety(kWarning),
    "A token should be at most 1 MiB long.",
    "Readers allocate buffers for the longest token, and some store the length "
    "in 31 bits (CVE-2025-49847).",
    "Write the token of the original model: the longest tokens of real models "
    "are a few hundred bytes long.",
    "Not in the specification; the limit leaves room for every known "
    "vocabulary."};

void TokenLengthPlausible(const Model& model, Finder& find) {
  constexpr uint64_t kLongest = uint64_t{1} << 20;
  FindTokens(model, find, "is {length} bytes long",
             "is {length} bytes long, the first of {count} longer than 1 MiB",
             [](const Vocabulary& vocabulary, uint64_t id) {
               return vocabulary.tokens()[id].size() > kLongest;
             });
}

constexpr Rule kTrieTokenLength = {
    "trie-token-length-bounded",
    Severities().Upload(kError).LlamaCpp(kError).Safety(kError),
    "A token of a unigram or RWKV vocabulary shall be at most 8192 bytes long.",
    "llama.cpp stores these tokens in a tree with a level for each byte, and "
    "overflows the stack when it builds or frees a deep tree; the depth at "
    "which this happens depends on the size of the thread's stack.",
    "Write the token of the original model: the longest tokens of real models "
    "are a few hundred bytes long.",
    "Not in the specification; naive_trie in llama-vocab.cpp is recursive. On "
    "a thread with a stack of 512 KiB, as on macOS, a token of 16,000 bytes is "
    "too long.",
    Since("0.2.0")};

void TrieTokenLength(const Model& model, Finder& find) {
  constexpr uint64_t kLongest = 8192;
  FindTokens(model, find, "is {length} bytes long",
             "is {length} bytes long, the first of {count} above 8192 bytes",
             [](const Vocabulary& vocabulary, uint64_t id) {
               return vocabulary.tokens()[id].size() > kLongest;
             });
}

Reason OnlyWithTrie(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  return vocabulary.Is(TokenizerKind::kUgm) ||
                 vocabulary.Is(TokenizerKind::kRwkv)
             ? Reason()
             : Reason::Silent();
}

constexpr char kAddedTokens[] = "tokenizer.ggml.added_tokens";

constexpr Rule kAddedTokensKnown = {
    "added-tokens-known",
    Severities().Upload(kNote).Spec(kWarning),
    "Each entry of tokenizer.ggml.added_tokens should also be in "
    "tokenizer.ggml.tokens.",
    "A token that is only in added_tokens has no id, and no reader can use it.",
    "Append the token to tokenizer.ggml.tokens, or remove it from "
    "added_tokens.",
    "gguf.md, tokenizer.ggml.added_tokens: \"tokens that were added after "
    "training\"."};

void AddedTokensKnown(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kAddedTokens);
  const Vocabulary& vocabulary = model.vocabulary();
  FirstString unknown;
  ForEachString(model.file, kv,
                [&](absl::string_view text, Range where, uint64_t element) {
                  if (!vocabulary.Contains(text))
                    unknown.Add(text, where, element);
                });
  if (unknown.count == 0) return;
  find(unknown.where, kv.subject().Of("value").At(unknown.element),
       unknown.count == 1 ? "is {text}, which is not in tokenizer.ggml.tokens"
                          : "is {text}, the first of {count} that are not in "
                            "tokenizer.ggml.tokens",
       {{"text", unknown.text}, {"count", unknown.count}});
}

constexpr char kRwkvWorld[] = "tokenizer.rwkv.world";

constexpr Rule kRwkvWorldVocabulary = {
    "rwkv-world-vocabulary",
    Severities().Upload(kWarning).Spec(kWarning),
    "tokenizer.rwkv.world should be the text of a vocabulary: lines with an "
    "id, a token in quotes and its length in bytes.",
    "A reader that uses this key cannot create the tokenizer.",
    "Copy the whole file, such as rwkv_vocab_v20230424.txt.",
    "gguf.md, tokenizer.rwkv.world: \"This text file should be included "
    "verbatim\".",
    Since("0.2.0")};

Reason OnlyWithRwkvWorld(const Model& model) {
  const KeyValue* kv = model.FindKey(kRwkvWorld);
  return kv != nullptr && model.file.String(*kv) ? Reason() : Reason::Silent();
}

// Matches a line such as: 257 b'\xe0\xa4' 2
bool IsTokenLine(absl::string_view line) {
  static const RE2& expression =
      *new RE2(R"([0-9]+ +b?(?:'.*'|".*") +[0-9]+\r?)", RE2::Latin1);
  return Matches(expression, line);
}

void RwkvWorldVocabulary(const Model& model, Finder& find) {
  const KeyValue& kv = *model.FindKey(kRwkvWorld);
  const absl::string_view text = *model.file.String(kv);
  uint64_t number = 0;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    const bool is_end =
        line.empty() && number > 1 && line.data() == text.data() + text.size();
    if (is_end || IsTokenLine(line)) continue;
    return find(kv.at_value(), "is not a vocabulary: line {number} is {line}",
                {{"number", number}, {"line", line}});
  }
}

constexpr Check kChecks[] = {
    {&kTokensUnique, Needs::kKeys, TokensUnique, OnlyWithVocabulary},
    {&kTokensUniqueBeforeNul, Needs::kKeys, TokensUniqueBeforeNul,
     OnlyWithVocabulary},
    {&kEmptyTokenNames, Needs::kKeys, EmptyTokenNames, OnlyWithVocabulary},
    {&kTokensWithoutNul, Needs::kKeys, TokensWithoutNul, OnlyWithVocabulary},
    {&kTokensNotEmpty, Needs::kKeys, TokensNotEmpty, OnlyWithVocabulary},
    {&kTokenLength, Needs::kKeys, TokenLengthPlausible, OnlyWithVocabulary},
    {&kTrieTokenLength, Needs::kKeys, TrieTokenLength, OnlyWithVocabulary,
     OnlyWithTrie},
    {&kAddedTokensKnown, Needs::kKeys, AddedTokensKnown,
     OnlyWithArray<kAddedTokens, ValueType::kString>, OnlyWithVocabulary},
    {&kRwkvWorldVocabulary, Needs::kKeys, RwkvWorldVocabulary,
     OnlyWithRwkvWorld},
};

}  // namespace

absl::Span<const Check> VocabularyChecks() { return kChecks; }

}  // namespace gguf
