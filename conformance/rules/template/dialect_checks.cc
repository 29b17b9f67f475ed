// Checks of the names and the syntax of chat templates that only some programs know.
//
// The names are rows of tables/template_names.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "conformance/base/name_hash.h"
#include "conformance/model/templates.h"
#include "conformance/rules/rule_tables.h"
#include "conformance/tables/template_names.h"

namespace gguf {
namespace {

using absl::string_view;
using jinja::Node;
using jinja::NodeKind;

// The columns of the table, as messages name them.
constexpr struct {
  const char* name;
  const char* TemplateNameRow::*cell;  // Empty if it lacks the name.
} kEngines[] = {{"Jinja2", &TemplateNameRow::jinja2},
                {"llama.cpp", &TemplateNameRow::llama_cpp},
                {"minja", &TemplateNameRow::minja},
                {"minijinja", &TemplateNameRow::minijinja},
                {"@huggingface/jinja", &TemplateNameRow::huggingface}};

bool Lacks(const TemplateNameRow& row, const char* TemplateNameRow::*cell) {
  return (row.*cell)[0] == '\0';
}

// A name in a template, and its row; null if no engine has it.
struct UsedName {
  TemplateNameKind kind;
  string_view name;
  const TemplateNameRow* row;
  const Node* where;
};

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

  const std::vector<UsedName>& names() const { return names_; }

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

// Calls `f` with each template, and each name in it of which `is_wrong`.
template <class IsWrong>
void FindNames(const CheckContext& context, Finder& find, IsWrong is_wrong,
               absl::string_view sentence) {
  for (const Template& each : context.model.templates()) {
    if (each.analysis.tree == nullptr || each.analysis.is_cut) continue;
    const NameCollector collector(*each.analysis.tree);
    size_t count = 0;
    const UsedName* first = nullptr;
    for (const UsedName& used : collector.names()) {
      if (!is_wrong(used)) continue;
      if (count++ == 0) first = &used;
    }
    if (count == 0) continue;
    std::vector<string_view> lack;
    for (const auto& engine : kEngines) {
      if (first->row != nullptr && Lacks(*first->row, engine.cell)) lack.push_back(engine.name);
    }
    const std::string message =
        absl::StrCat(sentence, count == 1 ? "" : ", the first of {count} such names");
    find(each.Where(first->where->begin, first->where->end), each.kv->subject().Of("value"),
         message,
         {{"kind", Trusted{std::string(WordOf(first->kind))}},
          {"name", first->name},
          {"lack", Trusted{absl::StrJoin(lack, ", ")}},
          {"count", count}});
  }
}

void NamesKnown(const CheckContext& context, Finder& find) {
  FindNames(
      context, find, [](const UsedName& used) { return used.row == nullptr; },
      "uses the {kind} {name}, which no known program has");
}

void NamesPortable(const CheckContext& context, Finder& find) {
  FindNames(
      context, find,
      [](const UsedName& used) {
        return used.row != nullptr && absl::c_any_of(kEngines, [&](const auto& engine) {
                 return Lacks(*used.row, engine.cell);
               });
      },
      "uses the {kind} {name}, which is missing in {lack}");
}

void NamesOfLlamaCpp(const CheckContext& context, Finder& find) {
  FindNames(
      context, find,
      [](const UsedName& used) {
        return used.row != nullptr && Lacks(*used.row, &TemplateNameRow::llama_cpp);
      },
      "uses the {kind} {name}, which llama.cpp does not have");
}

void SyntaxOfLlamaCpp(const CheckContext& context, Finder& find) {
  for (const Template& each : context.model.templates()) {
    if (each.analysis.tree == nullptr || each.analysis.tree->dialect.empty()) continue;
    const jinja::Dialect& first = each.analysis.tree->dialect.front();
    const uint64_t count = each.analysis.tree->dialect.size();
    find(each.Where(first.begin, first.end), each.kv->subject().Of("value"),
         count == 1 ? "has {what}, which llama.cpp does not read"
                    : "has {what}, which llama.cpp does not read, the first of {count} such places",
         {{"what", Trusted{first.what}}, {"count", count}});
  }
}

}  // namespace

constexpr RuleTable kTemplateDialectRules = {
    {.id = "template-names-known",
     .severities = {.upload = kError, .llama_cpp = kError},
     .summary = "The filters, tests, functions, methods and tags of a chat template shall be those "
                "of some program that renders templates.",
     .why = "Each program fails when it applies the template, or when it loads it.",
     .repair = "Write what the name should do with filters that programs have; look for a typo "
               "first.",
     .citation = "Not in the specification; tried with Jinja2 in transformers and with "
                 "@huggingface/jinja, and read in llama.cpp, minja and minijinja.",
     .since = "0.2.0",
     .check = NamesKnown},
    {.id = "template-names-portable",
     .severities = {.upload = kNote},
     .summary = "A chat template should use only filters, tests, functions, methods and tags that "
                "all programs have.",
     .why = "The programs that lack one fail when they apply the template.",
     .repair = "Use a name that all of them have, if there is one.",
     .citation = "Not in the specification; tried with Jinja2 in transformers and with "
                 "@huggingface/jinja, and read in llama.cpp, minja and minijinja.",
     .since = "0.2.0",
     .check = NamesPortable},
    {.id = "template-names-of-llama-cpp",
     .severities = {.llama_cpp = kError},
     .summary = "A chat template shall use only filters, tests, functions, methods and tags that "
                "llama.cpp has.",
     .why = "llama.cpp fails when it applies the template.",
     .repair = "Use a name that llama.cpp has.",
     .citation = "Not in the specification; llama.cpp of August 2026, common/jinja.",
     .since = "0.2.0",
     .check = NamesOfLlamaCpp},
    {.id = "template-syntax-of-llama-cpp",
     .severities = {.upload = kWarning, .llama_cpp = kError},
     .summary = "A chat template shall have only operators, literals and tuples that llama.cpp "
                "reads.",
     .why = "llama-server ends with an error of syntax when it loads the model.",
     .repair = "Write it in another way: (a / b) | int for a // b, a * a for a ** 2, 0 - x for -x.",
     .citation = "Not in the specification; llama.cpp of August 2026, common/jinja.",
     .since = "0.2.0",
     .check = SyntaxOfLlamaCpp},
};

}  // namespace gguf
