// The table of statements, and the scan of a template: tags, blocks and texts.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/scanner.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "conformance/base/limits.h"
#include "conformance/jinja/cycles.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

// Statements of Jinja2, of its extensions loopcontrols, do and debug, and of
// transformers (generation).  The lexer handles raw blocks.
constexpr Statement kStatements[] = {
    {"if", "endif", true},
    {"for", "endfor", true},
    {"macro", "endmacro", false, true},
    {"call", "endcall", true, true},
    {"filter", "endfilter", false, true},
    {"set", "endset", false, true},
    {"with", "endwith"},
    {"autoescape", "endautoescape"},
    {"block", "endblock", false, true},
    {"generation", "endgeneration"},
    {"print", ""},
    {"do", ""},
    {"break", ""},
    {"continue", ""},
    {"debug", ""},
    {"include", "", false, false, true},
    {"import", "", false, false, true},
    {"from", "", false, false, true},
    {"extends", "", false, false, true},
};

auto MacroBlock(const Blocks& blocks) {
  return std::find_if(blocks.rbegin(), blocks.rend(),
                      [](const Block& block) { return block.macro.has_value(); });
}

}  // namespace

const Statement* FindStatement(absl::string_view name) {
  const auto* found = absl::c_find_if(
      kStatements, [&](const Statement& statement) { return statement.name == name; });
  return found == std::end(kStatements) ? nullptr : found;
}

bool IsEnd(absl::string_view name) {
  if (name.empty()) return false;
  return absl::c_any_of(kStatements,
                        [&](const Statement& statement) { return statement.end == name; });
}

size_t MacroOf(const Blocks& blocks) {
  const auto block = MacroBlock(blocks);
  return block == blocks.rend() ? MacroGraph::kTemplate : *block->macro;
}

double RoundsIn(const Blocks& blocks) {
  double rounds = 1;
  std::for_each(blocks.rbegin(), MacroBlock(blocks),
                [&](const Block& block) { rounds *= block.rounds.value_or(1); });
  return rounds;
}

double MostRoundsIn(const Blocks& blocks) {
  const bool is_known = absl::c_none_of(
      blocks, [](const Block& block) { return block.macro || (block.is_loop && !block.rounds); });
  return is_known ? RoundsIn(blocks) : std::numeric_limits<double>::infinity();
}

bool IsConditional(const Blocks& blocks) {
  const auto macro = MacroBlock(blocks);
  const auto end = macro == blocks.rend() ? macro : std::next(macro);
  return std::any_of(blocks.rbegin(), end,
                     [](const Block& block) { return block.statement->is_choice; });
}

bool IsValue(const Blocks& blocks) {
  return absl::c_any_of(blocks, [](const Block& block) { return block.statement->is_value; });
}

// Scans templates: tags, blocks and texts.

using absl::string_view;

TemplateScan Scanner::Run() {
  for (;;) {
    const Token token = lexer_.Next();
    if (token.kind == Token::kEnd || scan_.is_cut) break;
    begin_ = token;
    if (token.kind == Token::kText) ReadText(token);
    if (token.kind == Token::kBeginVariable || token.kind == Token::kBeginStatement) {
      ReadTag();
    }
    if (token.kind == Token::kError) {
      Report(FaultKind::kSyntax, token, token.why);
    }
  }
  if (!scan_.is_cut && !blocks_.empty()) {
    Report(FaultKind::kSyntax, blocks_.front().word, "begins a block that is never closed");
  }
  FindCycles();
  scan_.special_tokens = special_tokens_.tokens();
  scan_.has_all_special_tokens = !special_tokens_.is_full();
  return std::move(scan_);
}

bool Scanner::Next(Token* token) {
  for (;;) {
    PollDeadline();
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
      case Token::kName:
        if (IsSpecialName(token->text)) {
          Report(FaultKind::kAttribute, *token, "");
        }
        if (!absl::c_all_of(token->text, absl::ascii_isascii)) {
          Report(FaultKind::kAttributeName, *token,
                 "is a name that Python may normalize to another one");
        }
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

string_view Scanner::PushUntil(std::initializer_list<string_view> words, Expression* expression) {
  Token token;
  while (!scan_.is_cut && Next(&token)) {
    if (!expression->is_in_bracket()) {
      for (const string_view word : words) {
        if (token.Is(word)) return word;
      }
    }
    expression->Push(token);
    if (blocks_.size() + expression->depth() > kDeepestNesting) Cut(token);
  }
  return "";
}

// With `is_filter`, the name of a filter comes first.
Constant Scanner::ReadExpression(bool is_whole, bool is_filter) {
  Expression expression(variables_, &flow_, &scan_.faults, is_whole);
  if (is_filter) expression.BeginFilter();
  PushUntil({}, &expression);
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
  const bool is_conditional = expression.has_choice() || IsConditional(blocks_);
  for (const Token& callee : expression.calls()) {
    macros_.AddCall({MacroOf(blocks_), callee.text, is_conditional, RoundsIn(blocks_), begin_});
  }
}

// The text in a set block or in a macro is a value.
void Scanner::ReadText(const Token& text) {
  special_tokens_.FindIn(text);
  if (!blocks_.empty()) {
    ++blocks_.back().pieces;
    blocks_.back().text = text.text;
  }
  if (!IsValue(blocks_)) return;
  const string_view name = absl::StripAsciiWhitespace(text.text);
  if (IsSpecialName(name)) {
    scan_.faults.Add(
        {FaultKind::kAttribute, 0, text.offset, text.offset + text.text.size(), std::string(name)});
  }
}

void Scanner::ReadTag() {
  UpdatePlace();
  if (begin_.kind == Token::kBeginStatement) return ReadStatement();
  if (!blocks_.empty()) ++blocks_.back().pieces;
  const auto set = std::find_if(blocks_.rbegin(), blocks_.rend(),
                                [](const Block& block) { return !block.targets.names.empty(); });
  const Constant value = ReadExpression(true);
  if (set != blocks_.rend()) set->copies.Add(value.copies);
}

void Scanner::ReadStatement() {
  Token word;
  if (!Next(&word)) {
    return Report(FaultKind::kSyntax, begin_, "begins a tag without a statement");
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
  const bool is_silent = statement.name == "set" || statement.name == "do";
  if (!blocks_.empty() && !is_silent) ++blocks_.back().pieces;
  if (statement.name == "set") return ReadSet(block);
  if (statement.name == "for") return ReadFor(block);
  if (statement.name == "macro") return ReadMacro(block);
  if (statement.name == "call") return ReadCall(block);
  if (statement.name == "with") return ReadWith(block);
  if (statement.is_import) Report(FaultKind::kOtherTemplate, word, "");
  const bool is_whole =
      statement.name == "if" || statement.name == "print" || statement.name == "do";
  ReadExpression(is_whole, statement.name == "filter");
  if (statement.end.empty()) return;
  Open(block);
  if (statement.name == "block") blocks_.back().macro_bit = Flow::kBlocks;
}

void Scanner::Open(const Block& block) {
  if (scan_.is_cut) return;
  if (blocks_.size() == kDeepestNesting) return Cut(block.word);
  blocks_.push_back(block);
  flow_.OpenScope(block.statement->name == "block");
}

// If it closes an outer block, the blocks inside that one end as well.
void Scanner::End(const Token& word) {
  const auto block = std::find_if(blocks_.rbegin(), blocks_.rend(), [&](const Block& open) {
    return open.statement->end == word.text;
  });
  if (block != blocks_.rbegin() || block == blocks_.rend()) {
    Report(FaultKind::kSyntax, word, "does not close the open block");
  }
  if (block != blocks_.rend()) {
    const Block closed = std::move(*block);
    const auto first = std::prev(block.base());
    for (auto each = first; each != blocks_.end(); ++each) flow_.CloseScope();
    blocks_.erase(first, blocks_.end());
    if (!closed.targets.names.empty()) CloseSet(closed);
  }
}

void Scanner::Part(const Token& word) {
  const string_view name = blocks_.empty() ? "" : blocks_.back().statement->name;
  if (name != "if" && !(name == "for" && word.text == "else")) {
    return Report(FaultKind::kSyntax, word, "is not inside an if");
  }
  flow_.CloseScope();  // What one branch sets is not set in the next.
  flow_.OpenScope(false);
  if (++blocks_.back().elifs == kMostOperators + 1) {
    ReportNesting(word, "has an if with more than a thousand branches");
  }
}

void Scanner::FindCycles() {
  scan_.is_too_rich |= !macros_.is_complete() || !growth_.is_complete() || flow_.is_full();
  for (const Token& tag : growth_.FindCycles()) {
    Report(FaultKind::kSize, tag, "", HUGE_VAL);
  }
  for (const Token& call : flow_.FindHeldCycles()) {
    Report(FaultKind::kHeldMacro, call, "");
  }
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

}  // namespace gguf::jinja
