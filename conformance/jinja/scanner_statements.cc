// Scans the statements that set variables: set, for, macro, call and with.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/scanner.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The constants of more variables are not followed.
constexpr size_t kMostVariables = 1000;

// Returns the facts of what `for a, (b, c) in list` assigns.
Facts Unpacked(const Flow& flow, const Facts& item) {
  const Facts part = flow.PartOf(item);
  return Either(part, flow.PartOf(part));
}

}  // namespace

// {% set x = VALUE %}, {% set x.y = VALUE %}, {% set x, y = VALUE %}, or a
// block.
void Scanner::ReadSet(Block block) {
  Token first, second;
  if (!Next(&first)) return Open(block);
  block.target = first.text;
  if (!Next(&second)) return Open(block);
  if (second.Is("=")) return SetVariable(first, ReadValue({first.text}));
  Expression target(variables_, &flow_, &scan_.faults);
  std::vector<Token> names;
  Token previous;
  const auto push = [&](const Token& token) {
    const bool is_part = previous.Is(".") || previous.Is("|");
    if (token.kind == Token::kName && !is_part) names.push_back(token);
    previous = token;
    target.Push(token);
    if (blocks_.size() + target.depth() > kDeepestNesting) Cut(token);
  };
  push(first);
  push(second);
  bool has_value = false;
  for (Token token; !has_value && !scan_.is_cut && Next(&token);) {
    has_value = token.Is("=") && target.depth() == 0;
    if (!has_value) push(token);
  }
  if (second.Is(".")) block.attribute = target.last_name();
  Finish(&target);
  variables_[first.text] = {};
  if (!has_value) return Open(block);
  const Constant value = ReadValue({first.text, block.attribute});
  if (second.Is(".")) {
    CheckStored(first, value.facts);
    flow_.SetAttribute(block.attribute, value.facts);
    return;
  }
  const Facts part = flow_.PartOf(value.facts);
  for (const Token& name : names) {
    SetVariable(name, Constant::Unknown(Either(part, Unpacked(flow_, part))));
  }
}

// A text without tags is a literal.
void Scanner::CloseSet(const Block& block) {
  const string_view text = absl::StripAsciiWhitespace(block.text);
  const Facts facts = block.pieces == 0 ? LiteralFacts("")
                      : block.pieces == 1 && !block.text.empty()
                          ? LiteralFacts(text)
                          : AssembledFacts();
  if (block.attribute.empty()) {
    Token name;
    name.text = block.target;
    SetVariable(name, Constant::Unknown(facts));
  } else {
    flow_.SetAttribute(block.attribute, facts);
  }
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

// {% for x, y in LIST if CONDITION recursive %}
void Scanner::ReadFor(Block block) {
  std::vector<Token> names;
  Token token;
  bool goes_on = true;
  while ((goes_on = Next(&token)) && !token.Is("in")) {
    if (token.kind == Token::kName) names.push_back(token);
  }
  Expression expression(variables_, &flow_, &scan_.faults);
  string_view end;
  if (goes_on) end = PushUntil({"if", "recursive"}, &expression);
  const Constant list = Finish(&expression);
  block.is_loop = true;
  if (list.size > 0) block.rounds = list.size;
  const double rounds = block.rounds.value_or(1) * RoundsIn(blocks_);
  if (block.rounds && rounds > kLongestRange) {
    Report(FaultKind::kLoop, block.word, "a loop", rounds);
  } else {
    macros_.AddLoop(MacroOf(blocks_), rounds);
  }
  block.lists = list.facts.self.lists;
  for (const Token& name : names) block.variables.push_back(name.text);
  Open(block);
  if (scan_.is_cut) return;

  if (list.facts.self.Has(kChosen)) CheckStored(block.word, list.facts);
  Facts item = flow_.PartOf(list.facts);
  // In a recursive loop, also of loop(x).
  item.Join(flow_.PartOf(flow_.loop_argument()));
  flow_.AddLoopItems(item);
  if (names.size() > 1) item = Unpacked(flow_, item);
  for (const Token& name : names) {
    SetVariable(name, Constant::Unknown(item), Flow::By::kLoop);
  }
  UpdatePlace();  // The condition is a part of the loop.
  if (end == "if") {
    Expression condition(variables_, &flow_, &scan_.faults);
    end = PushUntil({"recursive"}, &condition);
    Finish(&condition);
  }
  if (end == "recursive") {
    blocks_.back().is_recursive = true;
    ReadExpression(false);
  }
}

// {% macro NAME(PARAMETERS) %}
void Scanner::ReadMacro(Block block) {
  Token name;
  if (!Next(&name)) return Open(block);
  block.macro = macros_.AddMacro(name);
  block.macro_bit = Flow::MacroBit(*block.macro);
  flow_.NameMacro(name.text, block.macro_bit);
  Facts macro = AssembledFacts();  // Its attributes.
  macro.self = {0, 0, block.macro_bit};
  flow_.Assign(name.text, Constant::Unknown(macro), Flow::By::kStatement);
  Expression signature(variables_, &flow_, &scan_.faults);
  signature.BeginSignature();
  PushUntil({}, &signature);
  Finish(&signature);
  OpenFunction(block, signature);
}

// {% call(PARAMETERS) MACRO(ARGUMENTS) %}
void Scanner::ReadCall(Block block) {
  block.macro_bit = Flow::kCallers;
  Expression call(variables_, &flow_, &scan_.faults);
  call.BeginSignature();
  PushUntil({}, &call);
  Finish(&call);
  OpenFunction(block, call);
}

void Scanner::OpenFunction(const Block& block, const Expression& signature) {
  Open(block);
  if (scan_.is_cut) return;
  size_t index = 0;
  for (const Expression::Parameter& parameter : signature.parameters()) {
    const Facts facts =
        flow_.Parameter(block.macro_bit, index++, parameter.name.text);
    SetVariable(parameter.name,
                Constant::Unknown(Either(parameter.value, facts)));
  }
}

// {% with x = VALUE, y = VALUE %}
void Scanner::ReadWith(const Block& block) {
  Expression assignments(variables_, &flow_, &scan_.faults);
  assignments.BeginAssignments();
  PushUntil({}, &assignments);
  Finish(&assignments);
  Open(block);
  if (scan_.is_cut) return;
  for (const Expression::Parameter& each : assignments.parameters()) {
    CheckStored(each.name, each.value);
    SetVariable(each.name, Constant::Unknown(each.value));
  }
}

void Scanner::SetVariable(const Token& name, const Constant& value,
                          Flow::By by) {
  if (name.offset > 0) CheckStored(name, value.facts);
  if (variables_.size() < kMostVariables || variables_.contains(name.text)) {
    variables_[name.text] = value;
  } else {
    scan_.is_too_rich = true;
  }
  flow_.Assign(name.text, value, by);
}

void Scanner::CheckStored(const Token& where, const Facts& value) {
  if (!value.All().Has(kChosen)) return;
  Report(FaultKind::kAttributeName, where,
         "stores a value that a message names");
}

// Finds what may run around this tag.
void Scanner::UpdatePlace() {
  Place place;
  const Block* innermost = nullptr;  // Of the loops.
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (block->is_loop && place.macros == 0) {
      place.loops |= block->lists;
      if (innermost == nullptr) innermost = &*block;
    }
    place.macros |= block->macro_bit;
  }
  if (innermost != nullptr && innermost->is_recursive) {
    place.recursive = innermost->variables;
  }
  if (place.macros != 0) place.loops |= flow_.loops_around_calls();
  flow_.place = place;
}

}  // namespace gguf::jinja
