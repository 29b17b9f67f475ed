// MacroGraph: which macros of a template call which.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_JINJA_MACRO_GRAPH_H_
#define GGUF_CONFORMANCE_RULES_JINJA_MACRO_GRAPH_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/rules/jinja/lexer.h"

namespace gguf::jinja {

class MacroGraph {
 public:
  // More calls than this are not followed.
  static constexpr size_t kMostCalls = 100000;

  // The name in its definition; the result is the macro's number.
  size_t AddMacro(const Token& name);
  // A call inside of a macro, always made or only under a condition.
  void AddCall(size_t caller, absl::string_view callee, bool is_conditional);

  bool is_complete() const { return calls_.size() < kMostCalls; }

  // The macros that lead to themselves, or lie between two that do, in the
  // order of the template; of the calls that are always made, or of all.  Takes
  // linear time.
  std::vector<Token> FindCycles(bool with_conditional) const;

 private:
  struct Call {
    size_t caller;
    absl::string_view callee;
    bool is_conditional;
  };

  std::vector<Token> macros_;
  std::vector<Call> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_RULES_JINJA_MACRO_GRAPH_H_
