// The filters, tests, functions, methods and tags of chat templates, and the programs that know
// them: rows of tables/template_names.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TEMPLATE_NAMES_H_
#define GGUF_CONFORMANCE_MODEL_TEMPLATE_NAMES_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/tree.h"
#include "conformance/tables/template_names.h"

namespace gguf {

// A program that renders templates: a column of the table.
struct TemplateEngine {
  const char* name;
  const char* TemplateNameRow::*cell;  // Empty if it lacks the name.
};

constexpr TemplateEngine kTemplateEngines[] = {
    {"Jinja2", &TemplateNameRow::jinja2},
    {"llama.cpp", &TemplateNameRow::llama_cpp},
    {"minja", &TemplateNameRow::minja},
    {"minijinja", &TemplateNameRow::minijinja},
    {"@huggingface/jinja", &TemplateNameRow::huggingface}};

// A name in a template, and its row; null if no engine has it.
struct UsedName {
  TemplateNameKind kind;
  absl::string_view name;
  const TemplateNameRow* row;
  const jinja::Node* where;

  bool IsIn(const TemplateEngine& engine) const {
    return row != nullptr && (row->*engine.cell)[0] != '\0';
  }
};

// Returns the names that a template uses and does not define itself, each once.  They point into
// the tree.
std::vector<UsedName> NamesIn(const jinja::Tree& tree);

// Returns "filter", "test", "function", "method" or "tag".
absl::string_view WordOf(TemplateNameKind kind);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TEMPLATE_NAMES_H_
