// Computes the values of names and operators.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/results.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Returns a special name in a text: the whole text, or a part of a path or of a
// format such as {0.__class__}.  Empty if none.
std::string SpecialNameIn(const std::string& text) {
  if (!absl::StrContains(text, "__")) return "";
  const bool is_prose = absl::StrContains(text, ' ') && !absl::StrContains(text, '{');
  if (is_prose) return "";
  const std::vector<string_view> words = absl::StrSplit(text, absl::ByAnyChar(".,[]{}!:"));
  const auto special = absl::c_find_if(words, IsSpecialName);
  return special == words.end() ? "" : std::string(*special);
}

}  // namespace

void Expression::Report(FaultKind kind, string_view text, double number, const char* why) const {
  faults_.Add(
      {kind, 0, token_.offset, token_.offset + token_.text.size(), std::string(text), why, number});
}

void Expression::ReportSyntax(const char* why) const {
  Report(FaultKind::kSyntax, token_.text, 0, why);
}

Constant Expression::Judge(Constant value) {
  if (value.size > kLargestValue) {
    Report(FaultKind::kSize, "", value.size);
    return Constant::Unknown(value.facts);
  }
  if (value.is_known_text()) JudgeName(value.text);
  return value;
}

void Expression::JudgeName(const std::string& text) {
  const std::string name = SpecialNameIn(text);
  if (!name.empty()) Report(FaultKind::kAttribute, name);
}

Constant Expression::Name() {
  const string_view text = token_.text;
  const auto found = variables_.find(text);
  Constant name;
  if (found != variables_.end()) {
    name = found->second;
  } else {
    name.kind = Constant::kName;
    name.name = text;
  }
  name.exact = name.exact && name.kind != Constant::kList && flow_.IsExact(text);
  name.is_free = name.kind == Constant::kName && !flow_.IsAssigned(text) &&
                 flow_.MacrosNamed(text) == 0 && name.name == text;
  name.facts = flow_.Read(text);
  const bool is_variable = flow_.IsAssigned(text);
  name.copies = is_variable ? Copies({text, ""}) : Copies();
  name.variable = is_variable ? text : "";
  const bool is_loop_variable = flow_.place.recursive != nullptr &&
                                flow_.place.recursive->contains(text) && flow_.IsLoopVariable(text);
  name.part = is_loop_variable ? Constant::kLoopVariable : Constant::kNoPart;
  return name;
}

Constant Expression::ApplyPrefix(string_view op, const Constant& value) {
  if (op == "not") return Constant::Unknown(NumberFacts());
  if (op == "+") return value;
  Constant zero = Constant::Number(0);
  zero.exact = true;
  return Subtract(zero, value);
}

// Computes the value; the facts are those of Apply().
Constant Expression::Compute(string_view op, const Constant& a, const Constant& b) {
  if (op == "+" || op == "~" || op == "*") {
    Constant made = op == "+" ? Add(a, b) : op == "~" ? Concat(a, b) : Multiply(a, b);
    made.copies = CopiesOf({a, b});
    made.variable = "";
    if (op == "*" && a.kind == Constant::kNumber) made.copies.Multiply(a.number);
    if (op == "*" && b.kind == Constant::kNumber) made.copies.Multiply(b.number);
    const bool is_sum = a.facts.self.Is(kNumber) && b.facts.self.Is(kNumber);
    if (op == "+" && is_sum) made.copies = {};
    return Judge(made);
  }
  if (op == "-") return Subtract(a, b);
  if (op == "%") {
    Constant made = Modulo(a, b);
    made.copies = CopiesOf({a, b});
    return Judge(made);
  }
  // Uses the first of two alternatives, but the growth of either.
  if (op == "or" || op == "else" || op == "and" || op == "if") {
    Constant either = op == "and" ? b : a;
    either.exact = either.is_free = false;
    either.variable = "";
    either.part = std::min(a.part, b.part);
    if (op == "if") either.part = a.part;
    if (op == "or" || op == "else") either.copies.Choose(b.copies);
    return either;
  }
  if (op != "**") return {};
  const Constant power = Power(a, b);
  if (power.kind != Constant::kNumber) return {};
  const double digits = b.number * std::log10(std::abs(a.number));
  if (!(digits > kLargestValue)) return power;
  Report(FaultKind::kSize, "", digits);
  return {};
}

Constant Expression::Apply(string_view op, const Constant& a, const Constant& b) {
  Constant made = Compute(op, a, b);
  if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    made.facts = ResultOfOperator(op, a.facts, b.facts, NewList(&flow_, token_));
  }
  return made;
}

Constant Expression::Tuple(const Frame& parts) {
  Constant tuple = Constant::List(parts.parts, parts.count);
  tuple.copies = CopiesOf(parts.parts);
  tuple.facts = ContainerFacts(flow_.ListAt(parts.begin), parts.arguments.All());
  // Nothing to iterate over.
  if (parts.count == 0) tuple.part = Constant::kPartOfIt;
  return tuple;
}

Constant Expression::Value(const Frame& closed) {
  switch (closed.role) {
    case Role::kGroup:
      if (closed.count == 1 && !closed.has_comma) return closed.parts[0];
      [[fallthrough]];
    case Role::kList:
      return Tuple(closed);
    case Role::kDict:
      return Constant::Unknown(Tuple(closed).facts);
    case Role::kCall:
      return Call(closed);
    case Role::kFilter:
      return ApplyFilter(closed);
    case Role::kSubscript:
      return Subscript(closed);
    case Role::kTest:
      return Constant::Unknown(NumberFacts());
  }
  return {};
}

}  // namespace gguf::jinja
