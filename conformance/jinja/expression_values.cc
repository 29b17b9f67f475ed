// Computes the values of parts of expressions and finds dangerous ones.
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

Constant Expression::Judge(Constant value) {
  if (value.size > kLargestValue) {
    Report(FaultKind::kSize, "", value.size);
    return Constant::Unknown(value.facts);
  }
  if (value.is_known_text()) {
    const std::string name = SpecialNameIn(value.text);
    if (!name.empty()) Report(FaultKind::kAttribute, name);
  }
  return value;
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
  name.exact = name.exact && name.kind != Constant::kList &&
               flow_.IsExact(text);
  name.is_free = name.kind == Constant::kName && !flow_.IsAssigned(text) &&
                 flow_.MacrosNamed(text) == 0 && name.name == text;
  name.facts = flow_.Read(text);
  const bool is_target = text == target_.name;
  name.copies = is_target && target_.attribute.empty();
  name.has_target = is_target && !target_.attribute.empty();
  const bool is_loop_variable =
      absl::c_linear_search(flow_.place.recursive, text) &&
      flow_.IsLoopVariable(text);
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
Constant Expression::Compute(string_view op, const Constant& a,
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
  // Uses the first of two alternatives, but the growth of either.
  if (op == "or" || op == "else" || op == "and" || op == "if") {
    Constant either = op == "and" ? b : a;
    either.exact = either.is_free = false;
    either.part = std::min(a.part, b.part);
    if (op == "if") either.part = a.part;
    if (op == "or" || op == "else") either.copies = std::max(a.copies, b.copies);
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

Constant Expression::Apply(string_view op, const Constant& a,
                           const Constant& b) {
  Constant made = Compute(op, a, b);
  if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    made.facts =
        ResultOfOperator(op, a.facts, b.facts, flow_.ListAt(token_));
  }
  return made;
}

Constant Expression::Tuple(const Frame& parts) {
  Constant tuple = Constant::List(parts.parts, parts.count);
  tuple.copies = CopiesOf(parts.parts);
  tuple.facts =
      ContainerFacts(flow_.ListAt(parts.begin), parts.arguments.All());
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

// value.name(arguments) or function(arguments)
Constant Expression::Call(const Frame& call) {
  EnterCall(call);
  if (call.name.empty()) return CallFunction(call);
  Constant made = CallMethod(call.name, call.subject, call.parts);
  made.copies =
      KeepsAll(call.name) ? call.subject.copies + CopiesOf(call.parts) : 0;
  made.exact = made.exact && call.names.empty() && !call.has_spread;
  if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    made.facts = ResultOfMethod(call.name, call.owner, call.arguments, flow_,
                                flow_.ListAt(call.begin));
  }
  if (call.name == "cycle" && call.owner.self.Has(kLoop)) {
    const Sources all = call.arguments.All();
    made.facts = {all, all};
  }
  static constexpr string_view kOfDict[] = {"get", "items", "keys", "values"};
  made.part = absl::c_linear_search(kOfDict, call.name) ? call.subject.part
                                                        : Constant::kNoPart;
  return Judge(made);
}

Constant Expression::CallFunction(const Frame& call) {
  const uint64_t list = flow_.ListAt(call.begin);
  Constant made = Constant::Unknown(
      ResultOfFunction(call.subject.facts, call.arguments, list));
  if (call.subject.kind != Constant::kName) return made;
  const string_view name = call.subject.name;
  const bool is_free = call.subject.is_free;
  if (name == "dict") {
    Facts keys = ContainerFacts(list, call.arguments.All());
    keys.inner.origins |= kWord;
    if (is_free) made.facts = keys;
    Constant names = Constant::List(call.names, call.names.size());
    names.exact =
        names.exact && is_free && call.names.size() == call.count;
    return names.With(made.facts);
  }
  if (name == "range" || name == "lipsum") {
    const double length = RangeLength(call.parts);
    if (length > kLongestRange) {
      Report(FaultKind::kLoop, "", length, "a loop");
      return made;
    }
    const Facts numbers = ContainerFacts(0, NumberFacts().self);
    return Constant::Sized(Constant::kList, std::max(length, 0.0))
        .With(is_free && name == "range" ? numbers : made.facts);
  }
  if (name == "namespace" && is_free) {
    for (const auto& [key, facts] : call.arguments.named) {
      flow_.SetAttribute(key, facts);
    }
    Arguments rest = call.arguments;
    rest.named.clear();
    for (const Facts& facts : rest.positional) {
      rest.others.Join(flow_.PartOf(facts));
    }
    if (call.has_spread || call.count > call.arguments.named.size()) {
      flow_.SetAttribute("", rest.others);
    }
    return Constant::Unknown(FactsOf(kNamespace, 0));
  }
  constexpr size_t kMostCalls = 1000;
  if (calls_.size() < kMostCalls) {
    calls_.push_back({Token::kName, name, token_.offset, ""});
  }
  return made;
}

// Finds the dangers of calling something, and notes where its arguments go.
void Expression::EnterCall(const Frame& call) {
  const Sources& callee = call.subject.facts.self;
  const Sources all = call.arguments.All();
  begin_ = call.begin;
  if (callee.Has(kChosen | kLookedUp)) ReportName("is a call by a name from a message");
  if (callee.Has(kFormat)) ReportName("formats a text of a message");
  const bool is_plain = !call.name.empty() && callee.macros == 0 &&
                        !callee.Has(kChanger | kNamespace);
  if (all.Has(kChosen) && !is_plain) {
    ReportName("passes on a value by a name from a message");
  }
  if (callee.Has(kGrower) && (callee.lists & flow_.place.loops) != 0) {
    Report(FaultKind::kLoop, "", HUGE_VAL, "a loop over a list that it extends,");
  }
  if (callee.Has(kChanger)) {
    flow_.AddTo(callee.lists, all);
    if (callee.Has(kMessage)) flow_.ChangeMessages();
  }
  const bool is_name = call.name.empty() && call.subject.kind == Constant::kName;
  const uint64_t by_name =
      is_name ? flow_.MacrosNamed(call.subject.name) : 0;
  flow_.AddCall(callee.macros, (callee.macros & ~by_name) != 0, call.arguments,
                call.begin);
  if (callee.Has(kLoop)) CheckRecursion(call);
  if (all.macros == 0 || callee.macros != 0) return;
  // Something that calls its arguments, such as sort(key=x).
  const Sources parts = flow_.PartOf(call.owner).All();
  Arguments anything;
  anything.others = ResultOfFunction({parts, parts}, call.arguments, 0);
  flow_.AddCall(all.macros, true, anything, call.begin);
}

// loop(x)
void Expression::CheckRecursion(const Frame& call) {
  const Sources all = call.arguments.All();
  for (const Facts& list : call.arguments.positional) {
    flow_.AddLoopArgument(list);
  }
  const bool is_part = call.parts.size() == 1 && call.names.empty() &&
                       call.parts[0].part == Constant::kPartOfIt;
  const bool ends = is_part && !call.has_spread &&
                    call.subject.is_free && all.HasOnly(kMessage | kContainer) && all.macros == 0 &&
                    !flow_.are_messages_changed();
  if (!ends) Report(FaultKind::kEndlessLoop, "");
}

Constant Expression::ApplyFilter(const Frame& call) {
  begin_ = call.begin;
  Constant made = Filter(call.name, call.subject, call.parts);
  made.copies =
      KeepsAll(call.name) ? call.subject.copies + CopiesOf(call.parts) : 0;
  made.exact = made.exact && call.names.empty() && !call.has_spread;
  const Facts& value = call.subject.facts;
  CheckNames(call);
  if (call.name == "attr") {
    const Constant none;
    const Constant& name = PartOr(call.parts, 0, none);
    // An undefined value has attributes.
    const bool is_dangling = value.self.Has(kLookedUp) &&
                             name.facts.self.Has(kMessage | kChosen);
    if (is_dangling) ReportName("is a name from a message, of an attribute");
    made.facts = UseName(value, name, false);
  } else if (call.name == "map") {
    made.facts = MapFacts(call);
  } else if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    made.facts = ResultOfFilter(call.name, value, call.arguments, flow_,
                                flow_.ListAt(token_));
  }
  made.part = PartOfFilter(call);
  return Judge(made);
}

// The characters of a text are texts with a character, without end; so parts of
// the loop variable must have a name.
Constant::Part Expression::PartOfFilter(const Frame& call) {
  const Constant::Part part = call.subject.part;
  if (part == Constant::kNoPart) return part;
  if (call.name == "items") return Constant::kPartOfIt;
  const bool is_default = call.name == "default" || call.name == "d";
  if (is_default && call.parts.size() == 1) {
    return std::min(part, call.parts[0].part);
  }
  static constexpr string_view kSame[] = {"list", "first", "last", "sort",
                                          "reverse"};
  const bool is_part = part == Constant::kPartOfIt &&
                       absl::c_linear_search(kSame, call.name);
  return is_part ? part : Constant::kNoPart;
}

// Checks the arguments of a filter that are names of attributes.
void Expression::CheckNames(const Frame& call) {
  if (!TakesAttribute(call.name)) return;
  Facts item = flow_.PartOf(call.subject.facts);
  item.self.origins |= call.subject.facts.self.origins & kChosen;
  if (call.attribute) {
    CheckAttributeFilter(*call.attribute);
    if (call.name != "map") UseName(item, *call.attribute, true);
  }
  // The first filter of map("attr", "x") is its first argument.
  const Constant none;
  const Constant& filter = PartOr(call.parts, 0, none);
  const bool is_map = call.name == "map";
  const bool is_known = !is_map || (filter.exact && filter.is_known_text());
  if (is_map && !call.parts.empty()) UseName(item, filter, true);
  const string_view name = is_map ? string_view(filter.text) : call.name;
  if (is_map && (call.parts.empty() || (is_known && !TakesAttribute(name)))) {
    return;
  }
  const size_t first = is_map;
  for (size_t i = first; i < call.parts.size(); ++i) {
    const bool is_at = i - first == AttributeArgument(name);
    if (is_known && !call.has_spread && !is_at) continue;
    CheckAttributeFilter(call.parts[i]);
    const bool is_done = call.name == "attr";  // ApplyFilter() does it.
    if (!is_done) UseName(item, call.parts[i], name != "attr");
  }
  if (call.has_spread || call.count > call.parts.size()) {
    UseName(item, Constant::Unknown(call.arguments.others), true);
  }
}

// x|map(attribute="a") or x|map("filter")
Facts Expression::MapFacts(const Frame& call) {
  const Facts item = flow_.PartOf(call.subject.facts);
  const uint64_t list = flow_.ListAt(token_);
  Facts result;
  Arguments rest = call.arguments;
  const Constant none;
  const Constant& filter = PartOr(call.parts, 0, none);
  if (!rest.positional.empty()) rest.positional.erase(rest.positional.begin());
  if (call.attribute) {
    const Facts value = UseName(item, *call.attribute, true);
    result.Join({value.All(), value.All()});
  }
  if (filter.exact && filter.is_known_text() && filter.text != "attr" &&
      filter.text != "map") {
    result.Join(ResultOfFilter(filter.text, item, rest, flow_, list));
  } else if (filter.text == "attr") {
    result.Join(UseName(item, PartOr(call.parts, 1, none), false));
  } else if (!call.parts.empty() || call.has_spread) {
    const Sources any = item.All();
    result.Join(ResultOfFunction({any, any}, call.arguments, list));
  }
  Facts mapped = ContainerFacts(list | call.subject.facts.self.lists,
                                result.All());
  mapped.self.origins |= call.subject.facts.self.origins & kMessage;
  return mapped;
}

// The name may be a path, a.b.c.  Special names are reported at the text.
void Expression::CheckAttributeFilter(const Constant& name) {
  if (!name.is_known_text()) return;
  for (const string_view step : absl::StrSplit(name.text, '.')) {
    if (!IsSpecialName(step) && IsUnsafeAttribute(step)) {
      Report(FaultKind::kAttribute, step);
    }
  }
}

void Expression::ReportName(const char* why) {
  const char* begin = begin_.text.data();
  const size_t size = token_.text.data() + token_.text.size() - begin;
  faults_.Add({FaultKind::kAttributeName, 0, begin_.offset,
               begin_.offset + size, std::string(begin, size), why});
}

// Returns whether the value is a list or dict of literals, also in other ones.
bool Expression::IsTable(const Facts& value) const {
  Sources all = value.self;
  all.Join(flow_.PartOf(value).All());
  return value.self.Has(kContainer) && all.macros == 0 &&
         all.HasOnly(kContainer | kWord | kNumber | kLookedUp);
}

Facts Expression::UseName(const Facts& base, const Constant& name,
                          bool is_path) {
  const Sources& from = name.facts.self;
  if (base.self.Has(kChosen)) {
    ReportName("is an attribute of a value by a name from a message");
  }
  if (from.Has(kAssembled | kUnsafeWord)) {
    if (!name.is_known_text() || !name.facts.self.HasOnly(kUnsafeWord)) {
      ReportName("is a name that the template assembles");
    }
    return AssembledFacts();
  }
  const bool is_of_message = from.Has(kMessage | kChosen);
  constexpr uint32_t kSteps =
      kMessage | kContainer | kNumber | kChosen | kFormat | kGrower | kChanger;
  const bool is_table = IsTable(base);
  const bool is_step = is_table || base.self.HasOnly(kSteps);
  if (is_of_message && (is_path || !is_step || base.self.macros != 0)) {
    ReportName("is a name from a message, of an attribute");
  }
  if (is_path) return FollowPath(base, name);
  const bool is_number = from.origins == kNumber;
  const bool is_known = name.exact && name.is_known_text();
  Facts value = is_number || is_of_message
                    ? flow_.PartOf(base)
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
    ReportName("formats a text that the template assembles");
  }
}

// value[name] or value[begin:end]
Constant Expression::Subscript(const Frame& call) {
  const Facts& base = call.subject.facts;
  begin_ = call.begin;
  const bool is_chosen = base.self.Has(kChosen);
  if (call.has_colon) {
    if (is_chosen) ReportName("is a slice of a value by a name from a message");
    Constant slice = Slice(call.subject, call.parts);
    if (slice.exact && slice.is_known_text()) {
      return slice.With(LiteralFacts(slice.text));
    }
    Facts part = base;
    part.self.lists = flow_.ListAt(call.begin);
    if (base.self.Has(kWord | kUnsafeWord)) part.Join(AssembledFacts());
    return slice.With(part);
  }
  if (call.parts.empty()) return {};
  if (call.parts.size() > 1 || call.has_comma) {  // A tuple is the key.
    return Constant::Unknown(flow_.PartOf(base));
  }
  const Constant& name = call.parts[0];
  if (name.kind == Constant::kText && !IsSpecialName(name.text) &&
      IsUnsafeSubscript(name.text)) {
    Report(FaultKind::kAttribute, name.text);
  }
  Constant value = Constant::Unknown(UseName(base, name, false));
  const bool is_part = call.subject.part == Constant::kPartOfIt ||
                       (name.exact && name.is_known_text());
  if (is_part && call.subject.part != Constant::kNoPart) {
    value.part = Constant::kPartOfIt;
  }
  return value;
}

// value.token_
Constant Expression::Member(const Constant& value) {
  const string_view name = token_.text;
  const bool is_function =
      value.kind == Constant::kName && IsFunctionOfEnvironment(value.name);
  const bool is_chain =
      value.kind == Constant::kMember && IsObjectOfFramework(value.name);
  begin_ = previous_;
  if (IsUnsafeAttribute(name)) {
    if (!IsSpecialName(name)) Report(FaultKind::kAttribute, name);
  } else if (is_function || is_chain) {
    Report(FaultKind::kAttribute, absl::StrCat(value.name, ".", name));
  }
  if (value.facts.self.Has(kChosen)) {
    ReportName("is an attribute of a value by a name from a message");
  }
  CheckFormat(value.facts, name);
  const Facts facts = flow_.Attribute(value.facts, name);
  if (value.kind == Constant::kText || value.kind == Constant::kList) {
    return value.With(facts);
  }
  Constant member = Constant::Unknown(facts);
  const bool is_target = value.has_target && name == target_.attribute;
  member.copies = is_target ? 1 : value.copies;  // As in its method x.trim().
  if (value.part != Constant::kNoPart) member.part = Constant::kPartOfIt;
  if (value.kind != Constant::kName) return member;
  member.kind = Constant::kMember;
  member.name = value.name;
  return member;
}

}  // namespace gguf::jinja
