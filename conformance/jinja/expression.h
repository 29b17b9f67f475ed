// Expression: parses the tokens of one tag, computes its constants and finds
// dangerous parts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
#define GGUF_CONFORMANCE_JINJA_EXPRESSION_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/cycles.h"
#include "conformance/jinja/flow.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/template_scan.h"

namespace gguf::jinja {

// The longest range() of Jinja2's sandbox.
constexpr double kLongestRange = 100000;

// The maximum number of operators in one expression.  Jinja2 fails at 198 `+`.
constexpr size_t kMostOperators = 1000;

// The variables that a template has set to constants, by name.
using Variables = NameMap<Constant>;

// Parses one tag.  Invalid expressions are parsed as far as possible.  Takes
// linear time; memory grows with the nesting of brackets and the number of
// operators and arguments.
class Expression {
 public:
  // The arguments must outlive the expression.
  //
  // With `is_whole`, all pushed tokens must form one expression: words between
  // operands, such as recursive, are errors.
  Expression(const Variables& variables, Flow* flow, Faults* faults, bool is_whole = false)
      : variables_(variables), flow_(*flow), faults_(*faults), is_whole_(is_whole), frames_(1) {}

  // Adds the next token after {{, or after the first word of a {% tag; not one
  // that begins or ends a tag.
  void Push(const Token& token);

  // Declares, before the first token, that a filter's name comes first.
  void BeginFilter();

  // Declares, before the first token, that a macro's parameters in parentheses
  // may come first.
  void BeginSignature() { may_be_signature_ = true; }

  // A parameter and its default.
  struct Parameter {
    Token name;
    Facts value;
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // Returns whether no token was pushed.
  bool is_empty() const { return token_.text.empty(); }

  // Returns the value of the expression; of one with commas, the last part.
  Constant Finish();

  // The nesting depth of brackets and prefix operators here.
  size_t depth() const { return frames_.size() - 1 + prefixes_; }

  bool is_in_bracket() const { return frames_.size() > 1; }

  // The called names that the template does not set (the first thousand), and
  // whether the calls are conditional.
  const std::vector<Token>& calls() const { return calls_; }
  bool has_choice() const { return has_choice_; }

 private:
  // An operator whose right side is still missing.
  struct Operator {
    absl::string_view text;
    int strength;
    bool is_prefix;
  };

  enum class Role { kGroup, kList, kDict, kCall, kFilter, kSubscript, kTest };

  // An open bracket, or the whole tag.
  struct Frame {
    Role role = Role::kGroup;
    Token begin;
    Token callee;                       // The token before.
    Constant subject;                   // The value that is called, filtered or subscripted.
    Facts owner;                        // Of a method.
    absl::string_view name;             // Of the filter, or of the method.
    Token argument;                     // Of this part: attribute= and the like.
    std::vector<Constant> parts;        // Between commas and colons; the first ones.
    size_t count = 0;                   // Of all of them.
    std::vector<Constant> names;        // The arguments' names.
    Arguments arguments;                // All parts.
    std::optional<Constant> attribute;  // attribute=
    bool has_colon = false;
    bool has_comma = false;
    bool is_spread = false;   // The part is, as in f(*x).
    bool has_spread = false;  // One of the parts was.
    bool is_signature = false;
    // The values of this part: one more than binary operators, unless an
    // operand is expected.
    std::vector<Constant> values;
    std::vector<Operator> operators;
    bool wants_operand = true;
    size_t seen = 0;   // Operators.
    size_t elses = 0;  // Of these, else; each is nested in the one before.
  };

  Frame& frame() { return frames_.back(); }
  void Report(FaultKind kind, absl::string_view text, double number = 0,
              const char* why = "") const;
  void ReportSyntax(const char* why) const;

  // Reading: expression.cc.
  void PushString();
  void PushName();
  void PushOperator();
  void PushOperand(Constant value);
  void SetValue(Constant value);
  void PushBinary(int strength);
  void PushPrefix(int strength);
  void PushMember();
  void CheckLeftSide() const;
  void Count();
  void Reduce(int strength);
  void BeginNamedArgument();
  void EndPart();
  void AddParameter(const Token& name, const Constant& value);
  void AddArgument(absl::string_view name, bool is_spread, const Constant& value);
  void Open(Role role);
  void Close();
  Constant TakeValue();

  // Values: expression_values.cc.
  Constant Name();
  Constant Tuple(const Frame& parts);
  static Constant ApplyPrefix(absl::string_view op, const Constant& value);
  Constant Compute(absl::string_view op, const Constant& a, const Constant& b);
  Constant Apply(absl::string_view op, const Constant& a, const Constant& b);
  Constant Value(const Frame& closed);
  // Reports faults that the constant alone shows.
  Constant Judge(Constant value);
  void JudgeName(const std::string& text);

  // Calls: expression_calls.cc.
  Constant Call(const Frame& call);
  static Copies CopiesIn(const Frame& call);
  Constant CallFunction(const Frame& call);
  void EnterCall(const Frame& call);
  void CheckRecursion(const Frame& call);
  Constant ApplyFilter(const Frame& call);
  static Constant::Part PartOfFilter(const Frame& call);
  Facts UseNames(const Frame& call);
  Facts MapFacts(const Frame& call, const Facts& attributes);

  // Names: expression_values.cc.
  Constant Subscript(const Frame& call);
  Constant Member(const Constant& value);
  // How a name is used: base[name]; base|attr(name); or by filters that split
  // it into names, base|map(attribute="a.b").
  enum class As { kSubscript, kAttribute, kPath };
  // Returns the facts of what the name refers to, and reports dangerous ones.
  Facts UseName(const Facts& base, const Constant& name, As as);
  void CheckLiteral(absl::string_view name, As as, bool is_data);
  bool IsTable(const Facts& value) const;
  Facts FollowPath(const Facts& base, const Constant& path);
  void CheckFormat(const Facts& text, absl::string_view name);
  void ReportName(const char* why);

  const Variables& variables_;
  Flow& flow_;
  Faults& faults_;
  const bool is_whole_;
  std::vector<Frame> frames_;
  Token token_, previous_;
  enum { kNothing, kDot, kPipe, kTest, kTestName } after_ = kNothing;
  absl::string_view method_;  // Of the last value, just named.
  absl::string_view filter_;  // The same of a filter.
  size_t prefixes_ = 0;       // Pending, in all frames; includes elses.
  Facts owner_;               // Of the method.
  Token begin_;               // Of the name of an attribute.
  bool may_be_signature_ = false;
  std::vector<Parameter> parameters_;
  bool has_choice_ = false;
  std::vector<Token> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
