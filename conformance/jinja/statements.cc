// The table of statements.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/statements.h"

#include <algorithm>
#include <iterator>

namespace gguf::jinja {
namespace {

// Statements of Jinja2, of its extensions loopcontrols, do and debug, and of
// transformers (generation).  The lexer handles raw blocks.
constexpr Statement kStatements[] = {
    {"if", "endif", true},
    {"for", "endfor", true},
    {"macro", "endmacro", false, true},
    {"call", "endcall", true, true},
    {"filter", "endfilter", false, true},
    {"set", "endset", false, true},
    {"with", "endwith"},
    {"autoescape", "endautoescape"},
    {"block", "endblock", false, true},
    {"generation", "endgeneration"},
    {"print", ""},
    {"do", ""},
    {"break", ""},
    {"continue", ""},
    {"debug", ""},
    {"include", "", false, false, true},
    {"import", "", false, false, true},
    {"from", "", false, false, true},
    {"extends", "", false, false, true},
};

}  // namespace

const Statement* FindStatement(absl::string_view name) {
  const auto* found = std::find_if(
      std::begin(kStatements), std::end(kStatements),
      [&](const Statement& statement) { return statement.name == name; });
  return found == std::end(kStatements) ? nullptr : found;
}

bool IsEnd(absl::string_view name) {
  return !name.empty() &&
         std::any_of(
             std::begin(kStatements), std::end(kStatements),
             [&](const Statement& statement) { return statement.end == name; });
}

}  // namespace gguf::jinja
