// Visits the tree of a template for the names in it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/template_names.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/base/name_hash.h"

namespace gguf {
namespace {

using absl::string_view;
using jinja::Node;
using jinja::NodeKind;

const TemplateNameRow* FindRow(TemplateNameKind kind, string_view name) {
  static const auto& rows = *new NameMap<const TemplateNameRow*, std::string>([] {
    NameMap<const TemplateNameRow*, std::string> map;
    for (const TemplateNameRow& row : kTemplateNames) {
      map.emplace(absl::StrCat(static_cast<int>(row.kind), " ", row.name), &row);
    }
    return map;
  }());
  const auto found = rows.find(absl::StrCat(static_cast<int>(kind), " ", name));
  return found == rows.end() ? nullptr : found->second;
}

// Collects the names that a template uses, each once.
class NameCollector {
 public:
  explicit NameCollector(const jinja::Tree& tree) {
    Define(*tree.root);
    Visit(*tree.root);
  }

  std::vector<UsedName> Take() { return std::move(names_); }

 private:
  void Add(TemplateNameKind kind, string_view name, const Node& where) {
    if (!seen_.insert(absl::StrCat(static_cast<int>(kind), " ", name)).second) return;
    names_.push_back({kind, name, FindRow(kind, name), &where});
  }

  // Notes the names that the template sets itself, or asks for with `is defined`.
  void Define(const Node& node) {
    switch (node.kind) {
      case NodeKind::kMacro:
      case NodeKind::kParameter:
      case NodeKind::kKeyword:
      case NodeKind::kBlock:
        own_.insert(node.text);
        break;
      case NodeKind::kSet:
      case NodeKind::kSetBlock:
      case NodeKind::kFor:
        DefineTarget(*node.first);
        break;
      case NodeKind::kDict:
        for (const Node& item : node.children()) {
          if (item.is(NodeKind::kString)) own_.insert(item.text);
        }
        break;
      case NodeKind::kTest:
        if (node.text == "defined") own_.insert(node.first->text);
        break;
      default:
        break;
    }
    for (const Node& child : node.children()) Define(child);
  }

  void DefineTarget(const Node& target) {
    if (!target.is(NodeKind::kTuple)) own_.insert(target.text);
    for (const Node& item : target.children()) DefineTarget(item);
  }

  // The filters and tests that a filter takes by name: map("trim"), selectattr("a", "none").
  void AddNamed(const Node& filter) {
    const bool is_map = filter.text == "map";
    const bool of_attribute = filter.text == "selectattr" || filter.text == "rejectattr";
    if (!is_map && !of_attribute && filter.text != "select" && filter.text != "reject") return;
    const Node* name = filter.child(of_attribute ? 2 : 1);
    if (name == nullptr || !name->is(NodeKind::kString)) return;
    Add(is_map ? TemplateNameKind::kFilter : TemplateNameKind::kTest, name->text, *name);
  }

  void Visit(const Node& node) {
    switch (node.kind) {
      case NodeKind::kFilter:
        Add(TemplateNameKind::kFilter, node.text, node);
        AddNamed(node);
        break;
      case NodeKind::kTest:
        Add(TemplateNameKind::kTest, node.text, node);
        break;
      case NodeKind::kCall: {
        const Node& callee = *node.first;
        if (own_.contains(callee.text) || callee.text == "caller" || callee.text == "loop") break;
        if (callee.is(NodeKind::kName)) Add(TemplateNameKind::kFunction, callee.text, callee);
        if (callee.is(NodeKind::kAttribute)) Add(TemplateNameKind::kMethod, callee.text, callee);
        break;
      }
      case NodeKind::kDo:
        Add(TemplateNameKind::kTag, "do", node);
        break;
      case NodeKind::kDebug:
        Add(TemplateNameKind::kTag, "debug", node);
        break;
      case NodeKind::kGeneration:
        Add(TemplateNameKind::kTag, "generation", node);
        break;
      case NodeKind::kCallBlock:
        Add(TemplateNameKind::kTag, "call", node);
        break;
      case NodeKind::kFilterBlock:
        Add(TemplateNameKind::kTag, "filter", node);
        break;
      case NodeKind::kWith:
        Add(TemplateNameKind::kTag, "with", node);
        break;
      case NodeKind::kBlock:
        Add(TemplateNameKind::kTag, "block", node);
        break;
      case NodeKind::kAutoescape:
        Add(TemplateNameKind::kTag, "autoescape", node);
        break;
      default:
        break;
    }
    for (const Node& child : node.children()) Visit(child);
  }

  NameSet<> own_;
  NameSet<std::string> seen_;
  std::vector<UsedName> names_;
};

}  // namespace

std::vector<UsedName> NamesIn(const jinja::Tree& tree) { return NameCollector(tree).Take(); }

string_view WordOf(TemplateNameKind kind) {
  switch (kind) {
    case TemplateNameKind::kFilter:
      return "filter";
    case TemplateNameKind::kTest:
      return "test";
    case TemplateNameKind::kFunction:
      return "function";
    case TemplateNameKind::kMethod:
      return "method";
    case TemplateNameKind::kTag:
      return "tag";
  }
  return "";
}

}  // namespace gguf
