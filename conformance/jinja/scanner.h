// Scanner: scans a template once, from its first tag to its last.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_SCANNER_H_
#define GGUF_CONFORMANCE_JINJA_SCANNER_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/blocks.h"
#include "conformance/jinja/expression.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/growth.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/macro_graph.h"
#include "conformance/jinja/special_tokens.h"
#include "conformance/jinja/template_scan.h"

namespace gguf::jinja {

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
