// Expression: parses the tokens of one tag, computes its constants and finds
// dangerous parts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
#define GGUF_CONFORMANCE_JINJA_EXPRESSION_H_

#include <cstddef>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/lexer.h"
#include "parser/core/name_hash.h"

namespace gguf::jinja {

// The longest range() of Jinja2's sandbox.
constexpr double kLongestRange = 100000;

// The maximum bytes of a text, elements of a list or digits of a number that a
// template may create from constants.
constexpr double kLargestValue = 1 << 20;

// The maximum number of operators in one expression.  Jinja2 fails at 198 `+`.
constexpr size_t kMostOperators = 1000;

// The variables that a template has set to constants, by name.
using Variables = NameMap<Constant>;

// The variable or attribute to which an expression is assigned: x, or x.a.
struct Target {
  absl::string_view name;
  absl::string_view attribute = {};  // Empty for a variable.
};

// Parses one tag.  Invalid expressions are parsed as far as possible.  Uses
// constant memory and linear time.
class Expression {
 public:
  // The arguments must outlive the expression.
  //
  // With `is_whole`, all pushed tokens must form one expression: words between
  // operands, such as recursive, are errors.
  Expression(const Variables& variables, Faults* faults, bool is_whole = false)
      : variables_(variables),
        faults_(*faults),
        is_whole_(is_whole),
        frames_(1) {}

  // Adds the next token after {{, or after the first word of a {% tag; not one
  // that begins or ends a tag.
  void Push(const Token& token);

  // Declares, before the first token, that a filter's name comes first.
  void BeginFilter();

  // Sets the target of the value, before the first token; Constant::copies
  // counts its copies.
  void set_target(const Target& target) { target_ = target; }

  // Returns the last token if it is a name; otherwise an empty text.
  absl::string_view last_name() const {
    return token_.kind == Token::kName ? token_.text : "";
  }

  // Returns whether no token was pushed.
  bool is_empty() const { return token_.text.empty(); }

  // Returns the value of the expression; of one with commas, the last part.
  Constant Finish();

  // Whether an attribute's name is composed when the template runs.
  bool has_unknown_attribute() const { return has_unknown_attribute_; }

  // Whether an attribute's name, or a text from which format() reads
  // attributes, depends on more than literals, so that it may change when the
  // template runs.
  bool has_open_attribute() const { return has_open_attribute_; }

  // Whether a text may be a piece of a special name.
  bool has_piece() const { return has_piece_; }

  // The nesting depth of brackets and prefix operators here.
  size_t depth() const { return frames_.size() - 1 + prefixes_; }

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

  enum class Role { kGroup, kList, kDict, kCall, kFilter, kSubscript };

  // An open bracket, or the whole tag.
  struct Frame {
    Role role = Role::kGroup;
    Constant subject;  // The value that is called, filtered or subscripted.
    absl::string_view name;       // Of the filter, or of the method.
    absl::string_view argument;   // Of this part: attribute= and the like.
    std::vector<Constant> parts;  // Between commas and colons; the first ones.
    size_t count = 0;             // Of all of them.
    std::vector<Constant> names;  // The arguments' names.
    bool has_colon = false;
    bool is_open = false;  // It contains more than literals.
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
  void OpenName();
  void Open(Role role);
  void Close();
  Constant TakeValue();

  // Meaning: expression_values.cc.
  Constant Name() const;
  Constant Apply(absl::string_view op, const Constant& a, const Constant& b);
  Constant Value(const Frame& closed);
  Constant Call(const Frame& call);
  Constant ApplyFilter(const Frame& call);
  Constant Subscript(const Frame& call);
  Constant Member(const Constant& value);
  void CheckAttributeFilter(const Constant& name);
  // Reports faults that the constant alone shows.
  Constant Judge(Constant value);
  void NotePiece(const Constant& value, bool is_cut_up);

  const Variables& variables_;
  Faults& faults_;
  const bool is_whole_;
  Target target_;
  std::vector<Frame> frames_;
  Token token_, previous_;
  enum { kNothing, kDot, kPipe, kTest, kTestName } after_ = kNothing;
  absl::string_view method_;  // Of the last value, just named.
  absl::string_view filter_;  // The same of a filter.
  size_t prefixes_ = 0;       // Pending, in all frames; includes elses.
  bool has_unknown_attribute_ = false;
  bool has_open_attribute_ = false;
  bool has_piece_ = false;
  bool has_choice_ = false;
  std::vector<Token> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
