// Collects the facts of a template's variables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/flow.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/numeric/bits.h"
#include "absl/strings/str_cat.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Calls with more than this are followed, but not reported.
constexpr size_t kMostHeldCalls = 100000;

// Calls `f` with the index of each bit.
template <class F>
void ForEachBit(uint64_t bits, F f) {
  for (; bits != 0; bits &= bits - 1) f(absl::countr_zero(bits));
}

// Returns the facts of a value of which nothing is known.
Facts Anything() {
  Sources any;
  any.origins = kAssembled | kMessage | kContainer | kFunction | kNamespace | kCallable;
  any.lists = any.macros = ~uint64_t{0};
  return {any, any};
}

bool IsNumberOfLoop(string_view name) {
  static constexpr string_view kNumbers[] = {"index", "index0", "revindex", "revindex0", "length",
                                             "depth", "depth0", "first",    "last",      "changed"};
  return absl::c_linear_search(kNumbers, name);
}

// Returns whether loops or macros set the name.
bool IsSetByJinja(string_view name) {
  static constexpr string_view kNames[] = {"loop", "caller", "varargs", "kwargs", "self"};
  return absl::c_linear_search(kNames, name);
}

// Returns the kinds of method that a name may be; "" may be any.
uint32_t MethodsNamed(string_view name) {
  if (name.empty()) return kFormat | kGrower | kChanger;
  if (name == "format" || name == "format_map") return kFormat;
  for (const string_view grower : {"append", "extend", "insert"}) {
    if (name == grower) return kGrower | kChanger;
  }
  for (const string_view changer : {"update", "setdefault", "add"}) {
    if (name == changer) return kChanger;
  }
  return 0;
}

// Returns a text that tells known values apart; empty if it is not known.
std::string ValueOf(const Constant& value) {
  if (!value.exact) return "";
  if (value.is_known_text()) return absl::StrCat("t", value.text);
  return value.kind == Constant::kNumber ? absl::StrCat("n", value.number) : "";
}

}  // namespace

Sources Arguments::All() const {
  Sources all = others.All();
  for (const Facts& facts : positional) all.Join(facts.All());
  for (const auto& [name, facts] : named) all.Join(facts.All());
  return all;
}

uint64_t Flow::MacroBit(size_t number) { return uint64_t{1} << std::min<size_t>(number, 61); }

void Flow::BeginScan() {
  has_grown_ = false;
  scopes_.assign(1, {});
  set_here_.clear();
  held_calls_.clear();
  place = {};
}

void Flow::GiveUp() {
  has_given_up_ = true;
  const Facts anything = Anything();
  all_attributes_ = attributes_[""] = anything;
  contents_.fill(anything.self);
  loop_items_ = loop_argument_ = all_arguments_ = anything;
  other_arguments_.fill(anything);
  loops_around_calls_ = ~uint64_t{0};
  are_messages_changed_ = true;
}

void Flow::OpenScope(bool is_isolated) {
  scopes_.push_back({{}, is_isolated, {}});
  if (is_isolated) scopes_.back().hidden.swap(set_here_);
}

void Flow::CloseScope() {
  Scope& scope = scopes_.back();
  if (scope.is_isolated) {
    set_here_.swap(scope.hidden);
  } else {
    for (const string_view name : scope.names) set_here_.erase(name);
  }
  scopes_.pop_back();
}

void Flow::Assign(string_view name, const Constant& value, By by) {
  if (is_full() && !variables_.contains(name)) return;
  Variable& variable = variables_[name];
  Grow(&variable.facts, value.facts);
  GrowBits(&variable.is_set_by_statement, by == By::kStatement);
  const std::string known = ValueOf(value);
  if (variable.values == Variable::kUnset && !known.empty()) {
    variable.values = Variable::kOne;
    variable.value = known;
    has_grown_ = true;
  } else if (variable.values != Variable::kMany && variable.value != known) {
    variable.values = Variable::kMany;
    has_grown_ = true;
  }
  if (set_here_.insert(name).second) scopes_.back().names.push_back(name);
}

Facts Flow::Read(string_view name) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    Facts free = FreeFacts(name);
    return has_given_up_ && free.self.Has(kMessage) ? Anything() : free;
  }
  if (has_given_up_) return Anything();
  if (set_here_.contains(name) && !IsSetByJinja(name)) {
    return found->second.facts;
  }
  return Either(found->second.facts, FreeFacts(name));
}

bool Flow::IsExact(string_view name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && !has_given_up_ && found->second.values == Variable::kOne &&
         set_here_.contains(name);
}

bool Flow::IsLoopVariable(string_view name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() && !found->second.is_set_by_statement;
}

// Returns the facts of a name that the template has not set.
Facts Flow::FreeFacts(string_view name) {
  for (const string_view constant : {"true", "false", "none", "True", "False", "None"}) {
    if (name == constant) return NumberFacts();
  }
  if (name == "loop") return FactsOf(kLoop, 0);
  if (name == "varargs" || name == "kwargs") {
    Sources arguments = all_arguments_.All();
    arguments.macros |= kCallers;  // kwargs.caller
    return ContainerFacts(ListOf(name), arguments);
  }
  if (IsFunctionOfEnvironment(name) || IsObjectOfFramework(name)) {
    Facts function = FunctionFacts();
    if (name == "self") function.inner.macros = kBlocks;
    return function;
  }
  Facts message = MessageFacts();
  message.self.lists = message.inner.lists = ListOf(name);
  if (name == "caller") {
    message.self.macros = kCallers;
    const auto passed = named_arguments_.find(name);  // m(caller=x)
    if (passed != named_arguments_.end()) message.Join(passed->second);
  }
  return message;
}

void Flow::SetAttribute(string_view name, const Facts& facts) {
  Grow(&all_attributes_, facts);
  if (attributes_.size() < kMostNames || attributes_.contains(name)) {
    Grow(&attributes_[name], facts);
  } else {
    Grow(&attributes_[""], facts);
  }
}

Facts Flow::Attribute(const Facts& base, string_view name) {
  // The attributes of literal texts and numbers are methods or undefined.
  Facts facts;
  if (base.IsNothing()) return facts;
  if (base.self.Has(kMessage | kContainer)) facts.Join(PartOf(base));
  if (base.self.Has(kAssembled | kFunction) || base.self.macros != 0) {
    facts.Join(AssembledFacts());
    facts.Join({base.inner, base.inner});
  }
  if (base.self.Has(kNamespace | kFunction | kAssembled)) {
    const bool is_any = name.empty() || name[0] == '_';
    for (const string_view key : {name, string_view()}) {
      const auto found = attributes_.find(key);
      if (found != attributes_.end()) facts.Join(found->second);
    }
    if (is_any) facts.Join(all_attributes_);
    if (is_any) facts.Join({all_attributes_.All(), all_attributes_.All()});
  }
  if (base.self.Has(kLoop)) {
    if (IsNumberOfLoop(name)) {
      facts.Join(NumberFacts());
    } else {
      facts.Join(loop_items_);
      if (name != "previtem" && name != "nextitem") {
        facts.Join(AssembledFacts());
      }
    }
  }
  if (name.empty() || IsMethod(name)) facts.self.origins |= kCallable;
  const uint32_t methods = MethodsNamed(name);
  if (methods != 0) {
    facts.self.origins |= methods & (base.self.Has(kMessage) ? ~0u : ~kFormat);
    if (!name.empty()) facts.self.lists = 0;  // Of elements.
    facts.self.lists |= base.self.lists;
  }
  return facts;
}

Facts Flow::PartOf(const Facts& base) const {
  Facts part = {base.inner, base.inner};
  part.self.origins |= base.self.origins & kChosen;
  const auto join = [&](const Sources& more) {
    part.self.Join(more);
    part.inner.Join(more);
  };
  ForEachBit(base.self.lists, [&](int i) { join(contents_[i]); });
  if (base.self.Has(kNamespace)) join(all_attributes_.All());
  if (base.self.Has(kLoop)) join(loop_items_.All());
  return part;
}

Facts Flow::AnyPartOf(const Facts& base) const {
  Facts parts = PartOf(base);
  for (;;) {
    const Facts more = Either(parts, PartOf(parts));
    if (more == parts) return parts;
    parts = more;
  }
}

uint64_t Flow::ListAt(const Token& where) { return ListIn(&lists_at_, where.offset); }

uint64_t Flow::ListOf(string_view name) { return ListIn(&lists_of_, name); }

template <class Lists, class Key>
uint64_t Flow::ListIn(Lists* lists, const Key& key) {
  const auto found = lists->find(key);
  if (found != lists->end()) return found->second;
  constexpr size_t kLast = 63;
  if (lists_ == kLast) return uint64_t{1} << kLast;
  const uint64_t list = uint64_t{1} << lists_++;
  lists->emplace(key, list);
  return list;
}

void Flow::AddTo(uint64_t lists, const Sources& content) {
  ForEachBit(lists, [&](int i) { Grow(&contents_[i], content); });
}

void Flow::NameMacro(string_view name, uint64_t macro) { GrowBits(&macros_named_[name], macro); }

uint64_t Flow::MacrosNamed(string_view name) const {
  if (name == "caller") return kCallers;
  const auto found = macros_named_.find(name);
  return found == macros_named_.end() ? 0 : found->second;
}

void Flow::AddCall(uint64_t callees, bool is_held, const Arguments& arguments, const Token& where) {
  if (callees == 0) return;
  AddArguments(callees, arguments);
  GrowBits(&loops_around_calls_, place.loops);
  ForEachBit(place.macros, [&](int i) { GrowBits(&callees_[i], callees); });
  if (is_held && place.macros != 0 && held_calls_.size() < kMostHeldCalls) {
    held_calls_.push_back({place.macros, callees, where});
  }
}

void Flow::AddArguments(uint64_t callees, const Arguments& arguments) {
  Facts others = arguments.others;
  for (size_t i = kMostPositional; i < arguments.positional.size(); ++i) {
    others.Join(arguments.positional[i]);
  }
  for (const auto& [name, facts] : arguments.named) {
    Grow(&named_arguments_[name], facts);
  }
  const size_t count = std::min(arguments.positional.size(), kMostPositional);
  ForEachBit(callees, [&](int macro) {
    for (size_t i = 0; i < count; ++i) {
      Grow(&positional_[macro][i], arguments.positional[i]);
    }
    Grow(&other_arguments_[macro], others);
  });
  Sources all = arguments.All();
  all.Join(arguments.names);
  Grow(&all_arguments_, {all, all});
}

Facts Flow::Parameter(uint64_t macro, size_t index, string_view name) const {
  Facts facts;
  const auto named = named_arguments_.find(name);
  if (named != named_arguments_.end()) facts = named->second;
  ForEachBit(macro, [&](int i) {
    facts.Join(other_arguments_[i]);
    if (index < kMostPositional) facts.Join(positional_[i][index]);
  });
  return facts;
}

std::vector<Token> Flow::FindHeldCycles() const {
  // Which macros each one reaches by calls.
  std::array<uint64_t, 64> reached = callees_;
  for (size_t via = 0; via < reached.size(); ++via) {
    for (uint64_t& from : reached) {
      if ((from >> via & 1) != 0) from |= reached[via];
    }
  }
  std::vector<Token> cycles;
  for (const HeldCall& call : held_calls_) {
    uint64_t from_callees = call.to;
    ForEachBit(call.to, [&](int i) { from_callees |= reached[i]; });
    if ((from_callees & call.from) != 0) cycles.push_back(call.where);
  }
  return cycles;
}

}  // namespace gguf::jinja
