// Evaluates the expressions of a template as far as they are known: names, items and operators.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/analyzer.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/base/limits.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Longer lists are not computed.
constexpr size_t kMostItems = 32;

// Returns a special name in a text: the whole text, or a part of a path or of a format such as
// {0.__class__}.  Empty if none.
string_view SpecialNameIn(string_view text) {
  if (!absl::StrContains(text, "__")) return "";
  const bool is_prose = absl::StrContains(text, ' ') && !absl::StrContains(text, '{');
  if (is_prose) return "";
  const std::vector<string_view> words = absl::StrSplit(text, absl::ByAnyChar(".,[]{}!:"));
  const auto special = absl::c_find_if(words, IsSpecialName);
  return special == words.end() ? "" : *special;
}

double SizeOf(const Value& value) {
  if (value.is_string()) return value.size;
  return value.has_list() ? static_cast<double>(value.list->items.size()) : 0;
}

}  // namespace

void Analyzer::Report(FaultKind kind, const Node& at, string_view text, double number,
                      string_view why) {
  analysis_.faults.Add({kind, 0, at.begin, at.end, std::string(text), std::string(why), number});
}

void Analyzer::JudgeSize(double size, const Node& at) {
  if (size > kLargestValue) Report(FaultKind::kSize, at, "", size);
}

// Special names are reported wherever a text becomes one.
void Analyzer::JudgeName(string_view text, const Node& at) {
  const string_view name = SpecialNameIn(text);
  if (!name.empty()) Report(FaultKind::kAttribute, at, name);
}

void Analyzer::Take(const Value& value, const Node& at, Abstract* made) {
  if (!machine_.failed()) {
    if (value.is_undefined() || value.is(Kind::kGenerator)) return;
    made->is_known = true;
    made->value = value;
    made->size = SizeOf(value);
    if (value.is_string()) JudgeName(value.text(), at);
    return;
  }
  const Failure failure = machine_.failure();
  machine_.ClearFailure();
  if (failure.kind == Failure::kTooLarge) JudgeSize(failure.number, at);
  if (failure.kind == Failure::kOverBudget) analysis_.is_too_rich = true;
}

Abstract Analyzer::EvaluateMaybe(const Node& node) {
  const bool before = std::exchange(is_conditional_, true);
  Abstract made = Evaluate(node);
  is_conditional_ = before;
  return made;
}

Abstract Analyzer::Evaluate(const Node& node) {
  PollDeadline();
  Abstract made;
  switch (node.kind) {
    case NodeKind::kString:
      made.facts = LiteralFacts(node.text);
      made.is_exact = true;
      Take(Value(node.text), node, &made);
      return made;
    case NodeKind::kInteger:
      made.value = Value(node.integer);
      break;
    case NodeKind::kFloat:
      made.value = Value(
          node.real, absl::c_all_of(node.text, absl::ascii_isdigit) ? Kind::kHuge : Kind::kFloat);
      break;
    case NodeKind::kBoolean:
      made.value = Value(node.integer != 0);
      break;
    case NodeKind::kNone:
      made.facts = FactsOf(kNumber);
      return made;
    case NodeKind::kName:
      return Name(node);
    case NodeKind::kList:
    case NodeKind::kTuple:
    case NodeKind::kDict:
      return Items(node);
    case NodeKind::kPrefix:
      return Prefix(node);
    case NodeKind::kBinary:
      return Operator(node);
    case NodeKind::kConditional:
      return Conditional(node);
    case NodeKind::kAttribute:
      return Member(node, Evaluate(*node.first));
    case NodeKind::kSubscript:
      return Subscript(node);
    case NodeKind::kCall:
      return Call(node);
    case NodeKind::kFilter:
      made = Evaluate(*node.first);
      if (node.first->is(NodeKind::kAbsent)) made.facts = FactsOf(kAssembled);  // A block's text.
      return Filter(node, made);
    case NodeKind::kTest:
      Evaluate(*node.first);
      EvaluateArguments(node);
      made.facts = FactsOf(kNumber);
      return made;
    case NodeKind::kCompare:
    case NodeKind::kOperand:
      for (const Node& child : node.children()) Evaluate(child);
      made.facts = FactsOf(kNumber);
      return made;
    default:
      return made;
  }
  made.facts = FactsOf(kNumber);
  made.is_known = made.is_exact = true;
  return made;
}

Abstract Analyzer::Name(const Node& node) {
  const string_view text = node.text;
  Abstract made;
  const auto found = variables_.find(text);
  if (found != variables_.end()) {
    made.is_known = found->second.is_known;
    made.value = found->second.value;
    made.size = found->second.size;
  }
  made.is_exact = made.is_known && !made.value.has_list() && flow_.IsExact(text);
  made.facts = flow_.Read(text);
  if (flow_.IsAssigned(text)) {
    made.copies = Copies({text, ""});
    made.variable = text;
  }
  const auto is_target = [&](const Node& target) {
    if (target.is(NodeKind::kName)) return target.text == text;
    for (const Node& item : target.children()) {
      if (item.is(NodeKind::kName) && item.text == text) return true;
    }
    return false;
  };
  if (recursive_ != nullptr && is_target(*recursive_) && flow_.IsLoopVariable(text)) {
    made.part = Abstract::kLoopVariable;
  }
  return made;
}

Abstract Analyzer::Items(const Node& node) {
  Abstract made;
  std::vector<Value> values;
  bool is_known = !node.is(NodeKind::kDict), is_exact = true;
  made.facts = flow_.Container(node, {});
  for (const Node& child : node.children()) {
    const Abstract item = Evaluate(child);
    flow_.parts.Add(made.facts.part, item.facts);
    made.copies.Add(item.copies);
    ++made.size;
    is_exact &= item.is_exact;
    is_known &= item.is_known && values.size() < kMostItems;
    if (is_known) values.push_back(item.value);
  }
  // Nothing to iterate over.
  if (node.first == nullptr) made.part = Abstract::kPartOfIt;
  if (!is_known) return made;
  Take(machine_.MakeList(std::move(values), node.is(NodeKind::kTuple) ? Kind::kTuple : Kind::kList),
       node, &made);
  made.is_exact = made.is_known && is_exact;
  return made;
}

Abstract Analyzer::Prefix(const Node& node) {
  const Abstract value = Evaluate(*node.first);
  if (node.text == "+") return value;
  Abstract made;
  made.facts = FactsOf(kNumber);
  if (node.text == "not" || !value.is_known) return made;
  Take(machine_.Prefix(node.text, value.value), node, &made);
  made.is_exact = made.is_known && value.is_exact;
  return made;
}

Abstract Analyzer::Conditional(const Node& node) {
  const Node &value = *node.child(0), &condition = *node.child(1), &otherwise = *node.child(2);
  Evaluate(condition);
  Abstract made = EvaluateMaybe(value);
  const Abstract other = EvaluateMaybe(otherwise);
  made.is_exact = false;
  made.variable = "";
  flow_.parts.Join(&made.facts, other.facts);
  made.copies.Choose(other.copies);
  if (!otherwise.is(NodeKind::kAbsent)) made.part = std::min(made.part, other.part);
  return made;
}

Abstract Analyzer::Operator(const Node& node) {
  const string_view op = node.text;
  const bool is_choice = op == "and" || op == "or";
  const Abstract a = Evaluate(*node.child(0));
  const Abstract b = is_choice ? EvaluateMaybe(*node.child(1)) : Evaluate(*node.child(1));
  if (!is_choice) return Compute(op, a, b, node);
  // Uses the first of two alternatives, but the growth of either.
  Abstract made = op == "and" ? b : a;
  made.is_exact = false;
  made.variable = "";
  made.part = std::min(a.part, b.part);
  if (op == "or") made.copies.Choose(b.copies);
  made.facts = ResultOfOperator(op, a.facts, b.facts, node, &flow_);
  return made;
}

Abstract Analyzer::Compute(string_view op, const Abstract& a, const Abstract& b, const Node& at) {
  Abstract made;
  if (op == "+" || op == "~" || op == "*" || op == "%") {
    made.copies = a.copies;
    made.copies.Add(b.copies);
    if (op == "*" && a.is_known_number()) made.copies.Multiply(a.value.number());
    if (op == "*" && b.is_known_number()) made.copies.Multiply(b.value.number());
    if (op == "+" && a.facts.Is(kNumber) && b.facts.Is(kNumber)) made.copies = {};
  }
  if (a.is_known && b.is_known) {
    Take(machine_.Binary(op, a.value, b.value), at, &made);
    made.is_exact = made.is_known && a.is_exact && b.is_exact;
  } else if (op == "+" || op == "~") {
    made.size = a.size + b.size;
  } else if (op == "*" && (a.is_known_number() || b.is_known_number())) {
    made.size = a.is_known_number() ? a.value.number() * b.size : b.value.number() * a.size;
    JudgeSize(made.size, at);
  }
  made.facts = made.is_exact_text() ? LiteralFacts(made.text())
                                    : ResultOfOperator(op, a.facts, b.facts, at, &flow_);
  return made;
}

}  // namespace gguf::jinja
