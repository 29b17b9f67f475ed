// Expression: reads the tokens of one tag, computes what is constant in it and
// finds what is dangerous.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
#define GGUF_CONFORMANCE_JINJA_EXPRESSION_H_

#include <cstddef>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/jinja/constant.h"
#include "conformance/jinja/faults.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

// Jinja2's sandbox makes no longer range().
constexpr double kLongestRange = 100000;

// Bytes of a text, elements of a list or digits of a number that a template may
// make out of constants.
constexpr double kLargestValue = 1 << 20;

// Operators in one expression.  Jinja2 gives up at 198 `+`.
constexpr size_t kMostOperators = 1000;

// What a template has set to constants, by name.
using Variables = absl::flat_hash_map<absl::string_view, Constant>;

// What the value of an expression is given to: x, or x.a.
struct Target {
  absl::string_view name;
  absl::string_view attribute = {};  // Empty for a variable.
};

// Wrong expressions are read as well as it goes.  Takes constant memory and
// linear time.
class Expression {
 public:
  // All outlive the expression.
  //
  // With `is_whole`, all that is pushed is one expression: words between
  // operands, such as recursive, are mistakes.
  Expression(const Variables& variables, Faults* faults, bool is_whole = false)
      : variables_(variables),
        faults_(*faults),
        is_whole_(is_whole),
        frames_(1) {}

  // The next token behind {{, or behind the first word of a {% tag: none that
  // begins or ends a tag.
  void Push(const Token& token);

  // Says, before all tokens, that a filter's name comes first.
  void BeginFilter();

  // What the value is for, before all tokens: Constant::copies are of that.
  void set_target(const Target& target) { target_ = target; }

  // The last name that was pushed, if that was the last token.
  absl::string_view last_name() const {
    return token_.kind == Token::kName ? token_.text : "";
  }

  // Whether nothing was pushed.
  bool is_empty() const { return token_.text.empty(); }

  // What it is in all; the last part of one with commas.
  Constant Finish();

  // Whether an attribute's name is put together when the template runs.
  bool has_unknown_attribute() const { return has_unknown_attribute_; }

  // Whether an attribute's name, or a text of which format() takes attributes,
  // depends on more than literals: it may be another when the template runs.
  bool has_open_attribute() const { return has_open_attribute_; }

  // Whether a text may be a piece of a special name.
  bool has_piece() const { return has_piece_; }

  // How deep brackets and prefix operators are nested here.
  size_t depth() const { return frames_.size() - 1 + prefixes_; }

  // The names that are called here and not set by the template, and whether
  // that depends on something; the first thousand.
  const std::vector<Token>& calls() const { return calls_; }
  bool has_choice() const { return has_choice_; }

 private:
  // An operator that waits for its right side.
  struct Operator {
    absl::string_view text;
    int strength;
    bool is_prefix;
  };

  enum class Role { kGroup, kList, kDict, kCall, kFilter, kSubscript };

  // An open bracket, or the whole tag.
  struct Frame {
    Role role = Role::kGroup;
    Constant subject;             // What is called, filtered or subscripted.
    absl::string_view name;       // Of the filter, or of the method.
    absl::string_view argument;   // Of this part: attribute= and the like.
    std::vector<Constant> parts;  // Between commas and colons; the first ones.
    size_t count = 0;             // Of all of them.
    std::vector<Constant> names;  // The arguments' names.
    bool has_colon = false;
    bool is_open = false;  // There is more in it than literals.
    // In this part: one value more than binary operators, but where an operand
    // is wanted.
    std::vector<Constant> values;
    std::vector<Operator> operators;
    bool wants_operand = true;
    size_t seen = 0;   // Operators.
    size_t elses = 0;  // Of them; each is nested in the one before.
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
  // Reports what the constant alone shows.
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
  size_t prefixes_ = 0;       // That wait, in all frames; and elses.
  bool has_unknown_attribute_ = false;
  bool has_open_attribute_ = false;
  bool has_piece_ = false;
  bool has_choice_ = false;
  std::vector<Token> calls_;
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_EXPRESSION_H_
