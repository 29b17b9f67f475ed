// Checks of the names and the syntax of chat templates that only some programs know.
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
#include "conformance/model/template_names.h"
#include "conformance/model/templates.h"
#include "conformance/rules/rule_tables.h"

namespace gguf {
namespace {

using absl::string_view;

// Calls `f` with each template, and each name in it of which `is_wrong`.
template <class IsWrong>
void FindNames(const CheckContext& context, Finder& find, IsWrong is_wrong,
               absl::string_view sentence) {
  for (const Template& each : context.model.templates()) {
    if (each.analysis.tree == nullptr || each.analysis.is_cut) continue;
    const std::vector<UsedName> names = NamesIn(*each.analysis.tree);
    size_t count = 0;
    const UsedName* first = nullptr;
    for (const UsedName& used : names) {
      if (!is_wrong(used)) continue;
      if (count++ == 0) first = &used;
    }
    if (count == 0) continue;
    std::vector<string_view> lack;
    for (const TemplateEngine& engine : kTemplateEngines) {
      if (!first->IsIn(engine)) lack.push_back(engine.name);
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
        return used.row != nullptr &&
               !absl::c_all_of(kTemplateEngines,
                               [&](const TemplateEngine& engine) { return used.IsIn(engine); });
      },
      "uses the {kind} {name}, which is missing in {lack}");
}

void NamesOfLlamaCpp(const CheckContext& context, Finder& find) {
  FindNames(
      context, find,
      [](const UsedName& used) { return used.row != nullptr && used.row->llama_cpp[0] == '\0'; },
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
