// Visits the tree of a template until the facts of its variables no longer grow, and finds special
// tokens.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/analysis.h"

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/analyzer.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/machine.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Real templates need up to seven.
constexpr int kMostVisits = 16;

bool IsInName(char c) {
  return absl::ascii_isalnum(c) || (c & 0x80) != 0 ||
         string_view("_-.:").find(c) != string_view::npos;
}

// Collects texts of the form <|name|>, or with the wide bars (U+FF5C) of other models, and the
// marks of Gemma's turns.
class SpecialTokens {
 public:
  static constexpr size_t kMost = 1000;

  explicit SpecialTokens(Analysis* analysis) : analysis_(*analysis) {}

  // Finds those in a text or string of the template.
  void FindIn(const Token& token);

 private:
  void Add(const Token& token, size_t at, size_t size);

  Analysis& analysis_;
  NameSet<> seen_;
};

void SpecialTokens::FindIn(const Token& token) {
  const string_view text = token.text;
  for (const string_view bar : {"|", "\xef\xbd\x9c"}) {
    const std::string begin = absl::StrCat("<", bar);
    const std::string end = absl::StrCat(bar, ">");
    for (size_t at = text.find(begin); at != string_view::npos; at = text.find(begin, at + 1)) {
      const size_t name = at + begin.size();
      size_t stop = name;
      while (stop < text.size() && IsInName(text[stop]) &&
             !absl::StartsWith(text.substr(stop), bar)) {
        ++stop;
      }
      if (stop == name || !absl::StartsWith(text.substr(stop), end)) continue;
      Add(token, at, stop + end.size() - at);
    }
  }
  for (const string_view turn : {"<start_of_turn>", "<end_of_turn>"}) {
    const size_t at = text.find(turn);
    if (at != string_view::npos) Add(token, at, turn.size());
  }
}

void SpecialTokens::Add(const Token& token, size_t at, size_t size) {
  const string_view found = token.text.substr(at, size);
  if (!seen_.insert(found).second) return;
  if (analysis_.special_tokens.size() == kMost) {
    analysis_.has_all_special_tokens = false;
  } else {
    analysis_.special_tokens.push_back({Token::kText, found, token.offset + at, ""});
  }
}

void TakeErrors(const Tree& tree, Analysis* analysis) {
  for (const SyntaxError& error : tree.nesting) {
    analysis->faults.Add({FaultKind::kNesting, 0, error.begin, error.end, error.text, error.why});
  }
  for (const SyntaxError& error : tree.errors) {
    analysis->faults.Add({FaultKind::kSyntax, 0, error.begin, error.end, error.text, error.why});
  }
}

}  // namespace

Analysis Analyze(string_view text, size_t* bytes_left) {
  Analysis analysis;
  analysis.is_skipped = text.size() > *bytes_left;
  if (analysis.is_skipped) return analysis;
  const std::shared_ptr<const Tree> tree = Parse(text);
  const auto flow = std::make_unique<Flow>();
  for (int visits = 1; text.size() <= *bytes_left; ++visits) {
    const bool is_last = visits == kMostVisits || (visits > 1 && *bytes_left / 2 < text.size());
    if (is_last) flow->GiveUp();
    *bytes_left -= text.size();
    flow->BeginPass();
    analysis = Analysis();
    TakeErrors(*tree, &analysis);
    MachineOptions options;
    options.largest_value = kLargestValue;
    Machine machine(options);
    Analyzer(*tree, flow.get(), &machine, &analysis).Run();
    analysis.is_too_rich |= flow->has_grown();
    if (is_last || !flow->has_grown()) break;
  }
  analysis.tree = tree;
  analysis.is_cut = tree->is_cut;
  SpecialTokens special_tokens(&analysis);
  for (const Token& word : tree->words) {
    if (word.kind != Token::kName) special_tokens.FindIn(word);
  }
  return analysis;
}

}  // namespace gguf::jinja
