// Finds names of attributes that are unsafe, or may be: value.name and value[name].
//
// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/jinja/analyzer.h"
#include "conformance/jinja/unsafe_names.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Returns the name if the node is a variable that the template does not set.
string_view FreeName(const Node& node, const Flow& flow) {
  const bool is_free = node.is(NodeKind::kName) && !flow.IsAssigned(node.text);
  return is_free ? node.text : "";
}

}  // namespace

void Analyzer::ReportName(const Node& at, string_view why) {
  // Of x[y], only [y].
  const uint32_t begin = at.is(NodeKind::kSubscript) ? at.first->end : at.begin;
  string_view text = tree_.text.substr(begin, at.end - begin);
  text = absl::StripAsciiWhitespace(text);
  analysis_.faults.Add(
      {FaultKind::kAttributeName, 0, begin, at.end, std::string(text), std::string(why)});
}

// Returns whether the value is a list or dict of literals, also in other ones.
bool Analyzer::IsTable(const Facts& value) {
  if (!value.Has(kContainer)) return false;
  constexpr uint32_t kLiterals = kContainer | kWord | kNumber | kLookedUp;
  const Facts all = flow_.All(value);
  return all.Is(kLiterals);
}

// Reports unsafe literals.  Special names are reported where they are written.
void Analyzer::CheckLiteral(string_view name, As as, bool is_data, const Node& at) {
  const auto is_unsafe = !is_data               ? IsUnsafeOnObject
                         : as == As::kSubscript ? IsUnsafeSubscript
                                                : IsUnsafeAttribute;
  std::vector<string_view> steps = {name};
  if (as == As::kPath) steps = absl::StrSplit(name, absl::ByAnyChar(".,"));
  for (const string_view step : steps) {
    if (!IsSpecialName(step) && is_unsafe(step)) Report(FaultKind::kAttribute, at, step);
  }
}

Facts Analyzer::UseName(const Facts& base, const Abstract& name, As as, const Node& at) {
  const Facts& from = name.facts;
  if (base.Has(kChosen)) ReportName(at, "accesses an attribute of a value that a message names");
  const bool is_table = IsTable(base);
  const bool is_data = is_table || base.Is(kData);
  const bool is_known = name.is_exact_text();
  if (name.is_known_text()) CheckLiteral(name.text(), as, is_data, at);
  const uint32_t safe = is_data ? kSafeNames | kObjectWord : kSafeNames;
  // A list is never a name, so its facts must be those of something else.
  if (!from.Is(safe) || from.Is(kContainer)) {
    if (!is_known) ReportName(at, "assembles the name of an attribute when it runs");
    return from.IsNothing() ? Facts() : FactsOf(kAssembled | kCallable);
  }
  const bool is_of_message = from.Has(kMessage | kChosen);
  if (is_of_message && (as == As::kPath || !is_data)) {
    ReportName(at, "takes the name of an attribute from a message");
  }
  if (as == As::kPath) return FollowPath(base, name, at);
  Facts value = from.Is(kNumber) || is_of_message
                    ? flow_.PartOf(base)
                    : flow_.Attribute(base, is_known ? name.text() : "");
  if (is_known) CheckFormat(base, name.text(), at);
  if (is_of_message) value.sources |= is_table ? kLookedUp : kChosen;
  return value;
}

// Returns the facts of base.a.b.c.
Facts Analyzer::FollowPath(const Facts& base, const Abstract& path, const Node& at) {
  Facts value = base;
  if (path.is_known_text() && path.facts.HasOnly(kWord)) {
    for (const string_view step : absl::StrSplit(path.text(), '.')) {
      CheckFormat(value, step, at);
      const Facts part = flow_.PartOf(value);  // If the step is a number.
      value = flow_.Attribute(value, step);
      if (!step.empty() && absl::ascii_isdigit(step[0])) flow_.parts.Join(&value, part);
    }
    return value;
  }
  constexpr int kMostSteps = 8;
  for (int i = 0; i < kMostSteps; ++i) flow_.parts.Join(&value, flow_.Attribute(value, ""));
  return value;
}

// text.format reads attributes.
void Analyzer::CheckFormat(const Facts& text, string_view name, const Node& at) {
  if (name != "format" && name != "format_map") return;
  if (text.Has(kAssembled | kUnsafeWord)) {
    ReportName(at, "formats a string that the template assembles");
  } else if (text.Has(kObjectWord)) {
    ReportName(at, "formats an attribute that is not data");
  }
}

// value[name] or value[begin:end]
Abstract Analyzer::Subscript(const Node& node) {
  const Abstract base = Evaluate(*node.first);
  const Node& index = *node.first->next;
  Abstract made;
  if (index.is(NodeKind::kSlice)) {
    if (base.facts.Has(kChosen))
      ReportName(node, "accesses a part of a value that a message names");
    bool is_known = base.is_known, is_exact = base.is_exact;
    std::vector<Value> ends;
    for (const Node& child : index.children()) {
      const Abstract end = Evaluate(child);
      const bool is_absent = child.is(NodeKind::kAbsent);
      is_known &= is_absent || end.is_known;
      is_exact &= is_absent || end.is_exact;
      ends.push_back(is_absent ? Value(Kind::kNone) : end.value);
    }
    if (is_known) Take(machine_.Slice(base.value, ends[0], ends[1], ends[2]), node, &made);
    made.is_exact = made.is_known && is_exact;
    if (made.is_exact_text()) {
      made.facts = LiteralFacts(made.text());
      return made;
    }
    made.facts = flow_.Container(node, flow_.PartOf(base.facts));
    made.facts.sources = base.facts.sources;
    made.facts.macros = base.facts.macros;
    if (base.facts.Has(kTexts)) made.facts.sources |= kAssembled;
    return made;
  }
  const Abstract name = Evaluate(index);
  if (index.is(NodeKind::kTuple)) {  // A tuple is the key, and no name.
    made.facts = flow_.PartOf(base.facts);
    return made;
  }
  made.facts = UseName(base.facts, name, As::kSubscript, node);
  if (base.is_known && name.is_known && name.value.is_integer()) {
    Take(machine_.Subscript(base.value, name.value), node, &made);
  }
  const bool is_part = base.part == Abstract::kPartOfIt || name.is_exact_text();
  if (is_part && base.part != Abstract::kNoPart) made.part = Abstract::kPartOfIt;
  return made;
}

// value.name
Abstract Analyzer::Member(const Node& node, const Abstract& base) {
  const string_view name = node.text;
  const string_view function = FreeName(*node.first, flow_);
  const string_view object =
      node.first->is(NodeKind::kAttribute) ? FreeName(*node.first->first, flow_) : "";
  const bool is_unsafe = base.facts.Is(kData) ? IsUnsafeAttribute(name) : IsUnsafeOnObject(name);
  if (is_unsafe) {
    if (!IsSpecialName(name)) Report(FaultKind::kAttribute, node, name);
  } else if (IsFunctionOfEnvironment(function)) {
    Report(FaultKind::kAttribute, node, absl::StrCat(function, ".", name));
  } else if (IsObjectOfFramework(object)) {
    Report(FaultKind::kAttribute, node, absl::StrCat(object, ".", name));
  }
  if (base.facts.Has(kChosen)) {
    ReportName(node, "accesses an attribute of a value that a message names");
  }
  CheckFormat(base.facts, name, node);
  Abstract made;
  made.facts = flow_.Attribute(base.facts, name);
  if (!base.variable.empty()) made.copies = Copies({base.variable, name});
  if (base.part != Abstract::kNoPart) made.part = Abstract::kPartOfIt;
  return made;
}

}  // namespace gguf::jinja
