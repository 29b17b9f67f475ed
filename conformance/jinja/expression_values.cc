// Computes the values of names, attributes, subscripts and operators.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
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

// Uses of names: attributes and subscripts.

using absl::string_view;

void Expression::ReportName(const char* why) {
  const char* begin = begin_.text.data();
  const size_t size = token_.text.data() + token_.text.size() - begin;
  faults_.Add({FaultKind::kAttributeName, 0, begin_.offset, begin_.offset + size,
               std::string(begin, size), why});
}

// Returns whether the value is a list or dict of literals, also in other ones.
bool Expression::IsTable(const Facts& value) const {
  Sources all = value.self;
  all.Join(flow_.PartOf(value).All());
  return value.self.Has(kContainer) && all.Is(kContainer | kWord | kNumber | kLookedUp);
}

// Reports unsafe literals.  Special names are reported where they are written.
void Expression::CheckLiteral(string_view name, As as, bool is_data) {
  const auto is_unsafe = !is_data               ? IsUnsafeOnObject
                         : as == As::kSubscript ? IsUnsafeSubscript
                                                : IsUnsafeAttribute;
  std::vector<string_view> steps = {name};
  if (as == As::kPath) steps = absl::StrSplit(name, absl::ByAnyChar(".,"));
  for (const string_view step : steps) {
    if (!IsSpecialName(step) && is_unsafe(step)) {
      Report(FaultKind::kAttribute, step);
    }
  }
}

Facts Expression::UseName(const Facts& base, const Constant& name, As as) {
  const Sources& from = name.facts.self;
  if (base.self.Has(kChosen)) {
    ReportName("accesses an attribute of a value that a message names");
  }
  const bool is_table = IsTable(base);
  const bool is_data = is_table || base.self.Is(kData);
  const bool is_known = name.exact && name.is_known_text();
  if (name.is_known_text()) CheckLiteral(name.text, as, is_data);
  const uint32_t safe = is_data ? kSafeNames | kObjectWord : kSafeNames;
  // A list is never a name, so its facts must be those of something else.
  if (!from.Is(safe) || from.Is(kContainer)) {
    if (!is_known) {
      ReportName("assembles the name of an attribute when it runs");
    }
    return name.facts.IsNothing() ? Facts() : FactsOf(kAssembled | kCallable, kAssembled);
  }
  const bool is_of_message = from.Has(kMessage | kChosen);
  if (is_of_message && (as == As::kPath || !is_data)) {
    ReportName("takes the name of an attribute from a message");
  }
  if (as == As::kPath) return FollowPath(base, name);
  const bool is_number = from.Is(kNumber);
  Facts value = is_number || is_of_message ? flow_.PartOf(base)
                                           : flow_.Attribute(base, is_known ? name.text : "");
  if (is_known) CheckFormat(base, name.text);
  if (is_of_message) value.self.origins |= is_table ? kLookedUp : kChosen;
  return value;
}

// Returns the facts of base.a.b.c.
Facts Expression::FollowPath(const Facts& base, const Constant& path) {
  Facts value = base;
  if (path.is_known_text() && path.facts.self.HasOnly(kWord)) {
    for (const string_view step : absl::StrSplit(path.text, '.')) {
      CheckFormat(value, step);
      const Facts part = flow_.PartOf(value);  // If the step is a number.
      value = flow_.Attribute(value, step);
      if (!step.empty() && absl::ascii_isdigit(step[0])) value.Join(part);
    }
    return value;
  }
  constexpr int kMostSteps = 8;
  for (int i = 0; i < kMostSteps; ++i) value.Join(flow_.Attribute(value, ""));
  return value;
}

// text.format reads attributes.
void Expression::CheckFormat(const Facts& text, string_view name) {
  if (name != "format" && name != "format_map") return;
  if (text.self.Has(kAssembled | kUnsafeWord)) {
    ReportName("formats a string that the template assembles");
  } else if (text.self.Has(kObjectWord)) {
    ReportName("formats an attribute that is not data");
  }
}

// value[name] or value[begin:end]
Constant Expression::Subscript(const Frame& call) {
  const Facts& base = call.subject.facts;
  begin_ = call.begin;
  const bool is_chosen = base.self.Has(kChosen);
  if (call.has_colon) {
    if (is_chosen) ReportName("accesses a part of a value that a message names");
    Constant slice = Slice(call.subject, call.parts);
    if (slice.exact && slice.is_known_text()) {
      return slice.With(LiteralFacts(slice.text));
    }
    Facts part = base;
    part.self.lists = flow_.ListAt(call.begin);
    if (base.self.Has(kTexts)) part.Join(AssembledFacts());
    return slice.With(part);
  }
  if (call.parts.empty()) return {};
  if (call.parts.size() > 1 || call.has_comma) {  // A tuple is the key.
    return Constant::Unknown(flow_.PartOf(base));
  }
  const Constant& name = call.parts[0];
  Constant value = Constant::Unknown(UseName(base, name, As::kSubscript));
  const bool is_part =
      call.subject.part == Constant::kPartOfIt || (name.exact && name.is_known_text());
  if (is_part && call.subject.part != Constant::kNoPart) {
    value.part = Constant::kPartOfIt;
  }
  return value;
}

// value.token_
Constant Expression::Member(const Constant& value) {
  const string_view name = token_.text;
  const bool is_function = value.kind == Constant::kName && IsFunctionOfEnvironment(value.name);
  const bool is_chain = value.kind == Constant::kMember && IsObjectOfFramework(value.name);
  begin_ = previous_;
  const bool is_unsafe =
      value.facts.self.Is(kData) ? IsUnsafeAttribute(name) : IsUnsafeOnObject(name);
  if (is_unsafe) {
    if (!IsSpecialName(name)) Report(FaultKind::kAttribute, name);
  } else if (is_function || is_chain) {
    Report(FaultKind::kAttribute, absl::StrCat(value.name, ".", name));
  }
  if (value.facts.self.Has(kChosen)) {
    ReportName("accesses an attribute of a value that a message names");
  }
  CheckFormat(value.facts, name);
  const Facts facts = flow_.Attribute(value.facts, name);
  if (value.kind == Constant::kText || value.kind == Constant::kList) {
    return value.With(facts);
  }
  Constant member = Constant::Unknown(facts);
  member.copies = value.copies;  // As in its method x.trim().
  member.variable = value.variable;
  if (value.part != Constant::kNoPart) member.part = Constant::kPartOfIt;
  if (value.kind != Constant::kName) return member;
  member.kind = Constant::kMember;
  member.name = value.name;
  return member;
}

}  // namespace gguf::jinja
