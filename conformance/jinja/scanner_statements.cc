// Scans the statements that set variables: set, for, macro, call and with.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "conformance/jinja/scanner.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The constants of more variables are not followed.
constexpr size_t kMostVariables = 1000;

}  // namespace

// Reads `x`, `x.a` or `x, (y, z)` up to the word, or up to the end of the tag;
// there, a filter may follow.
Targets Scanner::ReadTargets(string_view end) {
  Targets targets;
  Token previous, token;
  while (!scan_.is_cut && Next(&token)) {
    targets.has_end = token.Is(end);
    if (targets.has_end) break;
    if (token.Is("|")) {
      targets.has_filter = true;
      ReadExpression(false, true);
      break;
    }
    targets.is_tuple |= token.Is(",");
    if (token.kind == Token::kName && !previous.Is(".")) {
      targets.names.push_back({token});
    } else if (token.kind == Token::kName && !targets.names.empty()) {
      targets.names.back().attribute = token.text;
    }
    previous = token;
  }
  return targets;
}

// Assigns the value, or its elements.
void Scanner::Assign(const Targets& targets, const Constant& value, Flow::By by) {
  Constant part = value;
  if (targets.is_tuple) {
    part = Constant::Unknown(flow_.AnyPartOf(value.facts));
  }
  for (const Targets::Name& each : targets.names) {
    if (each.attribute.empty()) {
      SetVariable(each.name, part, by);
    } else {
      CheckStored(each.name, part.facts);
      flow_.SetAttribute(each.attribute, part.facts);
    }
  }
}

// {% set x = VALUE %}, {% set x.y = VALUE %}, {% set x, y = VALUE %}, or a
// block.
void Scanner::ReadSet(Block block) {
  block.targets = ReadTargets("=");
  if (!block.targets.has_end) return Open(block);
  const Constant value = ReadExpression(true);
  CheckGrowth(block.targets, value.copies);
  Assign(block.targets, value);
}

// A text without tags is a literal.
void Scanner::CloseSet(const Block& block) {
  const string_view text = absl::StripAsciiWhitespace(block.text);
  const bool is_literal = block.pieces == 0 || (block.pieces == 1 && !block.text.empty());
  const Facts facts =
      is_literal && !block.targets.has_filter ? LiteralFacts(text) : AssembledFacts();
  CheckGrowth(block.targets, block.copies);
  Assign(block.targets, Constant::Unknown(facts));
}

// If a variable is repeatedly set to several copies of itself, it grows without
// bound.
void Scanner::CheckGrowth(const Targets& targets, const Copies& copies) {
  if (targets.names.size() != 1 || targets.is_tuple) return;
  const Targets::Name& one = targets.names[0];
  const double growth =
      growth_.Set({one.name.text, one.attribute}, copies, MostRoundsIn(blocks_), begin_);
  if (growth > kLargestValue) Report(FaultKind::kSize, begin_, "", growth);
}

// {% for x, y in LIST if CONDITION recursive %}
void Scanner::ReadFor(Block block) {
  const Targets targets = ReadTargets("in");
  Expression expression(variables_, &flow_, &scan_.faults);
  string_view end;
  if (targets.has_end) end = PushUntil({"if", "recursive"}, &expression);
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
  auto variables = std::make_shared<NameSet<>>();
  for (const Targets::Name& each : targets.names) {
    variables->insert(each.name.text);
  }
  block.variables = std::move(variables);
  Open(block);
  if (scan_.is_cut) return;

  if (list.facts.self.Has(kChosen)) CheckStored(block.word, list.facts);
  Facts item = flow_.PartOf(list.facts);
  // In a recursive loop, also of loop(x).
  item.Join(flow_.PartOf(flow_.loop_argument()));
  flow_.AddLoopItems(item);
  Assign(targets, Constant::Unknown(item), Flow::By::kLoop);
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
    const Facts facts = flow_.Parameter(block.macro_bit, index++, parameter.name.text);
    SetVariable(parameter.name, Constant::Unknown(Either(parameter.value, facts)));
  }
}

// {% with x = VALUE, y = VALUE %}
void Scanner::ReadWith(const Block& block) {
  std::vector<std::pair<Targets, Constant>> assignments;
  for (string_view end = ","; !end.empty();) {
    Targets targets = ReadTargets("=");
    if (!targets.has_end) break;
    Expression value(variables_, &flow_, &scan_.faults);
    end = PushUntil({","}, &value);
    assignments.emplace_back(std::move(targets), Finish(&value));
  }
  Open(block);
  if (scan_.is_cut) return;
  for (const auto& [targets, value] : assignments) Assign(targets, value);
}

void Scanner::SetVariable(const Token& name, const Constant& value, Flow::By by) {
  CheckStored(name, value.facts);
  if (variables_.size() < kMostVariables || variables_.contains(name.text)) {
    variables_[name.text] = value;
  } else {
    scan_.is_too_rich = true;
  }
  flow_.Assign(name.text, value, by);
}

void Scanner::CheckStored(const Token& where, const Facts& value) {
  if (!value.All().Has(kChosen)) return;
  Report(FaultKind::kAttributeName, where, "stores a value that a message names");
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
  place.rounds = MostRoundsIn(blocks_);
  if (place.macros != 0) place.loops |= flow_.loops_around_calls();
  flow_.place = place;
}

}  // namespace gguf::jinja
