// Parses expressions: an operator-precedence parser with a stack of frames.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/expression.h"

#include <utility>

#include "conformance/jinja/string_literal.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The precedence of binary operators; prefix operators bind more strongly.
struct Strength {
  string_view text;
  int strength;
};
constexpr Strength kBinary[] = {{"if", 1}, {"else", 1}, {"or", 2}, {"and", 3},
                                {"in", 5}, {"==", 5},   {"!=", 5}, {"<", 5},
                                {"<=", 5}, {">", 5},    {">=", 5}, {"+", 6},
                                {"-", 6},  {"~", 7},    {"*", 8},  {"/", 8},
                                {"//", 8}, {"%", 8},    {"**", 9}};
constexpr int kNot = 4;
constexpr int kSign = 10;

int BinaryStrength(const Token& token) {
  for (const Strength& row : kBinary) {
    if (token.Is(row.text)) return row.strength;
  }
  return 0;
}

}  // namespace

void Expression::Push(const Token& token) {
  previous_ = std::exchange(token_, token);
  if (!filter_.empty() && !token.Is("(")) {
    Frame call;
    call.subject = TakeValue();
    call.name = std::exchange(filter_, "");
    SetValue(ApplyFilter(call));
  }
  if (!method_.empty() && !token.Is("(")) {
    Constant& value = frame().values.back();
    const bool is_method =
        value.kind == Constant::kText || value.kind == Constant::kList;
    if (method_ != target_.attribute) value.copies = 0;
    if (is_method) SetValue({});
    method_ = "";
  }
  if ((after_ == kDot || after_ == kPipe || after_ == kTest) &&
      token.kind != Token::kName &&
      !(after_ == kDot && token.kind == Token::kNumber)) {
    ReportSyntax("appears where a name is expected");
    after_ = kNothing;
  }
  switch (token.kind) {
    case Token::kName:
      return PushName();
    case Token::kOperator:
      return PushOperator();
    case Token::kString: {
      bool is_wrong = false;
      const Constant text = Constant::Text(DecodeString(token.text, &is_wrong));
      if (is_wrong) ReportSyntax("has an incomplete escape sequence");
      const bool goes_on = previous_.kind == Token::kString;
      if (!goes_on) return PushOperand(Judge(text));
      return SetValue(Judge(Concat(TakeValue(), text)));
    }
    case Token::kNumber:
      // An index, as in x.0, results in an unknown value.
      if (std::exchange(after_, after_ == kDot ? kNothing : after_) == kDot) {
        return SetValue({});
      }
      return PushOperand(Constant::Parse(token.text));
    default:
      return;
  }
}

void Expression::BeginFilter() {
  SetValue({});
  after_ = kPipe;
}

void Expression::PushName() {
  const auto after = after_;
  if (after != kTestName) after_ = kNothing;
  if (after == kDot) return PushMember();
  if (after == kPipe) {
    filter_ = token_.text;
    return;
  }
  if (after == kTest) {
    after_ = token_.text == "not" ? kTest : kTestName;
    return SetValue({});
  }
  if (frame().wants_operand) {
    if (token_.text == "not") return PushPrefix(kNot);
    OpenName();
    return PushOperand(Name());
  }
  if (const int strength = BinaryStrength(token_); strength > 0) {
    return PushBinary(strength);
  }
  if (token_.text == "is") {
    Count();
    after_ = kTest;
  } else if (token_.text != "not") {  // As in `not in`.
    PushOperand(Name());
  }
}

void Expression::PushOperator() {
  after_ = kNothing;
  const bool is_operand = frame().wants_operand;
  const char c = token_.text[0];
  if (const int strength = BinaryStrength(token_); strength > 0) {
    const bool is_sign = is_operand && (c == '-' || c == '+');
    return is_sign ? PushPrefix(kSign) : PushBinary(strength);
  }
  switch (c) {
    case '.':
      CheckLeftSide();
      Count();
      after_ = kDot;
      return;
    case '|':
      CheckLeftSide();
      Count();
      after_ = kPipe;
      return;
    case '(':
      return Open(!filter_.empty() ? Role::kFilter
                  : is_operand     ? Role::kGroup
                                   : Role::kCall);
    case '[':
      return Open(is_operand ? Role::kList : Role::kSubscript);
    case '{':
      return Open(Role::kDict);
    case ')':
    case ']':
    case '}':
      return Close();
    case ':':
      frame().has_colon = true;
      return EndPart();
    case '=':
      return BeginNamedArgument();
    default:  // A comma.
      return EndPart();
  }
}

void Expression::PushMember() {
  OpenName();
  const Constant value = TakeValue();
  SetValue(Member(value));
  method_ = token_.text;
}

// After another operand, only the argument of a test may follow: `x is
// divisibleby 3`.
void Expression::PushOperand(Constant value) {
  const bool is_argument = std::exchange(after_, kNothing) == kTestName;
  if (!frame().wants_operand && !is_argument && is_whole_) {
    ReportSyntax("appears where an operator is expected");
  }
  SetValue(std::move(value));
}

// Replaces the previous value, if any.
void Expression::SetValue(Constant value) {
  if (!frame().wants_operand) frame().values.pop_back();
  frame().values.push_back(std::move(value));
  frame().wants_operand = false;
}

// Removes and returns the previous value, for the next operator.
Constant Expression::TakeValue() {
  if (frame().wants_operand) return {};
  Constant value = std::move(frame().values.back());
  frame().values.pop_back();
  frame().wants_operand = true;
  return value;
}

void Expression::CheckLeftSide() const {
  if (frames_.back().wants_operand) ReportSyntax("has no left operand");
}

void Expression::Count() {
  if (++frame().seen == kMostOperators + 1) {
    Report(FaultKind::kNesting, "", 0,
           "has an expression of more than a thousand operators");
  }
}

void Expression::PushPrefix(int strength) {
  Count();
  ++prefixes_;
  frame().operators.push_back({token_.text, strength, true});
}

void Expression::PushBinary(int strength) {
  Count();
  if (strength <= 3) {
    has_choice_ = true;
    OpenName();
  }
  if (frame().wants_operand) {
    const bool is_spread =  // As in f(*arguments).
        frame().role == Role::kCall || frame().role == Role::kFilter;
    if (!is_spread) CheckLeftSide();
    SetValue({});
  }
  Reduce(strength);
  frame().operators.push_back({token_.text, strength, false});
  frame().wants_operand = true;
  if (token_.text != "else") return;
  ++frame().elses;
  ++prefixes_;
}

// Applies the operators with at least this precedence.
void Expression::Reduce(int strength) {
  std::vector<Operator>& operators = frame().operators;
  std::vector<Constant>& values = frame().values;
  while (!operators.empty() && operators.back().strength >= strength) {
    const Operator op = operators.back();
    operators.pop_back();
    const Constant right = std::move(values.back());
    values.pop_back();
    if (op.is_prefix) {
      --prefixes_;
      values.push_back(op.text == "-" ? Subtract(Constant::Number(0), right)
                                      : right);
    } else {
      values.back() = Apply(op.text, values.back(), right);
    }
  }
}

// The previous value is not a value but the name of an argument or variable.
void Expression::BeginNamedArgument() {
  const bool is_call =
      frame().role == Role::kCall || frame().role == Role::kFilter;
  if (is_whole_ && !is_call) ReportSyntax("is not allowed here");
  if (previous_.kind == Token::kName) frame().argument = previous_.text;
  TakeValue();
}

void Expression::EndPart() {
  const bool is_empty = frame().wants_operand && frame().operators.empty();
  if (frame().wants_operand) {
    if (!is_empty) ReportSyntax("appears where an operand is expected");
    SetValue({});
  }
  Reduce(0);
  const Constant value = TakeValue();
  Frame& part = frame();
  prefixes_ -= part.elses;
  part.elses = part.seen = 0;
  if (is_empty && part.role != Role::kSubscript) return;
  const absl::string_view name = std::exchange(part.argument, "");
  if (part.names.size() < kMostItems && !name.empty()) {
    part.names.push_back(Constant::Text(name));
    NotePiece(part.names.back(), false);
  }
  if (name == "attribute") return CheckAttributeFilter(value);
  ++part.count;
  if (part.parts.size() < kMostItems) part.parts.push_back(value);
}

// The name that the enclosing brackets compose depends on more than literals.
void Expression::OpenName() {
  for (Frame& around : frames_) around.is_open = true;
}

void Expression::Open(Role role) {
  Frame opened;
  opened.role = role;
  if (role == Role::kCall || role == Role::kFilter ||
      role == Role::kSubscript) {
    Count();
    opened.subject = TakeValue();
    opened.name = std::exchange(role == Role::kFilter ? filter_ : method_, "");
  }
  frames_.push_back(std::move(opened));
}

void Expression::Close() {
  if (frames_.size() == 1) return;
  EndPart();
  const Frame closed = std::move(frames_.back());
  frames_.pop_back();
  SetValue(Judge(Value(closed)));
}

Constant Expression::Finish() {
  Token end = token_;
  end.kind = Token::kEnd;
  Push(end);  // Applies pending operators.
  while (frames_.size() > 1) Close();
  EndPart();
  const Frame& whole = frame();
  if (whole.count == 0) return {};
  return whole.count == 1 ? whole.parts[0]
                          : Constant::List(whole.parts, whole.count);
}

}  // namespace gguf::jinja
