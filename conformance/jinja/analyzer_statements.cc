// Visits the statements of a template: what they set, how often they run, which macros they call.
//
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "conformance/jinja/analyzer.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The constants of more variables are not followed.
constexpr size_t kMostVariables = 1000;

// Sets a member, and sets it back at the end.
template <class T>
class Here {
 public:
  Here(T* member, T value) : member_(*member), before_(std::exchange(*member, std::move(value))) {}
  ~Here() { member_ = std::move(before_); }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  T& member_;
  T before_;
};

}  // namespace

void Analyzer::Run() {
  for (const Token& word : tree_.words) {
    if (word.kind != Token::kName) continue;
    Node at;
    at.begin = word.offset;
    at.end = word.offset + word.text.size();
    if (IsSpecialName(word.text)) Report(FaultKind::kAttribute, at, word.text);
    if (!absl::c_all_of(word.text, absl::ascii_isascii)) {
      Report(FaultKind::kAttributeName, at, word.text, 0,
             "is a name that Python may normalize to another one");
    }
  }
  Visit(*tree_.root);
  FindCycles();
}

// Opens a scope.
void Analyzer::Visit(const Node& body) {
  flow_.OpenScope(false);
  for (const Node& statement : body.children()) VisitStatement(statement);
  flow_.CloseScope();
}

void Analyzer::VisitStatement(const Node& node) {
  switch (node.kind) {
    case NodeKind::kText:
      if (is_value_ && IsSpecialName(absl::StripAsciiWhitespace(node.text))) {
        Report(FaultKind::kAttribute, node, absl::StripAsciiWhitespace(node.text));
      }
      return;
    case NodeKind::kOutput:
    case NodeKind::kDo:
    case NodeKind::kOther:
      for (const Node& child : node.children()) {
        const Abstract value = Evaluate(child);
        if (set_copies_ != nullptr && node.is(NodeKind::kOutput)) set_copies_->Add(value.copies);
      }
      if (node.is(NodeKind::kOther)) Report(FaultKind::kOtherTemplate, node, node.text);
      return;
    case NodeKind::kIf:
      return VisitIf(node);
    case NodeKind::kFor:
      return VisitFor(node);
    case NodeKind::kSet: {
      const Abstract value = Evaluate(*node.first->next);
      CheckGrowth(*node.first, value.copies);
      return Assign(*node.first, value);
    }
    case NodeKind::kSetBlock:
      return VisitSetBlock(node);
    case NodeKind::kMacro:
      return VisitMacro(node);
    case NodeKind::kCallBlock:
      return VisitCallBlock(node);
    case NodeKind::kFilterBlock: {
      Evaluate(*node.first);
      const Here<bool> value(&is_value_, true);
      return Visit(*node.first->next);
    }
    case NodeKind::kWith:
      return VisitWith(node);
    case NodeKind::kBlock: {
      const Here<bool> value(&is_value_, true);
      const Here<uint64_t> macros(&flow_.macros_here, flow_.macros_here | Flow::kBlocks);
      const Here<std::vector<int>> loops(&flow_.loops_here, {});
      flow_.OpenScope(true);
      Visit(*node.first);
      return flow_.CloseScope();
    }
    case NodeKind::kAutoescape:
      Evaluate(*node.first);
      return Visit(*node.first->next);
    case NodeKind::kGeneration:
      return Visit(*node.first);
    default:
      return;
  }
}

void Analyzer::VisitIf(const Node& node) {
  const bool before = is_conditional_;
  for (const Node* part = node.first; part != nullptr; part = part->next) {
    if (part->is(NodeKind::kBody)) {
      Visit(*part);
    } else {
      Evaluate(*part);
    }
    is_conditional_ = true;  // All but the first condition.
  }
  is_conditional_ = before;
}

// {% for x, y in LIST if CONDITION recursive %}
void Analyzer::VisitFor(const Node& node) {
  const Node &target = *node.child(0), &condition = *node.child(2), &body = *node.child(3);
  const Abstract list = Evaluate(*node.child(1));
  const double rounds = list.size > 0 ? list.size * rounds_ : rounds_;
  if (list.size > 0 && rounds > kLongestRange) {
    Report(FaultKind::kLoop, node, "", rounds, "a loop");
  } else {
    macros_.AddLoop(macro_, rounds);
  }
  if (list.facts.Has(kChosen)) CheckStored(node, list.facts);
  Abstract item;
  item.facts = flow_.PartOf(list.facts);
  // In a recursive loop, also of loop(x).
  if (node.flag) flow_.parts.Join(&item.facts, flow_.PartOf(flow_.loop_argument()));
  flow_.AddLoopItems(item.facts);

  const Here<double> rounds_here(&rounds_, rounds);
  const Here<double> most(&most_rounds_, list.size > 0 ? most_rounds_ * list.size : kUnknownRounds);
  const Here<bool> conditional(&is_conditional_, true);
  const Here<const Node*> recursive(&recursive_, node.flag ? &target : nullptr);
  const size_t loops = flow_.loops_here.size();
  if (list.facts.part != 0) flow_.loops_here.push_back(list.facts.part);
  flow_.OpenScope(false);
  Assign(target, item, Flow::By::kLoop);
  Evaluate(condition);
  Visit(body);
  flow_.CloseScope();
  flow_.loops_here.resize(loops);
  if (body.next != nullptr) Visit(*body.next);
}

// A text without tags is a literal.
void Analyzer::VisitSetBlock(const Node& node) {
  const Node* filter = node.first->next;
  const Node& body = filter->next != nullptr ? *filter->next : *filter;
  const bool has_filter = &body != filter;
  Abstract value;
  if (has_filter) Evaluate(*filter);
  {
    const Here<bool> is_value(&is_value_, true);
    const Here<Copies*> copies(&set_copies_, &value.copies);
    Visit(body);
  }
  const Node* text = body.first;
  const bool is_literal = text == nullptr || (text->next == nullptr && text->is(NodeKind::kText));
  value.facts = is_literal && !has_filter
                    ? LiteralFacts(absl::StripAsciiWhitespace(text == nullptr ? "" : text->text))
                    : FactsOf(kAssembled);
  CheckGrowth(*node.first, value.copies);
  value.copies = {};
  Assign(*node.first, value);
}

void Analyzer::VisitMacro(const Node& node) {
  const size_t number = macros_.AddMacro({Token::kName, node.text, node.begin, ""});
  const uint64_t bit = Flow::MacroBit(number);
  flow_.NameMacro(node.text, bit);
  flow_.Assign(node.text, {0, bit, 0}, nullptr, Flow::By::kStatement);
  const Here<size_t> macro(&macro_, number);
  const Here<double> rounds(&rounds_, 1);
  const Here<double> most(&most_rounds_, kUnknownRounds);
  const Here<bool> conditional(&is_conditional_, false);
  const Here<const Node*> recursive(&recursive_, nullptr);
  VisitFunction(*node.first, *node.first->next, bit);
}

// {% call(PARAMETERS) MACRO(ARGUMENTS) %}
void Analyzer::VisitCallBlock(const Node& node) {
  Evaluate(*node.first);
  const Here<bool> conditional(&is_conditional_, true);
  VisitFunction(*node.child(1), *node.child(2), Flow::kCallers);
}

void Analyzer::VisitFunction(const Node& parameters, const Node& body, uint64_t macro) {
  const Here<bool> value(&is_value_, true);
  const Here<uint64_t> macros(&flow_.macros_here, flow_.macros_here | macro);
  const Here<std::vector<int>> loops(&flow_.loops_here, {});
  flow_.OpenScope(false);
  size_t index = 0;
  for (const Node& parameter : parameters.children()) {
    Abstract given;
    if (parameter.first != nullptr) given.facts = Evaluate(*parameter.first).facts;
    flow_.parts.Join(&given.facts, flow_.Parameter(macro, index++, parameter.text));
    SetVariable(parameter, parameter.text, given, Flow::By::kStatement);
  }
  Visit(body);
  flow_.CloseScope();
}

// {% with x = VALUE, y = VALUE %}
void Analyzer::VisitWith(const Node& node) {
  std::vector<Abstract> values;
  const Node* part = node.first;
  for (; part->is(NodeKind::kSet); part = part->next) {
    values.push_back(Evaluate(*part->first->next));
  }
  flow_.OpenScope(false);
  size_t i = 0;
  for (const Node* set = node.first; set != part; set = set->next) Assign(*set->first, values[i++]);
  Visit(*part);
  flow_.CloseScope();
}

// Assigns the value, or its elements.
void Analyzer::Assign(const Node& target, const Abstract& value, Flow::By by) {
  if (target.is(NodeKind::kTuple)) {
    Abstract item;
    item.facts = flow_.All(flow_.PartOf(value.facts));
    for (const Node& each : target.children()) Assign(each, item, by);
  } else if (target.is(NodeKind::kAttribute)) {
    CheckStored(target, value.facts);
    flow_.SetAttribute(target.text, value.facts);
  } else if (target.is(NodeKind::kName)) {
    SetVariable(target, target.text, value, by);
  }
}

void Analyzer::SetVariable(const Node& at, string_view name, const Abstract& value, Flow::By by) {
  CheckStored(at, value.facts);
  if (variables_.size() < kMostVariables || variables_.contains(name)) {
    variables_[name] = value;
  } else {
    analysis_.is_too_rich = true;
  }
  flow_.Assign(name, value.facts, value.is_exact ? &value.value : nullptr, by);
}

void Analyzer::CheckStored(const Node& at, const Facts& value) {
  if (flow_.All(value).Has(kChosen)) ReportName(at, "stores a value that a message names");
}

// If a variable is repeatedly set to several copies of itself, it grows without bound.
void Analyzer::CheckGrowth(const Node& target, const Copies& copies) {
  const bool is_attribute = target.is(NodeKind::kAttribute);
  if (!is_attribute && !target.is(NodeKind::kName)) return;
  const Variable variable =
      is_attribute ? Variable(target.first->text, target.text) : Variable(target.text, "");
  JudgeSize(growth_.Set(variable, copies, most_rounds_, TokenAt(target)), target);
}

void Analyzer::FindCycles() {
  analysis_.is_too_rich |= !macros_.is_complete() || !growth_.is_complete() || flow_.is_full();
  const auto report = [&](FaultKind kind, const Token& at, string_view text = "", double number = 0,
                          string_view why = "") {
    analysis_.faults.Add({kind, 0, at.offset, at.offset + at.text.size(), std::string(text),
                          std::string(why), number});
  };
  for (const Token& tag : growth_.FindCycles()) report(FaultKind::kSize, tag, "", HUGE_VAL);
  for (const Node* callee : flow_.FindHeldCycles()) {
    const bool is_name = callee->is(NodeKind::kName) || callee->is(NodeKind::kAttribute);
    const Token token = TokenAt(*callee);
    report(FaultKind::kHeldMacro, token, is_name ? callee->text : token.text);
  }
  for (const MacroGraph::Busy& busy : macros_.FindBusyCalls(kLongestRange)) {
    report(FaultKind::kLoop, busy.where, "", busy.rounds, "calls of macros");
  }
  absl::flat_hash_set<size_t> endless;
  for (const Token& macro : macros_.FindCycles(false)) {
    report(FaultKind::kEndlessMacro, macro, macro.text);
    endless.insert(macro.offset);
  }
  for (const Token& macro : macros_.FindCycles(true)) {
    if (endless.contains(macro.offset)) continue;
    report(FaultKind::kRecursiveMacro, macro, macro.text);
  }
}

}  // namespace gguf::jinja
