// Calls of functions, methods and filters: their values and dangers.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/results.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

const Constant& PartOr(const std::vector<Constant>& parts, size_t i, const Constant& otherwise) {
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

double RangeLength(const std::vector<Constant>& parts) {
  const auto number = [&](size_t i, double otherwise) {
    return i < parts.size() && parts[i].kind == Constant::kNumber ? parts[i].number : otherwise;
  };
  if (parts.size() == 1) return number(0, 0);
  // An unknown end leaves the length unknown.
  const bool known = parts.size() >= 2 && parts[1].kind == Constant::kNumber;
  return known ? (number(1, 0) - number(0, 0)) / number(2, 1) : 0;
}

}  // namespace

// Returns the copies in the result of a filter or method.
Copies Expression::CopiesIn(const Frame& call) {
  if (!KeepsAll(call.name)) return {};
  Copies copies = call.subject.copies;
  copies.Add(CopiesOf(call.parts));
  return copies;
}

// value.name(arguments) or function(arguments)
Constant Expression::Call(const Frame& call) {
  EnterCall(call);
  if (call.name.empty()) return CallFunction(call);
  Constant made = CallMethod(call.name, call.subject, call.parts);
  made.copies = CopiesIn(call);
  made.variable = "";
  made.exact = made.exact && call.names.empty() && !call.has_spread;
  if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    made.facts =
        ResultOfMethod(call.name, call.owner, call.arguments, flow_, NewList(&flow_, call.begin));
  }
  if (call.name == "cycle" && call.owner.self.Has(kLoop)) {
    const Sources all = call.arguments.All();
    made.facts = {all, all};
  }
  static constexpr string_view kOfDict[] = {"get", "items", "keys", "values"};
  made.part = absl::c_linear_search(kOfDict, call.name) ? call.subject.part : Constant::kNoPart;
  return Judge(made);
}

Constant Expression::CallFunction(const Frame& call) {
  const NewList list(&flow_, call.begin);
  Constant made = Constant::Unknown(ResultOfFunction(call.subject.facts, call.arguments, list));
  if (call.subject.kind != Constant::kName) return made;
  const string_view name = call.subject.name;
  const bool is_free = call.subject.is_free;
  if (name == "dict") {
    Facts keys = ContainerFacts(list.bit(), call.arguments.All());
    keys.inner.Join(call.arguments.names);
    if (is_free) made.facts = keys;
    Constant names = Constant::List(call.names, call.names.size());
    names.exact = names.exact && is_free && call.names.size() == call.count;
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
  if (callee.Has(kChosen | kLookedUp)) ReportName("calls a value that a message names");
  if (callee.Has(kFormat)) ReportName("formats a string of a message");
  const bool is_plain =
      !call.name.empty() && callee.macros == 0 && !callee.Has(kChanger | kNamespace);
  if (all.Has(kChosen) && !is_plain) {
    ReportName("passes on a value that a message names");
  }
  if (callee.Has(kGrower) && (callee.lists & flow_.place.loops) != 0) {
    Report(FaultKind::kLoop, "", HUGE_VAL, "a loop over a list that it extends,");
  }
  if (callee.Has(kGrower) && call.name != "append" && call.name != "insert") {
    Sources lists;
    for (const Facts& facts : call.arguments.positional) lists.Join(facts.self);
    const double growth = std::pow(2, flow_.place.rounds);
    if ((lists.lists & callee.lists) != 0 && growth > kLargestValue) {
      Report(FaultKind::kSize, "", growth);
    }
  }
  if (callee.Has(kChanger)) {
    flow_.AddTo(callee.lists, all);
    flow_.AddTo(callee.lists, call.arguments.names);
    if (callee.Has(kMessage)) flow_.ChangeMessages();
  }
  const bool is_name = call.name.empty() && call.subject.kind == Constant::kName &&
                       call.subject.name == call.callee.text;
  const uint64_t by_name = is_name ? flow_.MacrosNamed(call.subject.name) : 0;
  flow_.AddCall(callee.macros, (callee.macros & ~by_name) != 0, call.arguments, call.callee);
  if (callee.Has(kLoop)) CheckRecursion(call);
  if (all.macros == 0 || callee.macros != 0) return;
  // Something that calls its arguments, such as sort(key=x).
  const Sources parts = flow_.PartOf(call.owner).All();
  Arguments anything;
  anything.others = ResultOfFunction({parts, parts}, call.arguments, NewList(&flow_, call.begin));
  flow_.AddCall(all.macros, true, anything, call.callee);
}

// loop(x)
void Expression::CheckRecursion(const Frame& call) {
  const Sources all = call.arguments.All();
  for (const Facts& list : call.arguments.positional) {
    flow_.AddLoopArgument(list);
  }
  const bool is_part =
      call.parts.size() == 1 && call.names.empty() && call.parts[0].part == Constant::kPartOfIt;
  const bool ends = is_part && !call.has_spread && call.subject.is_free &&
                    all.HasOnly(kMessage | kContainer) && all.macros == 0 &&
                    !flow_.are_messages_changed();
  if (!ends) Report(FaultKind::kEndlessLoop, "");
}

Constant Expression::ApplyFilter(const Frame& call) {
  begin_ = call.begin;
  Constant made = Filter(call.name, call.subject, call.parts);
  made.copies = CopiesIn(call);
  made.variable = "";
  made.exact = made.exact && call.names.empty() && !call.has_spread;
  const Facts& value = call.subject.facts;
  const Facts attributes = UseNames(call);
  if (call.name == "attr") {
    const Constant none;
    const Constant& name = PartOr(call.parts, 0, none);
    // An undefined value has attributes.
    const bool is_dangling = value.self.Has(kLookedUp) && name.facts.self.Has(kMessage | kChosen);
    if (is_dangling) ReportName("takes the name of an attribute from a message");
    made.facts = UseName(value, name, As::kAttribute);
  } else if (call.name == "map") {
    made.facts = MapFacts(call, attributes);
  } else if (made.exact && made.is_known_text()) {
    made.facts = LiteralFacts(made.text);
  } else {
    Arguments arguments = call.arguments;
    arguments.others.Join(attributes);  // |groupby("a") returns them.
    made.facts = ResultOfFilter(call.name, value, arguments, flow_, NewList(&flow_, token_));
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
  static constexpr string_view kSame[] = {"list", "first", "last", "sort", "reverse"};
  const bool is_part = part == Constant::kPartOfIt && absl::c_linear_search(kSame, call.name);
  return is_part ? part : Constant::kNoPart;
}

// Checks the arguments of a filter that are names of attributes.  Returns the
// facts of these attributes.
Facts Expression::UseNames(const Frame& call) {
  Facts values;
  const bool is_done = call.name == "attr";  // ApplyFilter() does it.
  if (!TakesAttribute(call.name) || is_done) return values;
  // The first filter of map("attr", "x") is its first argument.
  const Constant none;
  const Constant& filter = PartOr(call.parts, 0, none);
  const bool is_map = call.name == "map";
  const bool is_known = !is_map || (filter.exact && filter.is_known_text());
  const string_view name = is_map ? string_view(filter.text) : call.name;
  const bool is_nested = is_map && name == "map";
  const Facts& list = call.subject.facts;
  const Facts item = is_nested ? flow_.AnyPartOf(list) : flow_.PartOf(list);
  const auto use = [&](const Constant& attribute) {
    values.Join(UseName(item, attribute, name == "attr" ? As::kAttribute : As::kPath));
  };
  if (call.attribute) use(*call.attribute);
  if (is_map && !call.parts.empty()) UseName(item, filter, As::kPath);
  if (is_map && (call.parts.empty() || (is_known && !TakesAttribute(name)))) {
    return values;
  }
  const size_t first = is_map;
  for (size_t i = first; i < call.parts.size(); ++i) {
    const bool is_at = is_nested || i - first == AttributeArgument(name);
    if (is_at || !is_known || call.has_spread) use(call.parts[i]);
  }
  if (call.has_spread || call.count > call.parts.size()) {
    use(Constant::Unknown(call.arguments.others));
  }
  return values;
}

// x|map(attribute="a") or x|map("filter"); `attributes` are those that it uses.
Facts Expression::MapFacts(const Frame& call, const Facts& attributes) {
  const Facts item = flow_.PartOf(call.subject.facts);
  const NewList list(&flow_, token_);
  Sources results = attributes.All();
  Arguments rest = call.arguments;
  const Constant none;
  const Constant& filter = PartOr(call.parts, 0, none);
  if (!rest.positional.empty()) rest.positional.erase(rest.positional.begin());
  const bool is_known =
      filter.exact && filter.is_known_text() && filter.text != "map" && filter.text != "attr";
  if (is_known) {
    rest.others.Join(attributes);
    results.Join(ResultOfFilter(filter.text, item, rest, flow_, list).All());
  } else if (filter.text != "attr" && (!call.parts.empty() || call.has_spread)) {
    const Sources any = flow_.AnyPartOf(item).All();
    results.Join(ResultOfFunction({any, any}, call.arguments, list).All());
  }
  Facts mapped = ContainerFacts(list.bit() | call.subject.facts.self.lists, results);
  mapped.self.origins |= call.subject.facts.self.origins & kMessage;
  return mapped;
}

}  // namespace gguf::jinja
