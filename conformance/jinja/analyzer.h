// Analyzer: visits the tree of a template once, and collects its facts and faults.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_ANALYZER_H_
#define GGUF_CONFORMANCE_JINJA_ANALYZER_H_

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/analysis.h"
#include "conformance/jinja/cycles.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/machine.h"
#include "conformance/jinja/tree.h"
#include "conformance/jinja/value.h"

namespace gguf::jinja {

// The longest range() of Jinja2's sandbox.
constexpr double kLongestRange = 100000;

// What is known about the value of an expression before the template runs.
struct Abstract {
  Facts facts;
  // The value, if it is made of literals.
  bool is_known = false;
  bool is_exact = false;  // Known, and the same in all runs.
  Value value;
  double size = 0;  // The minimum size: of a text in bytes, of a list in elements.

  // The copies of variables that it contains; and the variable, if it is one.
  Copies copies;
  absl::string_view variable;

  // Whether it is the variable of a recursive loop, or only a part of its value.
  enum Part { kNoPart, kLoopVariable, kPartOfIt } part = kNoPart;

  bool is_known_text() const { return is_known && value.is_string(); }
  bool is_exact_text() const { return is_exact && value.is_string(); }
  bool is_known_number() const { return is_known && value.is_number(); }
  absl::string_view text() const { return is_known_text() ? value.text() : ""; }
};

class Analyzer {
 public:
  // The arguments must outlive the analyzer.
  Analyzer(const Tree& tree, Flow* flow, Machine* machine, Analysis* analysis)
      : tree_(tree), flow_(*flow), machine_(*machine), analysis_(*analysis) {}

  void Run();

 private:
  struct CallArguments {
    std::vector<Abstract> positional;
    std::vector<std::pair<absl::string_view, Abstract>> named;
    CallFacts facts;
    bool has_spread = false;

    size_t count() const { return positional.size() + named.size(); }
    const Abstract* Find(absl::string_view name) const {
      for (const auto& [each, value] : named) {
        if (each == name) return &value;
      }
      return nullptr;
    }
  };

  void Report(FaultKind kind, const Node& at, absl::string_view text = "", double number = 0,
              absl::string_view why = "");
  void ReportName(const Node& at, absl::string_view why);

  // Expressions: analyzer.cc.
  Abstract Evaluate(const Node& node);
  Abstract EvaluateMaybe(const Node& node);  // As Evaluate(), under a condition.
  Abstract Name(const Node& node);
  Abstract Items(const Node& node);
  Abstract Operator(const Node& node);
  Abstract Prefix(const Node& node);
  Abstract Conditional(const Node& node);
  Abstract Compute(absl::string_view op, const Abstract& a, const Abstract& b, const Node& at);
  // Takes a value that the machine made, or what its failure shows.
  void Take(const Value& value, const Node& at, Abstract* made);
  void JudgeName(absl::string_view text, const Node& at);
  void JudgeSize(double size, const Node& at);

  // Names of attributes: analyzer_names.cc.
  // How a name is used: base[name]; base|attr(name); or by filters that split it into names,
  // base|map(attribute="a.b").
  enum class As { kSubscript, kAttribute, kPath };
  Abstract Member(const Node& node, const Abstract& base);
  Abstract Subscript(const Node& node);
  // Returns the facts of what the name refers to, and reports dangerous ones.
  Facts UseName(const Facts& base, const Abstract& name, As as, const Node& at);
  void CheckLiteral(absl::string_view name, As as, bool is_data, const Node& at);
  bool IsTable(const Facts& value);
  Facts FollowPath(const Facts& base, const Abstract& path, const Node& at);
  void CheckFormat(const Facts& text, absl::string_view name, const Node& at);

  // Calls: analyzer_calls.cc.
  CallArguments EvaluateArguments(const Node& call);
  Abstract Call(const Node& node);
  Abstract CallFunction(const Node& node, const Facts& callee, const CallArguments& arguments);
  void EnterCall(const Node& node, const Facts& callee, const Facts& owner,
                 const CallArguments& arguments);
  // Computes the value if all of it is known.
  template <class Function>
  void Fold(const Abstract& input, const CallArguments& arguments, const Node& at,
            Function function, Abstract* made);
  void CheckRecursion(const Node& node, const CallArguments& arguments);
  Abstract Filter(const Node& node, const Abstract& input);
  Facts UseNames(const Node& node, const Abstract& input, const CallArguments& arguments);
  Facts MapFacts(const Node& node, const Facts& input, const CallArguments& arguments,
                 const Facts& attributes);
  void JudgeArguments(absl::string_view name, const CallArguments& arguments, const Node& at);
  Copies CopiesIn(absl::string_view name, const Abstract& input, const CallArguments& arguments);

  // Statements: analyzer_statements.cc.
  void Visit(const Node& body);
  void VisitStatement(const Node& node);
  void VisitIf(const Node& node);
  void VisitFor(const Node& node);
  void VisitSetBlock(const Node& node);
  void VisitMacro(const Node& node);
  void VisitCallBlock(const Node& node);
  void VisitWith(const Node& node);
  void VisitFunction(const Node& parameters, const Node& body, uint64_t macro);
  void Assign(const Node& target, const Abstract& value, Flow::By by = Flow::By::kStatement);
  void SetVariable(const Node& at, absl::string_view name, const Abstract& value, Flow::By by);
  void CheckGrowth(const Node& target, const Copies& copies);
  // Reports a value that is stored but must not be.
  void CheckStored(const Node& at, const Facts& value);
  void FindCycles();
  Token TokenAt(const Node& node) const {
    return {Token::kText, tree_.text.substr(node.begin, node.end - node.begin), node.begin, ""};
  }

  static constexpr double kUnknownRounds = std::numeric_limits<double>::infinity();

  const Tree& tree_;
  Flow& flow_;
  Machine& machine_;
  Analysis& analysis_;
  Growth growth_;
  MacroGraph macros_;
  NameMap<Abstract> variables_;  // The last values.

  // Here.
  size_t macro_ = MacroGraph::kTemplate;
  double rounds_ = 1;       // The minimum iterations of the loops around, in the macro.
  double most_rounds_ = 1;  // How often this is executed at most.
  bool is_conditional_ = false;
  bool is_value_ = false;            // Text becomes a value.
  Copies* set_copies_ = nullptr;     // Of the {% set %} block around.
  const Node* recursive_ = nullptr;  // The target of the innermost loop, if it is recursive.
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_ANALYZER_H_
