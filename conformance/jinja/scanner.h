// Scanner: scans a template once, from its first tag to its last; and the statements and open
// blocks in it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_SCANNER_H_
#define GGUF_CONFORMANCE_JINJA_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/cycles.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/template_scan.h"

namespace gguf::jinja {

// Statements: the words that a {% tag may begin with; and the open blocks of a
// template, one inside the other.
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

// Scanner: scans a template once, from its first tag to its last.
class Scanner {
 public:
  // The arguments must outlive the scanner.
  Scanner(absl::string_view text, Flow* flow) : lexer_(text), flow_(*flow) {}

  TemplateScan Run();

 private:
  // Reads the next token of the tag.  Returns false at its end.
  bool Next(Token* token);
  // Pushes the rest of the tag, or its part before one of the words.  Returns
  // that word; empty if there is none.
  absl::string_view PushUntil(std::initializer_list<absl::string_view> words,
                              Expression* expression);
  Constant ReadExpression(bool is_whole, bool is_filter = false);
  Constant Finish(Expression* expression);
  void Use(const Expression& expression);

  void ReadText(const Token& text);
  void ReadTag();
  void ReadStatement();
  void Begin(const Statement& statement, const Token& word);
  void End(const Token& word);
  void Part(const Token& word);
  Targets ReadTargets(absl::string_view end);
  void Assign(const Targets& targets, const Constant& value, Flow::By by = Flow::By::kStatement);
  void ReadSet(Block block);
  void CheckGrowth(const Targets& targets, const Copies& copies);
  void ReadFor(Block block);
  void ReadMacro(Block block);
  void ReadCall(Block block);
  void ReadWith(const Block& block);
  void Open(const Block& block);
  void OpenFunction(const Block& block, const Expression& signature);
  void CloseSet(const Block& block);
  void UpdatePlace();
  void FindCycles();

  void SetVariable(const Token& name, const Constant& value, Flow::By by = Flow::By::kStatement);
  // Reports a value that is stored but must not be.
  void CheckStored(const Token& where, const Facts& value);
  void Report(FaultKind kind, const Token& where, const char* why, double number = 0) {
    scan_.faults.Add({kind, 0, where.offset, where.offset + where.text.size(),
                      std::string(where.text), why, number});
  }
  void ReportNesting(const Token& where, const char* what) {
    Report(FaultKind::kNesting, where, what);
  }
  // Stops the scan; the rest is not read.
  void Cut(const Token& where);

  Lexer lexer_;
  Flow& flow_;
  TemplateScan scan_;
  Token begin_;  // Of the tag.
  Blocks blocks_;
  Variables variables_;
  Growth growth_;
  MacroGraph macros_;
  SpecialTokens special_tokens_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_SCANNER_H_
