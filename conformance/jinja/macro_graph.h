// MacroGraph: which macros of a template call which.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_MACRO_GRAPH_H_
#define GGUF_CONFORMANCE_JINJA_MACRO_GRAPH_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

class MacroGraph {
 public:
  // More calls than this are not followed.
  static constexpr size_t kMostCalls = 100000;

  // The name in its definition; the result is the macro's number, from 1 on.
  size_t AddMacro(const Token& name);
  // The caller that is no macro: the template itself.
  static constexpr size_t kTemplate = 0;

  struct Call {
    size_t caller;
    absl::string_view callee;
    bool is_conditional;  // Not always made.
    double rounds;        // How often it is made, at the least.
    Token where;
  };
  void AddCall(const Call& call);

  // A loop of so many rounds in a macro, those of the loops around it included.
  void AddLoop(size_t macro, double rounds);

  bool is_complete() const { return calls_.size() < kMostCalls; }

  // The macros that lead to themselves, or lie between two that do, in the
  // order of the template; of the calls that are always made, or of all.  Takes
  // linear time.
  std::vector<Token> FindCycles(bool with_conditional) const;

  // Calls with which their callers come to have more rounds than `most`, of
  // loops and of macros, though what they call has not.  Takes linear time.
  struct Busy {
    Token where;
    double rounds;  // Of the caller up to the call.
  };
  std::vector<Busy> FindBusyCalls(double most) const;

 private:
  // Of those calls; the indexes of caller, callee and call.
  struct Edge {
    size_t from;
    size_t to;
    size_t call;
  };
  std::vector<Edge> Edges() const;
  static std::vector<size_t> Strip(const std::vector<Edge>& edges,
                                   bool backwards, std::vector<bool>* is_left);
  static std::vector<bool> InCycles(const std::vector<Edge>& edges,
                                    size_t count);

  std::vector<Token> macros_ = {Token()};  // The first is kTemplate.
  std::vector<double> rounds_ = {1};       // By macro: of its longest loop.
  std::vector<Call> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_MACRO_GRAPH_H_
