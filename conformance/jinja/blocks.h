// The open blocks of a template, one inside the other.
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
  std::optional<double> rounds = {};  // Iterations of a loop of known length.
  size_t elifs = 0;
  std::optional<size_t> macro = {};  // Its number.
};

// The open blocks, outermost first.  "Here" is inside the last one.
using Blocks = std::vector<Block>;

// Returns the number of the macro that encloses here, or kTemplate.
size_t MacroOf(const Blocks& blocks);

// Returns the minimum number of iterations of the loops around here, up to that
// macro.
double RoundsIn(const Blocks& blocks);

// Returns the maximum number of times that this place is executed; infinity if
// unknown.
double MostRoundsIn(const Blocks& blocks);

// Returns whether the macro executes this place only under a condition.
bool IsConditional(const Blocks& blocks);

// Returns whether the text here becomes a value.
bool IsValue(const Blocks& blocks);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_BLOCKS_H_
