// Scans templates: tags, blocks, variables, macros.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/template_scan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/blocks.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/macro_graph.h"
#include "conformance/jinja/special_tokens.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

constexpr size_t kMostVariables = 1000;

// Growth: tracks variables that are set to several copies of themselves.
class Growth {
 public:
  // More variables than this are not followed.
  static constexpr size_t kMostTargets = 1000;

  // Notes that the target is set to `copies` copies of itself, `rounds` times.
  // Returns the factor by which it grows, including all that was noted before.
  double Set(const Target& target, double copies, double rounds) {
    const std::pair key(target.name, target.attribute);
    if (copies < 2) {
      factors_.erase(key);
      return 1;
    }
    if (!is_complete()) return 1;
    double& factor = factors_.emplace(key, 1).first->second;
    return factor *= std::pow(copies, rounds);
  }

  bool is_complete() const { return factors_.size() < kMostTargets; }

 private:
  absl::flat_hash_map<std::pair<absl::string_view, absl::string_view>, double>
      factors_;
};

class Scanner {
 public:
  explicit Scanner(string_view text) : lexer_(text) {}

  TemplateScan Run();

 private:
  // Reads the next token of the tag.  Returns false at its end.
  bool Next(Token* token);
  // Pushes the rest of the tag, or its part before the word.
  bool PushUntil(string_view word, Expression* expression);
  Constant ReadExpression(bool is_whole, const Target& target = {},
                          bool is_filter = false);
  Constant Finish(Expression* expression);
  void Use(const Expression& expression);

  void ReadText(const Token& text);
  void ReadStatement();
  void Begin(const Statement& statement, const Token& word);
  void End(const Token& word);
  void Part(const Token& word);
  void ReadSet(Block block);
  Constant ReadValue(const Target& target);
  void ReadFor(Block block);
  void ReadMacro(Block block);
  void Open(const Block& block);
  void FindMacroCycles();

  void SetVariable(string_view name, Constant value);
  void Report(FaultKind kind, const Token& where, const char* why,
              double number = 0) {
    scan_.faults.Add({kind, 0, where.offset, where.offset + where.text.size(),
                      std::string(where.text), why, number});
  }
  void ReportNesting(const Token& where, const char* what) {
    Report(FaultKind::kNesting, where, what);
  }
  // Stops the scan; the rest is not read.
  void Cut(const Token& where);

  Lexer lexer_;
  TemplateScan scan_;
  Token begin_;  // Of the tag.
  Blocks blocks_;
  Variables variables_;
  Growth growth_;
  MacroGraph macros_;
  SpecialTokens special_tokens_;
  // Over all expressions, and over texts in blocks whose result is a value.
  bool has_open_attribute_ = false;
  bool has_piece_ = false;
};

TemplateScan Scanner::Run() {
  for (;;) {
    const Token token = lexer_.Next();
    if (token.kind == Token::kEnd || scan_.is_cut) break;
    begin_ = token;
    if (token.kind == Token::kText) ReadText(token);
    if (token.kind == Token::kBeginVariable) ReadExpression(true);
    if (token.kind == Token::kBeginStatement) ReadStatement();
    if (token.kind == Token::kError) {
      Report(FaultKind::kSyntax, token, token.why);
    }
  }
  if (!scan_.is_cut && !blocks_.empty()) {
    Report(FaultKind::kSyntax, blocks_.front().word,
           "begins an unclosed block");
  }
  FindMacroCycles();
  scan_.has_unknown_attribute |= has_open_attribute_ && has_piece_;
  scan_.special_tokens = special_tokens_.tokens();
  scan_.is_too_rich |= special_tokens_.is_full();
  return std::move(scan_);
}

bool Scanner::Next(Token* token) {
  for (;;) {
    *token = lexer_.Next();
    switch (token->kind) {
      case Token::kError:
        Report(FaultKind::kSyntax, *token, token->why);
        continue;
      case Token::kEndVariable:
      case Token::kEndStatement:
        if (token->why[0] != '\0') {
          Report(FaultKind::kSyntax, *token, token->why);
        }
        return false;
      case Token::kEnd:
        if (lexer_.too_deep()) {
          Cut(begin_);
        } else {
          Report(FaultKind::kSyntax, begin_, "begins an unclosed tag");
        }
        return false;
      case Token::kString:
        special_tokens_.FindIn(*token);
        return true;
      default:
        return true;
    }
  }
}

void Scanner::Cut(const Token& where) {
  scan_.is_cut = true;
  ReportNesting(where, "is nested more than 64 levels deep");
}

bool Scanner::PushUntil(string_view word, Expression* expression) {
  Token token;
  while (!scan_.is_cut && Next(&token)) {
    if (!word.empty() && token.Is(word) && expression->depth() == 0) {
      return true;
    }
    expression->Push(token);
    if (blocks_.size() + expression->depth() > kDeepestNesting) Cut(token);
  }
  return false;
}

// With `is_filter`, the name of a filter comes first.
Constant Scanner::ReadExpression(bool is_whole, const Target& target,
                                 bool is_filter) {
  Expression expression(variables_, &scan_.faults, is_whole);
  expression.set_target(target);
  if (is_filter) expression.BeginFilter();
  PushUntil("", &expression);
  if (is_whole && expression.is_empty()) {
    Report(FaultKind::kSyntax, begin_, "begins a tag without an expression");
  }
  return Finish(&expression);
}

Constant Scanner::Finish(Expression* expression) {
  if (scan_.is_cut) return {};  // The missing part was not read.
  const Constant value = expression->Finish();
  Use(*expression);
  return value;
}

// Notes which macros the expression calls.
void Scanner::Use(const Expression& expression) {
  scan_.has_unknown_attribute |= expression.has_unknown_attribute();
  has_open_attribute_ |= expression.has_open_attribute();
  has_piece_ |= expression.has_piece();
  const bool is_conditional = expression.has_choice() || IsConditional(blocks_);
  for (const Token& callee : expression.calls()) {
    macros_.AddCall({MacroOf(blocks_), callee.text, is_conditional,
                     RoundsIn(blocks_), begin_});
  }
}

// The text in a set block or in a macro is a value.
void Scanner::ReadText(const Token& text) {
  special_tokens_.FindIn(text);
  if (!IsValue(blocks_)) return;
  const string_view name = absl::StripAsciiWhitespace(text.text);
  if (IsSpecialName(name)) {
    scan_.faults.Add({FaultKind::kAttribute, 0, text.offset,
                      text.offset + text.text.size(), std::string(name)});
  }
  has_piece_ |= IsPieceOfSpecialName(name);
}

void Scanner::ReadStatement() {
  Token word;
  if (!Next(&word)) {
    return Report(FaultKind::kSyntax, begin_,
                  "begins a tag without a statement");
  }
  const Statement* statement = FindStatement(word.text);
  if (word.kind == Token::kName && statement != nullptr) {
    return Begin(*statement, word);
  }
  if (IsEnd(word.text)) {
    End(word);
  } else if (word.text == "elif" || word.text == "else") {
    Part(word);
  } else {
    Report(FaultKind::kSyntax, word, "is not a statement");
  }
  ReadExpression(word.text == "elif");
}

void Scanner::Begin(const Statement& statement, const Token& word) {
  const Block block = {&statement, word};
  if (statement.name == "set") return ReadSet(block);
  if (statement.name == "for") return ReadFor(block);
  if (statement.name == "macro") return ReadMacro(block);
  if (statement.is_import) Report(FaultKind::kOtherTemplate, word, "");
  const bool is_whole = statement.name == "if" || statement.name == "print" ||
                        statement.name == "do";
  ReadExpression(is_whole, {}, statement.name == "filter");
  if (!statement.end.empty()) Open(block);
}

void Scanner::Open(const Block& block) {
  if (scan_.is_cut) return;
  if (blocks_.size() == kDeepestNesting) return Cut(block.word);
  blocks_.push_back(block);
}

// If it closes an outer block, the blocks inside that one end as well.
void Scanner::End(const Token& word) {
  const auto block = std::find_if(
      blocks_.rbegin(), blocks_.rend(),
      [&](const Block& open) { return open.statement->end == word.text; });
  if (block != blocks_.rbegin() || block == blocks_.rend()) {
    Report(FaultKind::kSyntax, word, "does not close the open block");
  }
  if (block != blocks_.rend()) {
    blocks_.erase(std::prev(block.base()), blocks_.end());
  }
}

void Scanner::Part(const Token& word) {
  const string_view name =
      blocks_.empty() ? "" : blocks_.back().statement->name;
  if (name != "if" && !(name == "for" && word.text == "else")) {
    return Report(FaultKind::kSyntax, word, "is not inside an if");
  }
  if (++blocks_.back().elifs == kMostOperators + 1) {
    ReportNesting(word, "has an if with more than a thousand branches");
  }
}

// {% set x = VALUE %}, or a block.
void Scanner::ReadSet(Block block) {
  Token first, second;
  if (!Next(&first) || !Next(&second)) return Open(block);
  if (second.Is("=")) return SetVariable(first.text, ReadValue({first.text}));
  Expression target(variables_, &scan_.faults);
  target.Push(first);
  target.Push(second);
  const bool has_value = PushUntil("=", &target);
  const string_view attribute = target.last_name();
  Finish(&target);
  SetVariable(first.text, {});
  if (!has_value) return Open(block);
  ReadValue({first.text, second.Is(".") ? attribute : ""});
}

// Reads the value of a variable.  If it repeatedly consists of several copies
// of itself, it grows without bound.
Constant Scanner::ReadValue(const Target& target) {
  const Constant value = ReadExpression(true, target);
  const double growth =
      growth_.Set(target, value.copies, MostRoundsIn(blocks_));
  if (growth > kLargestValue) Report(FaultKind::kSize, begin_, "", growth);
  return value;
}

void Scanner::ReadFor(Block block) {
  Token token;
  bool goes_on = true;
  while ((goes_on = Next(&token)) && !token.Is("in")) {
    if (token.kind == Token::kName) SetVariable(token.text, {});
  }
  const Constant list = goes_on ? ReadExpression(false) : Constant();
  block.is_loop = true;
  if (list.size > 0) block.rounds = list.size;
  const double rounds = block.rounds.value_or(1) * RoundsIn(blocks_);
  if (block.rounds && rounds > kLongestRange) {
    Report(FaultKind::kLoop, block.word, "a loop", rounds);
  } else {
    macros_.AddLoop(MacroOf(blocks_), rounds);
  }
  Open(block);
}

void Scanner::ReadMacro(Block block) {
  Token name;
  if (!Next(&name)) return Open(block);
  block.macro = macros_.AddMacro(name);
  Expression parameters(variables_, &scan_.faults);
  Token token, previous;
  while (!scan_.is_cut && Next(&token)) {
    if (previous.Is("(") || previous.Is(",")) SetVariable(token.text, {});
    parameters.Push(token);
    previous = token;
    if (blocks_.size() + parameters.depth() > kDeepestNesting) Cut(token);
  }
  Finish(&parameters);
  Open(block);
}

void Scanner::SetVariable(string_view name, Constant value) {
  if (variables_.size() < kMostVariables || variables_.contains(name)) {
    variables_[name] = std::move(value);
  } else {
    scan_.is_too_rich = true;
  }
}

void Scanner::FindMacroCycles() {
  scan_.is_too_rich |= !macros_.is_complete() || !growth_.is_complete();
  for (const MacroGraph::Busy& busy : macros_.FindBusyCalls(kLongestRange)) {
    Report(FaultKind::kLoop, busy.where, "calls of macros", busy.rounds);
  }
  absl::flat_hash_set<size_t> endless;
  for (const Token& macro : macros_.FindCycles(false)) {
    Report(FaultKind::kEndlessMacro, macro, "");
    endless.insert(macro.offset);
  }
  for (const Token& macro : macros_.FindCycles(true)) {
    if (endless.contains(macro.offset)) continue;
    Report(FaultKind::kRecursiveMacro, macro, "");
  }
}

}  // namespace

TemplateScan ScanTemplate(string_view text) { return Scanner(text).Run(); }

}  // namespace gguf::jinja
