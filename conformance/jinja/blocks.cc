// The table of statements, and the properties of a place in a template that
// follow from the blocks around it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/blocks.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "absl/algorithm/container.h"
#include "conformance/jinja/macro_graph.h"

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

auto MacroBlock(const Blocks& blocks) {
  return std::find_if(blocks.rbegin(), blocks.rend(),
                      [](const Block& block) { return block.macro.has_value(); });
}

}  // namespace

const Statement* FindStatement(absl::string_view name) {
  const auto* found = absl::c_find_if(
      kStatements, [&](const Statement& statement) { return statement.name == name; });
  return found == std::end(kStatements) ? nullptr : found;
}

bool IsEnd(absl::string_view name) {
  if (name.empty()) return false;
  return absl::c_any_of(kStatements,
                        [&](const Statement& statement) { return statement.end == name; });
}

size_t MacroOf(const Blocks& blocks) {
  const auto block = MacroBlock(blocks);
  return block == blocks.rend() ? MacroGraph::kTemplate : *block->macro;
}

double RoundsIn(const Blocks& blocks) {
  double rounds = 1;
  std::for_each(blocks.rbegin(), MacroBlock(blocks),
                [&](const Block& block) { rounds *= block.rounds.value_or(1); });
  return rounds;
}

double MostRoundsIn(const Blocks& blocks) {
  const bool is_known = absl::c_none_of(
      blocks, [](const Block& block) { return block.macro || (block.is_loop && !block.rounds); });
  return is_known ? RoundsIn(blocks) : std::numeric_limits<double>::infinity();
}

bool IsConditional(const Blocks& blocks) {
  const auto macro = MacroBlock(blocks);
  const auto end = macro == blocks.rend() ? macro : std::next(macro);
  return std::any_of(blocks.rbegin(), end,
                     [](const Block& block) { return block.statement->is_choice; });
}

bool IsValue(const Blocks& blocks) {
  return absl::c_any_of(blocks, [](const Block& block) { return block.statement->is_value; });
}

}  // namespace gguf::jinja
