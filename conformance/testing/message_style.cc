// Looks at the words of a message outside of quotes.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/message_style.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/tables/symbols.h"
#include "re2/re2.h"

namespace gguf {
namespace {

// With which a message begins, after the text that it is about if it repeats that.
bool IsVerb(absl::string_view word) {
  static const auto& verbs = *new std::set<absl::string_view>{
      "adapts",  "are",    "begins",  "belongs", "calls",  "cannot", "contains", "creates",
      "differs", "does",   "ends",    "equals",  "fails",  "gives",  "goes",     "has",
      "have",    "is",     "lack",    "lacks",   "leads",  "leaves", "lists",    "make",
      "makes",   "maps",   "matches", "needs",   "points", "puts",   "refers",   "says",
      "shows",   "states", "uses",    "was",     "would",  "writes"};
  return verbs.count(word) > 0;
}

// Words that may follow a 1: verbs, and nouns in the singular.
bool MayFollowOne(absl::string_view word) {
  static const auto& words =
      *new std::set<absl::string_view>{"as", "has", "is", "less", "needs", "this", "was"};
  return words.count(word) > 0;
}

// Returns a name of a symbol in the text; empty if it has none.
std::string SymbolIn(absl::string_view text) {
  static const auto& symbols = *[] {
    auto* all = new std::set<absl::string_view>;
    for (const SymbolRow& row : kSymbolRows) {
      if (absl::StrContains(row.name, "_")) all->insert(row.name);
    }
    return all;
  }();
  static const LazyRE2 kWord = {R"(([A-Za-z0-9_.]*_[A-Za-z0-9_.]*))"};
  re2::StringPiece rest(text.data(), text.size()), word;
  while (RE2::FindAndConsume(&rest, *kWord, &word)) {
    if (symbols.count({word.data(), word.size()}) > 0) return std::string(word);
  }
  return "";
}

}  // namespace

std::string StyleFault(const Diagnostic& diagnostic) {
  std::string text = diagnostic.message;
  RE2::GlobalReplace(&text, R"x("(?:[^"\\]|\\.)*")x", "Q");
  std::string verb;
  if (!RE2::PartialMatch(text, R"(^(?:Q )?(\w+))", &verb) || !IsVerb(verb)) {
    return "no verb";
  }
  static const LazyRE2 kOnlyValue = {
      R"((?:is|are|has|have) (?:\[[^]]*\]|[^ ,:;]+)(?: \([^)]*\))?(?: \(the first of \d+\))?)"};
  if (RE2::FullMatch(text, *kOnlyValue) && text != "is empty" && text != "is missing") {
    return "only a value";
  }
  static const LazyRE2 kOne = {R"((?:^|[^0-9.#\[, -]) 1 ([a-z]+s)\b)"};
  re2::StringPiece rest(text);
  for (std::string word; RE2::FindAndConsume(&rest, *kOne, &word);) {
    if (!MayFollowOne(word)) return absl::StrCat("1 ", word);
  }
  // The header of a legacy format has names such as n_vocab.
  if (absl::StartsWith(diagnostic.rule->id, "legacy-")) return "";
  const std::string symbol = SymbolIn(text);
  return symbol.empty() ? "" : absl::StrCat("a name of the source code, ", symbol);
}

}  // namespace gguf
