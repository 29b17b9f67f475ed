// Statements: the words that a {% tag may begin with; and the open blocks of a
// template, one inside the other.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_BLOCKS_H_
#define GGUF_CONFORMANCE_JINJA_BLOCKS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/copies.h"
#include "conformance/jinja/lexer.h"
#include "parser/core/name_hash.h"

namespace gguf::jinja {

struct Statement {
  absl::string_view name;
  absl::string_view end;   // The word that closes it; empty if none.
  bool is_choice = false;  // Its contents may not run.
  bool is_value = false;   // Its contents become a value.
  bool is_import = false;
};

// Returns null for a word that is not a statement, and for those that close or
// divide one.
const Statement* FindStatement(absl::string_view name);

// Returns whether the word closes a statement.
bool IsEnd(absl::string_view name);

// The variables, and attributes of variables, to which a statement assigns.
struct Targets {
  struct Name {
    Token name;
    absl::string_view attribute = {};  // Empty for a variable.
  };
  std::vector<Name> names;
  bool is_tuple = false;    // Each is assigned an element.
  bool has_filter = false;  // {% set x|f %}
  bool has_end = false;     // The word that ends them was read.
};

struct Block {
  const Statement* statement;
  Token word;
  bool is_loop = false;
  std::optional<double> rounds = {};  // Iterations of a loop of known length.
  size_t elifs = 0;
  std::optional<size_t> macro = {};  // Its number.
  uint64_t macro_bit = 0;            // As in Flow; also of other functions.
  // Of a loop: the lists over which it may iterate, and its variables.
  uint64_t lists = 0;
  std::shared_ptr<const NameSet<>> variables = {};
  bool is_recursive = false;
  // Of {% set %}: what it sets; the parts of its contents, and the last one
  // that is text; and the copies of variables in them.
  Targets targets = {};
  Copies copies = {};
  size_t pieces = 0;
  absl::string_view text = {};
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
