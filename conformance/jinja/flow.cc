// Collects the facts of a template's variables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/flow.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Calls with more than this are followed, but not reported.
constexpr size_t kMostHeldCalls = 100000;

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
std::string TextOf(const Value* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return absl::StrCat("t", value->text());
  return value->is_number() ? absl::StrCat("n", value->number()) : "";
}

}  // namespace

Facts LiteralFacts(string_view text) {
  // |sort(attribute="a.b,c") reads paths of several attributes.
  const std::vector<string_view> steps = absl::StrSplit(text, absl::ByAnyChar(".,"));
  const auto any = [&](bool (*is_unsafe)(string_view)) { return absl::c_any_of(steps, is_unsafe); };
  // With fields, it is no name but may be a format.
  const bool has_fields = absl::StrContains(text, '{');
  const bool is_of_object = has_fields ? HasUnsafeField(text) : any(IsUnsafeOnObject);
  return FactsOf(any(IsUnsafeSubscript) ? kUnsafeWord : is_of_object ? kObjectWord : kWord);
}

void Flow::BeginPass() {
  parts.BeginPass();
  scopes_.assign(1, {});
  set_here_.clear();
  held_calls_.clear();
  macros_here = 0;
  loops_here.clear();
}

Facts Flow::Anything() {
  const bool is_first = anything_ == 0;
  if (is_first) anything_ = parts.New();
  const Facts any = {kAssembled | kMessage | kContainer | kFunction | kNamespace | kCallable,
                     ~uint64_t{0}, anything_};
  if (is_first) parts.Add(anything_, any);
  return any;
}

void Flow::GiveUp() {
  const Facts anything = Anything();
  has_given_up_ = true;
  all_attributes_ = attributes_[""] = anything;
  loop_items_ = loop_argument_ = all_arguments_ = anything;
  other_arguments_.fill(anything);
  are_messages_changed_ = have_messages_lists_ = true;
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

void Flow::Assign(string_view name, const Facts& facts, const Value* exact, By by) {
  if (is_full() && !variables_.contains(name)) return;
  Variable& variable = variables_[name];
  parts.Grow(&variable.facts, facts);
  if (by == By::kStatement && !variable.is_set_by_statement) {
    variable.is_set_by_statement = true;
    parts.NoteGrowth();
  }
  std::string known = TextOf(exact);
  if (variable.values == Variable::kUnset && !known.empty()) {
    variable.values = Variable::kOne;
    variable.value = std::move(known);
    parts.NoteGrowth();
  } else if (variable.values != Variable::kMany && variable.value != known) {
    variable.values = Variable::kMany;
    parts.NoteGrowth();
  }
  if (set_here_.insert(name).second) scopes_.back().names.push_back(name);
}

Facts Flow::Read(string_view name) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    const Facts free = FreeFacts(name);
    return has_given_up_ && free.Has(kMessage) ? Anything() : free;
  }
  if (has_given_up_) return Anything();
  if (set_here_.contains(name) && !IsSetByJinja(name)) return found->second.facts;
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
  if (name == "loop") return FactsOf(kLoop);
  if (name == "varargs" || name == "kwargs") {
    Facts arguments = {kContainer, 0, ContentsOf(name)};
    Facts content = all_arguments_;
    content.macros |= kCallers;  // kwargs.caller
    parts.Add(arguments.part, content);
    return arguments;
  }
  if (IsFunctionOfEnvironment(name) || IsObjectOfFramework(name)) {
    Facts function = {kFunction, 0, ContentsOf(name)};
    parts.Add(function.part, {kAssembled | kCallable, name == "self" ? kBlocks : 0, 0});
    return function;
  }
  Facts message = {kMessage, 0, ContentsOf(name)};
  parts.Add(message.part, message);
  if (name == "caller") {
    message.macros = kCallers;
    const auto passed = named_arguments_.find(name);  // m(caller=x)
    if (passed != named_arguments_.end()) parts.Join(&message, passed->second);
  }
  return message;
}

void Flow::AddToPool(Facts* pool, const Facts& facts) {
  const Facts all = All(facts);
  if (pool->part == 0) pool->part = parts.New();
  parts.Grow(pool, {all.sources, all.macros, 0});
  parts.Add(pool->part, *pool);
}

void Flow::SetAttribute(string_view name, const Facts& facts) {
  AddToPool(&all_attributes_, facts);
  const bool is_known = attributes_.size() < kMostNames || attributes_.contains(name);
  parts.Grow(&attributes_[is_known ? name : ""], facts);
}

Facts Flow::Attribute(const Facts& base, string_view name) {
  // The attributes of literal texts and numbers are methods or undefined.
  Facts facts;
  if (base.IsNothing()) return facts;
  if (base.Has(kMessage | kContainer)) facts = PartOf(base);
  if (base.Has(kAssembled | kFunction) || base.macros != 0) {
    facts.sources |= kAssembled;
    parts.Join(&facts, parts.Of(base.part));
  }
  if (base.Has(kNamespace | kFunction | kAssembled)) {
    for (const string_view key : {name, string_view()}) {
      const auto found = attributes_.find(key);
      if (found != attributes_.end()) parts.Join(&facts, found->second);
    }
    const bool is_any = name.empty() || name[0] == '_';
    if (is_any) parts.Join(&facts, all_attributes_);
  }
  if (base.Has(kLoop)) {
    if (IsNumberOfLoop(name)) {
      facts.sources |= kNumber;
    } else {
      parts.Join(&facts, loop_items_);
      if (name != "previtem" && name != "nextitem") facts.sources |= kAssembled;
    }
  }
  if (name.empty() || IsMethod(name)) facts.sources |= kCallable;
  if (const uint32_t methods = MethodsNamed(name); methods != 0) {
    facts.sources |= methods & (base.Has(kMessage) ? ~0u : ~kFormat);
    facts.part = name.empty() ? parts.Join(facts.part, base.part) : base.part;
  }
  return facts;
}

Facts Flow::PartOf(const Facts& base) {
  Facts part = parts.Of(base.part);
  part.sources |= base.sources & (kNumber | kAssembled | kMessage | kChosen);
  if (base.Has(kTexts)) part.sources |= kWord;
  if (base.Has(kFunction)) part.sources |= kAssembled | kCallable;
  if (base.Has(kNamespace)) parts.Join(&part, all_attributes_);
  if (base.Has(kLoop)) parts.Join(&part, loop_items_);
  return part;
}

Facts Flow::All(const Facts& facts) {
  constexpr int kDeepest = 100;
  Facts all = facts;
  Facts part = facts;
  for (int i = 0; i < kDeepest; ++i) {
    part = PartOf(part);
    const Facts before = all;
    all.sources |= part.sources;
    all.macros |= part.macros;
    if (before.sources == all.sources && before.macros == all.macros &&
        (part.part == 0 || parts.Find(part.part) == parts.Find(parts.Of(part.part).part))) {
      return all;
    }
  }
  return {Anything().sources, ~uint64_t{0}, facts.part};
}

Facts Flow::All(const CallFacts& arguments) {
  Facts all;
  const auto join = [&](const Facts& facts) {
    const Facts more = All(facts);
    all.sources |= more.sources;
    all.macros |= more.macros;
  };
  join(arguments.others);
  for (const Facts& facts : arguments.positional) join(facts);
  for (const auto& [name, facts] : arguments.named) join(facts);
  return all;
}

Facts Flow::AnyOf(const CallFacts& arguments) {
  Facts any = arguments.others;
  for (const Facts& facts : arguments.positional) parts.Join(&any, facts);
  for (const auto& [name, facts] : arguments.named) parts.Join(&any, facts);
  return any;
}

int Flow::ContentsOf(string_view name) {
  int& contents = contents_of_[name];
  if (contents == 0) contents = parts.New();
  return contents;
}

Facts Flow::Container(const Node& at, const Facts& element) {
  int& contents = contents_at_[&at];
  if (contents == 0) contents = parts.New();
  const int part = contents;
  parts.Add(part, element);
  return {kContainer, 0, part};
}

Facts Flow::Mixture(const Node& at, Facts any) {
  any.sources |= kAssembled | kCallable;
  any.part = Container(at, {}).part;
  parts.Add(any.part, any);
  return any;
}

void Flow::AddToMessages(const Facts& part, const Facts& all) {
  parts.Add(part.part, {all.sources, all.macros, 0});
  if (!are_messages_changed_ || (all.Has(kContainer) && !have_messages_lists_)) parts.NoteGrowth();
  are_messages_changed_ = true;
  have_messages_lists_ |= all.Has(kContainer);
}

void Flow::NameMacro(string_view name, uint64_t macro) { GrowBits(&macros_named_[name], macro); }

uint64_t Flow::MacrosNamed(string_view name) const {
  if (name == "caller") return kCallers;
  const auto found = macros_named_.find(name);
  return found == macros_named_.end() ? 0 : found->second;
}

void Flow::AddCall(uint64_t callees, bool is_held, const CallFacts& arguments, const Node& where) {
  if (callees == 0) return;
  Facts others = arguments.others;
  for (size_t i = kMostPositional; i < arguments.positional.size(); ++i) {
    parts.Join(&others, arguments.positional[i]);
  }
  for (const auto& [name, facts] : arguments.named) parts.Grow(&named_arguments_[name], facts);
  const size_t count = std::min(arguments.positional.size(), kMostPositional);
  ForEachBit(callees, [&](int macro) {
    for (size_t i = 0; i < count; ++i) {
      parts.Grow(&positional_[macro][i], arguments.positional[i]);
    }
    parts.Grow(&other_arguments_[macro], others);
  });
  AddToPool(&all_arguments_, All(arguments));
  AddToPool(&all_arguments_, arguments.names);
  for (const int loop : loops_here) {
    if (loops_around_calls_.insert(loop).second) parts.NoteGrowth();
  }
  ForEachBit(macros_here, [&](int i) { GrowBits(&callees_[i], callees); });
  if (is_held && macros_here != 0 && held_calls_.size() < kMostHeldCalls) {
    held_calls_.push_back({macros_here, callees, &where});
  }
}

Facts Flow::Parameter(uint64_t macro, size_t index, string_view name) {
  Facts facts;
  const auto named = named_arguments_.find(name);
  if (named != named_arguments_.end()) facts = named->second;
  ForEachBit(macro, [&](int i) {
    parts.Join(&facts, other_arguments_[i]);
    if (index < kMostPositional) parts.Join(&facts, positional_[i][index]);
  });
  return facts;
}

bool Flow::IsIterated(int part) {
  if (part == 0) return false;
  const auto is_same = [&](int loop) { return parts.Find(loop) == parts.Find(part); };
  // What is in a pool may be any list.
  const bool is_any =
      is_same(loop_items_.part) || is_same(all_attributes_.part) || is_same(all_arguments_.part);
  if (is_any && (macros_here != 0 || !loops_here.empty())) return true;
  return absl::c_any_of(loops_here, is_same) ||
         (macros_here != 0 && (has_given_up_ || absl::c_any_of(loops_around_calls_, is_same)));
}

std::vector<const Node*> Flow::FindHeldCycles() const {
  // Which macros each one reaches by calls.
  std::array<uint64_t, 64> reached = callees_;
  for (size_t via = 0; via < reached.size(); ++via) {
    for (uint64_t& from : reached) {
      if ((from >> via & 1) != 0) from |= reached[via];
    }
  }
  std::vector<const Node*> cycles;
  for (const HeldCall& call : held_calls_) {
    uint64_t from_callees = call.to;
    ForEachBit(call.to, [&](int i) { from_callees |= reached[i]; });
    if ((from_callees & call.from) != 0) cycles.push_back(call.where);
  }
  return cycles;
}

}  // namespace gguf::jinja
