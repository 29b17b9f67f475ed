// Checks of the tokens of a vocabulary, one by one and against each other.
//
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/base/name_hash.h"
#include "conformance/model/text_match.h"
#include "conformance/rules/first_string.h"
#include "conformance/rules/requirements.h"
#include "conformance/rules/rule_tables.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// Reports the first token that `is_wrong` selects by id, and how many there
// are.
template <class Predicate>
void FindTokens(const Model& model, Finder& find, absl::string_view one, absl::string_view many,
                Predicate is_wrong) {
  const Vocabulary& vocabulary = model.vocabulary();
  uint64_t count = 0;
  uint64_t first = 0;
  for (uint64_t id = 0; id < vocabulary.size(); ++id) {
    if (is_wrong(vocabulary, id) && count++ == 0) first = id;
  }
  if (count == 0) return;
  find(vocabulary.at(first), count == 1 ? one : many,
       {{"count", count}, {"id", first}, {"length", vocabulary.tokens()[first].size()}});
}

void TokensUnique(const CheckContext& context, Finder& find) {
  const Vocabulary& vocabulary = context.model.vocabulary();
  // llama.cpp gives names to empty tokens; tokens-not-empty reports them.
  const auto [count, first] = vocabulary.duplicates();
  if (count == 0) return;
  const absl::string_view text = vocabulary.tokens()[first];
  find(vocabulary.at(first),
       count == 1 ? "is {text}, as is token {other}"
                  : "is {text}, as is token {other}; the first of {count} duplicates",
       {{"text", text}, {"other", vocabulary.Find(text).value_or(0)}, {"count", count}});
}

bool HasNul(absl::string_view text) { return text.find('\0') != absl::string_view::npos; }

Reason OnlyWithTrie(const Model& model) {
  const Vocabulary& vocabulary = model.vocabulary();
  return vocabulary.Is(TokenizerKind::kUgm) || vocabulary.Is(TokenizerKind::kRwkv)
             ? Reason()
             : Reason::Silent();
}

constexpr char kAddedTokens[] = "tokenizer.ggml.added_tokens";

void AddedTokensKnown(const CheckContext& context, Finder& find) {
  const KeyValue& kv = *context.model.FindKey(kAddedTokens);
  const Vocabulary& vocabulary = context.model.vocabulary();
  const FirstString unknown = FindString(
      context.model.file, kv, [&](absl::string_view text) { return !vocabulary.Contains(text); });
  if (unknown.count == 0) return;
  find(unknown.where, kv.subject().Of("value").At(unknown.element),
       unknown.count == 1 ? "is {text}, which is not in tokenizer.ggml.tokens"
                          : "is {text}, the first of {count} that are not in "
                            "tokenizer.ggml.tokens",
       {{"text", unknown.text}, {"count", unknown.count}});
}

constexpr char kRwkvWorld[] = "tokenizer.rwkv.world";

Reason OnlyWithRwkvWorld(const Model& model) {
  const KeyValue* kv = model.FindKey(kRwkvWorld);
  return kv != nullptr && model.file.String(*kv) ? Reason() : Reason::Silent();
}

// Matches a line such as: 257 b'\xe0\xa4' 2
bool IsTokenLine(absl::string_view line) {
  static const RE2& expression = *new RE2(R"([0-9]+ +b?(?:'.*'|".*") +[0-9]+\r?)", RE2::Latin1);
  return Matches(expression, line);
}

}  // namespace

constexpr RuleTable kVocabularyRules = {
    {.id = "tokens-unique",
     .severities = {.upload = kError, .spec = kWarning, .llama_cpp = kError, .safety = kError},
     .summary = "No two tokens shall be equal.",
     .why = "llama.cpp aborts; other readers map the string to the last of the "
            "ids and never produce the other ids.",
     .repair = "Give unused tokens unique names, such as [PAD7].",
     .citation = "gguf.md, tokenizer.ggml.tokens: \"A list of tokens indexed "
                 "by the token ID\"; llama.cpp asserts that there are as many "
                 "distinct strings as ids.",
     .requirements = {OnlyWithVocabulary},
     .check = TokensUnique},
    {.id = "tokens-unique-before-nul",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "No two tokens shall be equal up to their first NUL byte.",
     .why = "llama.cpp truncates tokens at a NUL byte, finds the same token "
            "twice and aborts.",
     .repair = "Write a zero byte in the tokenizer's notation, such as <0x00>.",
     .citation = "Not in the specification; llama.cpp asserts that there are "
                 "as many distinct strings as ids.",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           NameSet<> seen;
           FindTokens(context.model, find, "equals another token up to its NUL byte",
                      "is the first of {count} that equal another token up to their "
                      "NUL byte",
                      [&](const Vocabulary& vocabulary, uint64_t id) {
                        const absl::string_view text = vocabulary.tokens()[id];
                        if (!HasNul(text)) return false;
                        const absl::string_view cut = BeforeNul(text);
                        if (cut.empty()) return false;  // llama.cpp gives it a name.
                        return vocabulary.Contains(cut) || !seen.insert(cut).second;
                      });
         }},
    {.id = "empty-token-names-unique",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "No token shall have the name that llama.cpp gives to an empty token.",
     .why = "For example, llama.cpp names the empty token 7 [EMPTY_7]; if "
            "another token has that name, llama.cpp finds the same token twice "
            "and aborts.",
     .repair = "Give the empty token a name.",
     .citation = "Not in the specification; llama.cpp asserts that there are "
                 "as many distinct strings as ids.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindTokens(context.model, find, "is empty, and another token has the name [EMPTY_{id}]",
                      "is the first of {count} empty tokens whose names are other "
                      "tokens",
                      [](const Vocabulary& vocabulary, uint64_t id) {
                        return BeforeNul(vocabulary.tokens()[id]).empty() &&
                               vocabulary.Contains(absl::StrCat("[EMPTY_", id, "]"));
                      });
         }},
    {.id = "tokens-without-nul",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kWarning},
     .summary = "A token should not contain a NUL byte.",
     .why = "Readers that use C strings truncate the token at the NUL byte.",
     .repair = "Write a zero byte in the tokenizer's notation, such as <0x00>.",
     .citation = "Not in the specification; ggml returns strings as C strings.",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindTokens(context.model, find, "contains a NUL byte",
                      "is the first of {count} that contain a NUL byte",
                      [](const Vocabulary& vocabulary, uint64_t id) {
                        return HasNul(vocabulary.tokens()[id]);
                      });
         }},
    {.id = "tokens-not-empty",
     .severities = {.upload = kWarning, .spec = kNote, .llama_cpp = kWarning},
     .summary = "A token should not be empty.",
     .why = "llama.cpp gives an empty token a name; in other readers, the "
            "empty token matches everywhere in the input.",
     .repair = "Give an unused token a name, such as [PAD7].",
     .citation = "Not in the specification; llama.cpp warns about it.",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           FindTokens(context.model, find, "is empty", "is the first of {count} that are empty",
                      [](const Vocabulary& vocabulary, uint64_t id) {
                        return vocabulary.tokens()[id].empty();
                      });
         }},
    {.id = "token-length-plausible",
     .severities = {.upload = kWarning, .safety = kWarning},
     .summary = "A token should be at most 1 MiB long.",
     .why = "Readers allocate buffers for the longest token, and some store "
            "the length in 31 bits (CVE-2025-49847).",
     .repair = "Write the token of the original model: the longest tokens of "
               "real models are a few hundred bytes long.",
     .citation = "Not in the specification; the limit leaves room for every "
                 "known vocabulary.",
     .requirements = {OnlyWithVocabulary},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint64_t kLongest = uint64_t{1} << 20;
           FindTokens(context.model, find, "is {length} bytes long, more than 1 MiB",
                      "is {length} bytes long, more than 1 MiB; the first of {count} such tokens",
                      [](const Vocabulary& vocabulary, uint64_t id) {
                        return vocabulary.tokens()[id].size() > kLongest;
                      });
         }},
    {.id = "trie-token-length-bounded",
     .severities = {.upload = kError, .llama_cpp = kError, .safety = kError},
     .summary = "A token of a unigram or RWKV vocabulary shall be at most 8192 "
                "bytes long.",
     .why = "llama.cpp stores these tokens in a tree with a level for each "
            "byte, and overflows the stack when it builds or frees a deep "
            "tree; the depth at which this happens depends on the size of the "
            "thread's stack.",
     .repair = "Write the token of the original model: the longest tokens of "
               "real models are a few hundred bytes long.",
     .citation = "Not in the specification; naive_trie in llama-vocab.cpp is "
                 "recursive. On a thread with a stack of 512 KiB, as on macOS, "
                 "a token of 16,000 bytes is too long.",
     .since = "0.2.0",
     .requirements = {OnlyWithVocabulary, OnlyWithTrie},
     .check =
         [](const CheckContext& context, Finder& find) {
           constexpr uint64_t kLongest = 8192;
           FindTokens(context.model, find, "is {length} bytes long, more than 8192",
                      "is {length} bytes long, more than 8192; the first of {count} such tokens",
                      [](const Vocabulary& vocabulary, uint64_t id) {
                        return vocabulary.tokens()[id].size() > kLongest;
                      });
         }},
    {.id = "added-tokens-known",
     .severities = {.upload = kNote, .spec = kWarning},
     .summary = "Each entry of tokenizer.ggml.added_tokens should also be in "
                "tokenizer.ggml.tokens.",
     .why = "A token that is only in added_tokens has no id, and no reader can "
            "use it.",
     .repair = "Append the token to tokenizer.ggml.tokens, or remove it from "
               "added_tokens.",
     .citation = "gguf.md, tokenizer.ggml.added_tokens: \"tokens that were "
                 "added after training\".",
     .requirements = {OnlyWithArray<kAddedTokens, ValueType::kString>, OnlyWithVocabulary},
     .check = AddedTokensKnown},
    {.id = "rwkv-world-vocabulary",
     .severities = {.upload = kWarning, .spec = kWarning},
     .summary = "tokenizer.rwkv.world should be the text of a vocabulary: "
                "lines with an id, a token in quotes and its length in bytes.",
     .why = "A reader that uses this key cannot create the tokenizer.",
     .repair = "Copy the whole file, such as rwkv_vocab_v20230424.txt.",
     .citation = "gguf.md, tokenizer.rwkv.world: \"This text file should be "
                 "included verbatim\".",
     .since = "0.2.0",
     .requirements = {OnlyWithRwkvWorld},
     .check =
         [](const CheckContext& context, Finder& find) {
           const KeyValue& kv = *context.model.FindKey(kRwkvWorld);
           const absl::string_view text = *context.model.file.String(kv);
           uint64_t number = 0;
           for (const absl::string_view line : absl::StrSplit(text, '\n')) {
             ++number;
             const bool is_end =
                 line.empty() && number > 1 && line.data() == text.data() + text.size();
             if (is_end || IsTokenLine(line)) continue;
             return find(kv.at_value(), "is not a vocabulary: line {number} is {line}",
                         {{"number", number}, {"line", line}});
           }
         }},
};

}  // namespace gguf
