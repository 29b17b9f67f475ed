// The blocks of a template that are open, one inside of the other.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_BLOCKS_H_
#define GGUF_CONFORMANCE_JINJA_BLOCKS_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "conformance/jinja/lexer.h"
#include "conformance/jinja/statements.h"

namespace gguf::jinja {

struct Block {
  const Statement* statement;
  Token word;
  bool is_loop = false;
  std::optional<double> rounds = {};  // Of a loop whose length is known.
  size_t elifs = 0;
  std::optional<size_t> macro = {};  // Its number.
};

// The outermost first.  "Here" is inside of the last.
using Blocks = std::vector<Block>;

// The number of the macro that is around here, or that of the template.
size_t MacroOf(const Blocks& blocks);

// Of the loops here, up to that macro: at least so many.
double RoundsIn(const Blocks& blocks);

// How often at the most what stands here is done: infinity where nothing tells.
double MostRoundsIn(const Blocks& blocks);

// Whether the macro comes here under a condition only.
bool IsConditional(const Blocks& blocks);

// Whether what is written here becomes a value.
bool IsValue(const Blocks& blocks);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_BLOCKS_H_
