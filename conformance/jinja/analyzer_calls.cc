// Calls of functions, methods and filters: their values and dangers.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <vector>

#include "absl/algorithm/container.h"
#include "conformance/jinja/analyzer.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Returns whether the result of the filter or method contains its input.
bool KeepsAll(string_view name) {
  static constexpr string_view kFilters[] = {
      "trim",       "strip",  "lstrip", "rstrip", "lower",  "upper",  "title",
      "capitalize", "string", "safe",   "escape", "e",      "list",   "reverse",
      "tojson",     "indent", "center", "join",   "format", "replace"};
  return absl::c_linear_search(kFilters, name);
}

double RangeLength(const std::vector<Abstract>& parts) {
  const auto number = [&](size_t i, double otherwise) {
    return i < parts.size() && parts[i].is_known_number() ? parts[i].value.number() : otherwise;
  };
  if (parts.size() == 1) return number(0, 0);
  // An unknown end leaves the length unknown.
  const bool is_known = parts.size() >= 2 && parts[1].is_known_number();
  return is_known ? (number(1, 0) - number(0, 0)) / number(2, 1) : 0;
}

}  // namespace

Analyzer::CallArguments Analyzer::EvaluateArguments(const Node& call) {
  CallArguments arguments;
  for (const Node& child : call.rest()) {
    if (child.is(NodeKind::kSpread) || child.is(NodeKind::kSpreadNamed)) {
      arguments.has_spread = true;
      flow_.parts.Join(&arguments.facts.others, flow_.PartOf(Evaluate(*child.first).facts));
    } else if (child.is(NodeKind::kKeyword)) {
      arguments.named.emplace_back(child.text, Evaluate(*child.first));
      arguments.facts.named.emplace_back(child.text, arguments.named.back().second.facts);
      flow_.parts.Join(&arguments.facts.names, LiteralFacts(child.text));
    } else {
      arguments.positional.push_back(Evaluate(child));
      arguments.facts.positional.push_back(arguments.positional.back().facts);
    }
  }
  return arguments;
}

template <class Function>
void Analyzer::Fold(const Abstract& input, const CallArguments& arguments, const Node& at,
                    Function function, Abstract* made) {
  bool is_exact = input.is_exact;
  std::vector<Value> values;
  std::vector<std::pair<string_view, Value>> named;
  if (!input.is_known || arguments.has_spread) return;
  for (const Abstract& each : arguments.positional) {
    if (!each.is_known) return;
    is_exact &= each.is_exact;
    values.push_back(each.value);
  }
  for (const auto& [name, each] : arguments.named) {
    if (!each.is_known) return;
    is_exact &= each.is_exact;
    named.emplace_back(name, each.value);
  }
  jinja::Arguments given;
  given.values = values;
  given.named = named;
  Take(function(given), at, made);
  made->is_exact = made->is_known && is_exact;
}

// Reports numbers that make a large value of any input.
void Analyzer::JudgeArguments(string_view name, const CallArguments& arguments, const Node& at) {
  static constexpr string_view kMakesLarge[] = {"center", "ljust",      "rjust",  "zfill",
                                                "indent", "expandtabs", "tojson", "slice"};
  const bool fills = name == "batch" && arguments.count() >= 2;
  if (!fills && !absl::c_linear_search(kMakesLarge, name)) return;
  const auto judge = [&](const Abstract& each) {
    if (each.is_known_number()) JudgeSize(each.value.number(), at);
  };
  for (const Abstract& each : arguments.positional) judge(each);
  for (const auto& [argument, each] : arguments.named) judge(each);
}

// Returns the copies in the result of a filter or method.
Copies Analyzer::CopiesIn(string_view name, const Abstract& input, const CallArguments& arguments) {
  if (!KeepsAll(name)) return {};
  Copies copies = input.copies;
  for (const Abstract& each : arguments.positional) copies.Add(each.copies);
  return copies;
}

// value.name(arguments) or function(arguments)
Abstract Analyzer::Call(const Node& node) {
  const Node& callee = *node.first;
  const bool is_method = callee.is(NodeKind::kAttribute);
  const Abstract base = is_method ? Evaluate(*callee.first) : Abstract();
  const Facts facts = is_method ? Member(callee, base).facts : Evaluate(callee).facts;
  const CallArguments arguments = EvaluateArguments(node);
  EnterCall(node, facts, base.facts, arguments);
  if (!is_method) return CallFunction(node, facts, arguments);

  const string_view name = callee.text;
  Abstract made;
  JudgeArguments(name, arguments, node);
  Fold(
      base, arguments, node,
      [&](const jinja::Arguments& given) { return machine_.CallMethod(name, base.value, given); },
      &made);
  made.copies = CopiesIn(name, base, arguments);
  if (made.is_exact_text()) {
    made.facts = LiteralFacts(made.text());
  } else if (name == "cycle" && base.facts.Has(kLoop)) {
    made.facts = flow_.AnyOf(arguments.facts);
  } else {
    made.facts = ResultOfMethod(name, base.facts, arguments.facts, node, &flow_);
  }
  static constexpr string_view kOfDict[] = {"get", "items", "keys", "values"};
  if (absl::c_linear_search(kOfDict, name)) made.part = base.part;
  return made;
}

Abstract Analyzer::CallFunction(const Node& node, const Facts& callee,
                                const CallArguments& arguments) {
  Abstract made;
  const string_view name = node.first->is(NodeKind::kName) ? node.first->text : "";
  const bool is_free = !flow_.IsAssigned(name) && flow_.MacrosNamed(name) == 0;
  if (name == "dict" && is_free) {
    made.facts = flow_.Container(node, arguments.facts.names);
    for (const Facts& facts : arguments.facts.positional) {  // Pairs.
      flow_.parts.Add(made.facts.part, flow_.PartOf(flow_.PartOf(facts)));
    }
    flow_.parts.Add(made.facts.part, arguments.facts.others);
    for (const auto& [key, facts] : arguments.facts.named) flow_.parts.Add(made.facts.part, facts);
    if (arguments.has_spread || !arguments.positional.empty()) return made;
    // Its keys, as list and join see them.
    std::vector<Value> keys;
    for (const auto& [key, value] : arguments.named) keys.push_back(Value(key));
    Take(machine_.MakeList(std::move(keys)), node, &made);
    made.is_exact = made.is_known;
    return made;
  }
  if (name == "range" || name == "lipsum") {
    const double length = RangeLength(arguments.positional);
    if (length > kLongestRange) {
      Report(FaultKind::kLoop, node, "", std::ceil(length), "a loop");
      return made;
    }
    made.facts = is_free && name == "range"
                     ? flow_.Container(node, FactsOf(kNumber))
                     : ResultOfFunction(callee, arguments.facts, node, &flow_);
    made.size = std::max(length, 0.0);
    return made;
  }
  if (name == "namespace" && is_free) {
    Facts rest = arguments.facts.others;
    for (const auto& [key, facts] : arguments.facts.named) flow_.SetAttribute(key, facts);
    for (const Facts& facts : arguments.facts.positional) {
      flow_.parts.Join(&rest, flow_.PartOf(facts));
    }
    if (arguments.has_spread || !arguments.positional.empty()) flow_.SetAttribute("", rest);
    made.facts = FactsOf(kNamespace);
    return made;
  }
  if (!name.empty()) macros_.AddCall({macro_, name, is_conditional_, rounds_, TokenAt(node)});
  made.facts = ResultOfFunction(callee, arguments.facts, node, &flow_);
  return made;
}

// Finds the dangers of calling something, and notes where its arguments go.
void Analyzer::EnterCall(const Node& node, const Facts& callee, const Facts& owner,
                         const CallArguments& arguments) {
  const Node& called = *node.first;
  const string_view method = called.is(NodeKind::kAttribute) ? called.text : "";
  const Facts all = flow_.All(arguments.facts);
  if (callee.Has(kChosen | kLookedUp)) ReportName(node, "calls a value that a message names");
  if (callee.Has(kFormat)) ReportName(node, "formats a string of a message");
  const bool is_plain = !method.empty() && callee.macros == 0 && !callee.Has(kChanger | kNamespace);
  if (all.Has(kChosen) && !is_plain) ReportName(node, "passes on a value that a message names");
  const bool may_be_any = callee.Has(kMessage) && flow_.have_messages_lists() &&
                          (!flow_.loops_here.empty() || flow_.macros_here != 0);
  if (callee.Has(kGrower) && (may_be_any || flow_.IsIterated(callee.part))) {
    Report(FaultKind::kLoop, node, "", HUGE_VAL, "a loop over a list that it extends,");
  }
  if (callee.Has(kGrower) && method != "append" && method != "insert") {
    const bool extends_itself = absl::c_any_of(arguments.facts.positional, [&](const Facts& each) {
      return each.part != 0 && flow_.parts.Find(each.part) == flow_.parts.Find(callee.part);
    });
    if (extends_itself) JudgeSize(std::pow(2, most_rounds_), node);
  }
  if (callee.Has(kChanger) && callee.Has(kMessage)) {
    flow_.AddToMessages(callee, all);
    flow_.AddToMessages(callee, arguments.facts.names);
  } else if (callee.Has(kChanger)) {
    const Facts any = flow_.AnyOf(arguments.facts);
    flow_.parts.Add(callee.part, any);
    flow_.parts.Add(callee.part, flow_.PartOf(any));
    flow_.parts.Add(callee.part, arguments.facts.names);
  }
  const uint64_t by_name = called.is(NodeKind::kName) ? flow_.MacrosNamed(called.text) : 0;
  flow_.AddCall(callee.macros, (callee.macros & ~by_name) != 0, arguments.facts, called);
  if (callee.Has(kLoop)) CheckRecursion(node, arguments);
  if (all.macros == 0 || callee.macros != 0) return;
  // Something that calls its arguments, such as sort(key=x).
  CallFacts anything;
  anything.others = ResultOfFunction(flow_.All(flow_.PartOf(owner)), arguments.facts, node, &flow_);
  flow_.AddCall(all.macros, true, anything, called);
}

// loop(x)
void Analyzer::CheckRecursion(const Node& node, const CallArguments& arguments) {
  for (const Facts& list : arguments.facts.positional) flow_.AddLoopArgument(list);
  const Facts all = flow_.All(arguments.facts);
  const bool is_part = arguments.count() == 1 && arguments.positional.size() == 1 &&
                       arguments.positional[0].part == Abstract::kPartOfIt;
  const bool is_loop =
      node.first->is(NodeKind::kName) && node.first->text == "loop" && !flow_.IsAssigned("loop");
  const bool ends = is_part && is_loop && !arguments.has_spread &&
                    all.HasOnly(kMessage | kContainer) && all.macros == 0 &&
                    !flow_.are_messages_changed();
  if (!ends) Report(FaultKind::kEndlessLoop, node);
}

Abstract Analyzer::Filter(const Node& node, const Abstract& input) {
  const string_view name = node.text;
  const CallArguments arguments = EvaluateArguments(node);
  Abstract made;
  JudgeArguments(name, arguments, node);
  Fold(
      input, arguments, node,
      [&](const jinja::Arguments& given) { return machine_.CallFilter(name, input.value, given); },
      &made);
  made.copies = CopiesIn(name, input, arguments);
  const Facts attributes = UseNames(node, input, arguments);
  if (name == "attr") {
    const Abstract attribute = arguments.positional.empty() ? Abstract() : arguments.positional[0];
    // An undefined value has attributes.
    if (input.facts.Has(kLookedUp) && attribute.facts.Has(kMessage | kChosen)) {
      ReportName(node, "takes the name of an attribute from a message");
    }
    made.facts = UseName(input.facts, attribute, As::kAttribute, node);
  } else if (name == "map") {
    made.facts = MapFacts(node, input.facts, arguments, attributes);
  } else if (made.is_exact_text()) {
    made.facts = LiteralFacts(made.text());
  } else {
    CallFacts all = arguments.facts;
    flow_.parts.Join(&all.others, attributes);  // |groupby("a") returns them.
    made.facts = ResultOfFilter(name, input.facts, all, node, &flow_);
  }
  // The characters of a text are texts with a character, without end; so parts of the loop
  // variable must have a name.
  static constexpr string_view kSame[] = {"list", "first", "last", "sort", "reverse"};
  const bool is_default = name == "default" || name == "d";
  if (input.part == Abstract::kNoPart) return made;
  if (name == "items") {
    made.part = Abstract::kPartOfIt;
  } else if (is_default && arguments.positional.size() == 1) {
    made.part = std::min(input.part, arguments.positional[0].part);
  } else if (input.part == Abstract::kPartOfIt && absl::c_linear_search(kSame, name)) {
    made.part = input.part;
  }
  return made;
}

// Checks the arguments of a filter that are names of attributes.  Returns the facts of these
// attributes.
Facts Analyzer::UseNames(const Node& node, const Abstract& input, const CallArguments& arguments) {
  Facts values;
  string_view name = node.text;
  if (!TakesAttribute(name) || name == "attr") return values;  // Filter() does attr.
  // The first filter of map("attr", "x") is its first argument.
  const std::vector<Abstract>& parts = arguments.positional;
  const bool is_map = name == "map";
  const bool is_known = !is_map || (!parts.empty() && parts[0].is_exact_text());
  if (is_map) name = parts.empty() ? "" : parts[0].text();
  const bool is_nested = is_map && name == "map";
  const Facts item = is_nested ? flow_.All(flow_.PartOf(input.facts)) : flow_.PartOf(input.facts);
  const auto use = [&](const Abstract& attribute) {
    const As as = name == "attr" ? As::kAttribute : As::kPath;
    flow_.parts.Join(&values, UseName(item, attribute, as, node));
  };
  if (const Abstract* attribute = arguments.Find("attribute")) use(*attribute);
  if (is_map && !parts.empty()) UseName(item, parts[0], As::kPath, node);
  if (is_map && (parts.empty() || (is_known && !TakesAttribute(name)))) {
    if (!arguments.has_spread) return values;
  }
  const size_t first = is_map;
  for (size_t i = first; i < parts.size(); ++i) {
    const bool is_at = is_nested || i - first == AttributeArgument(name);
    if (is_at || !is_known || arguments.has_spread) use(parts[i]);
  }
  if (arguments.has_spread) {
    Abstract any;
    any.facts = arguments.facts.others;
    use(any);
  }
  return values;
}

// x|map(attribute="a") or x|map("filter"); `attributes` are those that it uses.
Facts Analyzer::MapFacts(const Node& node, const Facts& input, const CallArguments& arguments,
                         const Facts& attributes) {
  const Facts item = flow_.PartOf(input);
  const Abstract filter = arguments.positional.empty() ? Abstract() : arguments.positional[0];
  Facts results = flow_.All(attributes);
  CallFacts rest = arguments.facts;
  if (!rest.positional.empty()) rest.positional.erase(rest.positional.begin());
  if (filter.is_exact_text() && filter.text() != "map" && filter.text() != "attr") {
    flow_.parts.Join(&rest.others, attributes);
    flow_.parts.Join(&results, flow_.All(ResultOfFilter(filter.text(), item, rest, node, &flow_)));
  } else if (filter.text() != "attr" && (!arguments.positional.empty() || arguments.has_spread)) {
    flow_.parts.Join(&results,
                     flow_.All(ResultOfFunction(flow_.All(item), arguments.facts, node, &flow_)));
  }
  Facts mapped = flow_.Container(node, results);
  mapped.part = flow_.parts.Join(mapped.part, input.part);
  mapped.sources |= input.sources & kMessage;
  return mapped;
}

}  // namespace gguf::jinja
