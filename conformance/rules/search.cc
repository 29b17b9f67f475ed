// Scores symptoms and rules by the words that they have.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/search.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/catalogue.h"

namespace gguf {
namespace {

using absl::string_view;

constexpr string_view kSmallWords[] = {"a",  "an",  "and",  "at", "does", "i",
                                       "in", "is",  "it",   "my", "of",   "on",
                                       "or", "the", "this", "to", "why",  "with"};

std::vector<std::string> Words(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    for (string_view word : absl::StrSplit(absl::AsciiStrToLower(text), ' ', absl::SkipEmpty())) {
      if (absl::c_linear_search(kSmallWords, word)) continue;
      if (word.size() > 3 && absl::EndsWith(word, "s")) word.remove_suffix(1);
      words.emplace_back(word);
    }
  }
  return words;
}

// Returns whether a word of the text begins with this one, in lower case.
bool Has(string_view text, string_view word) {
  for (size_t at = 0; at + word.size() <= text.size(); ++at) {
    const bool begins =
        at == 0 || !absl::ascii_isalnum(text[at - 1]) || !absl::ascii_isalnum(text[at]);
    if (begins && absl::StartsWithIgnoreCase(text.substr(at), word)) return true;
  }
  return false;
}

// A text to look in, and what a word in it is worth.
struct Place {
  string_view text;
  int worth;
};

// Returns 0 unless each word is in one of the places.
int Score(const std::vector<std::string>& words, const std::vector<Place>& places) {
  int score = 0;
  for (const std::string& word : words) {
    const auto place = absl::c_find_if(places, [&](const Place& p) { return Has(p.text, word); });
    if (place == places.end()) return 0;
    score += place->worth;
  }
  return score;
}

// Returns those that have a score, the best first.
template <class T>
std::vector<const T*> Best(std::vector<std::pair<int, const T*>> scored) {
  absl::c_stable_sort(scored, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<const T*> best;
  for (const auto& [score, one] : scored) {
    if (score > 0) best.push_back(one);
  }
  return best;
}

}  // namespace

SearchResult Search(const std::vector<std::string>& texts, size_t most) {
  const std::vector<std::string> words = Words(texts);
  SearchResult result;
  std::vector<std::pair<int, const Symptom*>> symptoms;
  for (const Symptom& symptom : kSymptoms) {
    const std::string others = absl::StrJoin(symptom.words, "\n");
    symptoms.emplace_back(Score(words, {{symptom.symptom, 3}, {others, 2}}), &symptom);
  }
  result.symptoms = Best(std::move(symptoms));
  if (result.symptoms.size() > most) result.symptoms.resize(most);
  for (const Symptom* symptom : result.symptoms) {
    for (const char* const id : symptom->rules) {
      const Rule* const rule = FindRule(id);
      if (!absl::c_linear_search(result.rules, rule)) result.rules.push_back(rule);
    }
  }
  std::vector<std::pair<int, const Rule*>> rules;
  for (const Rule* rule : Catalogue()) {
    const int score =
        Score(words, {{rule->id, 4}, {rule->summary, 3}, {rule->repair, 2}, {rule->why, 1}});
    if (!absl::c_linear_search(result.rules, rule)) rules.emplace_back(score, rule);
  }
  for (const Rule* rule : Best(std::move(rules))) result.rules.push_back(rule);
  return result;
}

std::string TroubleshootingText() {
  std::string out =
      "# Troubleshooting\n\n"
      "What you see, what to do first, and the rules that a file with this fault breaks.  "
      "`ggufcheck explain WORD...` finds these entries by your words, such as `ggufcheck explain "
      "never stops`.  Generated from `conformance/tables/symptoms.tsv` by `bazel run "
      "//cli:rules_doc`.\n";
  string_view section;
  for (const Symptom& symptom : kSymptoms) {
    if (symptom.section != section) absl::StrAppend(&out, "\n## ", symptom.section, "\n");
    section = symptom.section;
    absl::StrAppend(&out, "\n### ", symptom.symptom, "\n\n", symptom.advice, "\n\n    ",
                    symptom.command, "\n\nRules: ",
                    absl::StrJoin(symptom.rules, ", ",
                                  [](std::string* text, const char* id) {
                                    absl::StrAppend(text, "[", id, "](rules.md#", id, ")");
                                  }),
                    ".\n");
  }
  return out;
}

}  // namespace gguf
