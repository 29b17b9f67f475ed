// Properties of a place in a template that follow from the blocks around it.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/blocks.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "conformance/jinja/macro_graph.h"

namespace gguf::jinja {
namespace {

auto MacroBlock(const Blocks& blocks) {
  return std::find_if(blocks.rbegin(), blocks.rend(), [](const Block& block) {
    return block.macro.has_value();
  });
}

}  // namespace

size_t MacroOf(const Blocks& blocks) {
  const auto block = MacroBlock(blocks);
  return block == blocks.rend() ? MacroGraph::kTemplate : *block->macro;
}

double RoundsIn(const Blocks& blocks) {
  double rounds = 1;
  std::for_each(blocks.rbegin(), MacroBlock(blocks), [&](const Block& block) {
    rounds *= block.rounds.value_or(1);
  });
  return rounds;
}

double MostRoundsIn(const Blocks& blocks) {
  const bool is_known =
      std::none_of(blocks.begin(), blocks.end(), [](const Block& block) {
        return block.macro || (block.is_loop && !block.rounds);
      });
  return is_known ? RoundsIn(blocks) : std::numeric_limits<double>::infinity();
}

bool IsConditional(const Blocks& blocks) {
  const auto macro = MacroBlock(blocks);
  const auto end = macro == blocks.rend() ? macro : std::next(macro);
  return std::any_of(blocks.rbegin(), end, [](const Block& block) {
    return block.statement->is_choice;
  });
}

bool IsValue(const Blocks& blocks) {
  return std::any_of(blocks.begin(), blocks.end(), [](const Block& block) {
    return block.statement->is_value;
  });
}

}  // namespace gguf::jinja
