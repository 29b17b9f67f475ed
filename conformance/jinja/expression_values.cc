// Computes the values of parts of expressions and finds dangerous ones.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Returns a special name in a text: the whole text, or a part of a path or of a
// format such as {0.__class__}.  Empty if none.
std::string SpecialNameIn(const std::string& text) {
  if (!absl::StrContains(text, "__")) return "";
  const bool is_prose =
      absl::StrContains(text, ' ') && !absl::StrContains(text, '{');
  if (is_prose) return "";
  const std::vector<string_view> words =
      absl::StrSplit(text, absl::ByAnyChar(".[]{}!:"));
  const auto special = absl::c_find_if(words, IsSpecialName);
  return special == words.end() ? "" : std::string(*special);
}

const Constant& PartOr(const std::vector<Constant>& parts, size_t i,
                       const Constant& otherwise) {
  return i < parts.size() ? parts[i] : otherwise;
}

// Returns whether the result of the filter or method contains its input.
bool KeepsAll(string_view name) {
  static constexpr string_view kFilters[] = {
      "trim",       "strip",  "lstrip", "rstrip", "lower",  "upper",  "title",
      "capitalize", "string", "safe",   "escape", "e",      "list",   "reverse",
      "tojson",     "indent", "center", "join",   "format", "replace"};
  return absl::c_linear_search(kFilters, name);
}

double CopiesOf(absl::Span<const Constant> values) {
  double copies = 0;
  for (const Constant& value : values) copies += value.copies;
  return copies;
}

double RangeLength(const std::vector<Constant>& parts) {
  const auto number = [&](size_t i, double otherwise) {
    return i < parts.size() && parts[i].kind == Constant::kNumber
               ? parts[i].number
               : otherwise;
  };
  if (parts.size() == 1) return number(0, 0);
  // An unknown end leaves the length unknown.
  const bool known = parts.size() >= 2 && parts[1].kind == Constant::kNumber;
  return known ? (number(1, 0) - number(0, 0)) / number(2, 1) : 0;
}

}  // namespace

void Expression::Report(FaultKind kind, string_view text, double number,
                        const char* why) const {
  faults_.Add({kind, 0, token_.offset, token_.offset + token_.text.size(),
               std::string(text), why, number});
}

void Expression::ReportSyntax(const char* why) const {
  Report(FaultKind::kSyntax, token_.text, 0, why);
}

// Notes pieces of special names.  A piece of a text that is cut up may be any
// part of it.
void Expression::NotePiece(const Constant& value, bool is_cut_up) {
  if (!value.is_known_text()) return;
  // A character given by its number may be an underscore.
  has_piece_ |= IsPieceOfSpecialName(value.text) ||
                absl::StrContains(value.text, "%c") ||
                absl::StrContains(value.text, ":c}") ||
                (is_cut_up && absl::StrContains(value.text, '_'));
}

Constant Expression::Judge(Constant value) {
  if (value.size > kLargestValue) {
    Report(FaultKind::kSize, "", value.size);
    return {};
  }
  if (value.is_known_text()) {
    const std::string name = SpecialNameIn(value.text);
    if (!name.empty()) Report(FaultKind::kAttribute, name);
    NotePiece(value, false);
  }
  return value;
}

Constant Expression::Name() const {
  const auto found = variables_.find(token_.text);
  Constant name;
  if (found != variables_.end()) {
    name = found->second;
  } else {
    if (IsSpecialName(token_.text)) Report(FaultKind::kAttribute, token_.text);
    name.kind = Constant::kName;
    name.name = token_.text;
  }
  const bool is_target = token_.text == target_.name;
  name.copies = is_target && target_.attribute.empty();
  name.has_target = is_target && !target_.attribute.empty();
  return name;
}

Constant Expression::Apply(string_view op, const Constant& a,
                           const Constant& b) {
  if (op == "+" || op == "~" || op == "*") {
    Constant made = op == "+"   ? Add(a, b)
                    : op == "~" ? Concat(a, b)
                                : Multiply(a, b);
    made.copies = a.copies + b.copies;
    if (op == "*" && a.kind == Constant::kNumber) made.copies *= a.number;
    if (op == "*" && b.kind == Constant::kNumber) made.copies *= b.number;
    return Judge(made);
  }
  if (op == "-") return Subtract(a, b);
  if (op == "%") {
    Constant made = Modulo(a, b);
    made.copies = a.copies + b.copies;
    return Judge(made);
  }
  if (op == "and") return b;
  // Uses the first of two alternatives, but the growth of either.
  if (op == "or" || op == "else") {
    Constant either = a;
    either.copies = std::max(a.copies, b.copies);
    return either;
  }
  if (op == "if") return a;
  if (op != "**") return {};
  const Constant power = Power(a, b);
  if (power.kind != Constant::kNumber) return {};
  const double digits = b.number * std::log10(std::abs(a.number));
  if (!(digits > kLargestValue)) return power;
  Report(FaultKind::kSize, "", digits);
  return {};
}

Constant Expression::Value(const Frame& closed) {
  switch (closed.role) {
    case Role::kGroup:
      if (closed.count == 1) return closed.parts[0];
      [[fallthrough]];
    case Role::kList: {
      Constant list = Constant::List(closed.parts, closed.count);
      list.copies = CopiesOf(closed.parts);
      return list;
    }
    case Role::kDict:
      return {};
    case Role::kCall:
      return Call(closed);
    case Role::kFilter:
      return ApplyFilter(closed);
    case Role::kSubscript:
      return Subscript(closed);
  }
  return {};
}

Constant Expression::Call(const Frame& call) {
  if (!call.name.empty()) {
    NotePiece(call.subject, true);
    const bool is_text = call.subject.kind == Constant::kText;
    has_unknown_attribute_ |=
        call.name == "format" && is_text && !call.subject.whole;
    Constant made = CallMethod(call.name, call.subject, call.parts);
    made.copies =
        KeepsAll(call.name) ? call.subject.copies + CopiesOf(call.parts) : 0;
    return made;
  }
  if (call.subject.kind != Constant::kName) return {};
  const string_view name = call.subject.name;
  if (name == "dict") return Constant::List(call.names, call.names.size());
  if (name == "range" || name == "lipsum") {
    const double length = RangeLength(call.parts);
    if (!(length > kLongestRange)) {
      return Constant::Sized(Constant::kList, std::max(length, 0.0));
    }
    Report(FaultKind::kLoop, "", length, "a loop");
    return {};
  }
  constexpr size_t kMostCalls = 1000;
  if (calls_.size() < kMostCalls) {
    calls_.push_back({Token::kName, name, token_.offset, ""});
  }
  return {};
}

Constant Expression::ApplyFilter(const Frame& call) {
  static const auto& none = *new Constant;
  const Constant& first = PartOr(call.parts, 0, none);
  NotePiece(call.subject, true);
  has_open_attribute_ |= call.is_open && TakesAttribute(call.name);
  if (call.name == "attr") CheckAttributeFilter(first);
  // map("attr", "x")
  if (first.is_known_text() && first.text == "attr") {
    CheckAttributeFilter(PartOr(call.parts, 1, none));
  }
  if (call.name == "selectattr" || call.name == "rejectattr") {
    CheckAttributeFilter(first);
  }
  Constant made = Filter(call.name, call.subject, call.parts);
  made.copies =
      KeepsAll(call.name) ? call.subject.copies + CopiesOf(call.parts) : 0;
  return Judge(made);
}

// The name may be a path, a.b.c.  Special names are reported at the text.
void Expression::CheckAttributeFilter(const Constant& name) {
  if (!name.is_known_text()) {
    has_unknown_attribute_ = true;
    return;
  }
  for (const string_view step : absl::StrSplit(name.text, '.')) {
    if (!IsSpecialName(step) && IsUnsafeAttribute(step)) {
      Report(FaultKind::kAttribute, step);
    }
  }
}

Constant Expression::Subscript(const Frame& call) {
  NotePiece(call.subject, true);
  if (call.has_colon) return Slice(call.subject, call.parts);
  if (call.parts.empty()) return {};
  const Constant& name = call.parts[0];
  const bool is_number =
      name.kind == Constant::kNumber || name.kind == Constant::kSomeNumber;
  const bool is_open = call.is_open || name.kind == Constant::kUnknown;
  has_open_attribute_ |= is_open && !is_number;
  if (name.kind != Constant::kText) return {};
  if (!name.whole) has_unknown_attribute_ = true;
  if (!IsSpecialName(name.text) && IsUnsafeSubscript(name.text)) {
    Report(FaultKind::kAttribute, name.text);
  }
  return {};
}

// value.token_
Constant Expression::Member(const Constant& value) {
  const string_view name = token_.text;
  has_open_attribute_ |= name == "format" || name == "format_map";
  const bool is_function =
      value.kind == Constant::kName && IsFunctionOfEnvironment(value.name);
  const bool is_chain =
      value.kind == Constant::kMember && IsObjectOfFramework(value.name);
  if (IsUnsafeAttribute(name)) {
    Report(FaultKind::kAttribute, name);
  } else if (is_function || is_chain) {
    Report(FaultKind::kAttribute, absl::StrCat(value.name, ".", name));
  }
  if (value.kind == Constant::kText || value.kind == Constant::kList) {
    return value;
  }
  Constant member;
  const bool is_target = value.has_target && name == target_.attribute;
  member.copies = is_target ? 1 : value.copies;  // As in its method x.trim().
  if (value.kind != Constant::kName) return member;
  member.kind = Constant::kMember;
  member.name = value.name;
  return member;
}

}  // namespace gguf::jinja
