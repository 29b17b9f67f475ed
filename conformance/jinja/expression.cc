// Parses expressions: an operator-precedence parser with a stack of frames.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/expression.h"

#include <utility>

#include "absl/strings/match.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The precedence of binary operators; prefix operators bind more strongly.
struct Strength {
  string_view text;
  int strength;
};
constexpr Strength kBinary[] = {{"if", 1}, {"else", 1}, {"or", 2}, {"and", 3}, {"in", 5},
                                {"==", 5}, {"!=", 5},   {"<", 5},  {"<=", 5},  {">", 5},
                                {">=", 5}, {"+", 6},    {"-", 6},  {"~", 7},   {"*", 8},
                                {"/", 8},  {"//", 8},   {"%", 8},  {"**", 9}};
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
    call.begin = previous_;
    call.subject = TakeValue();
    call.name = std::exchange(filter_, "");
    SetValue(ApplyFilter(call));
  }
  if (!method_.empty() && !token.Is("(")) {
    Constant& value = frame().values.back();
    const bool is_method = value.kind == Constant::kText || value.kind == Constant::kList;
    const string_view variable = std::exchange(value.variable, "");
    value.copies = variable.empty() ? Copies() : Copies({variable, method_});
    if (is_method) SetValue(Constant::Unknown(Facts(value.facts)));
    method_ = "";
  }
  if ((after_ == kDot || after_ == kPipe || after_ == kTest) && token.kind != Token::kName &&
      !(after_ == kDot && token.kind == Token::kNumber)) {
    ReportSyntax("appears where a name is expected");
    after_ = kNothing;
  }
  switch (token.kind) {
    case Token::kName:
      return PushName();
    case Token::kOperator:
      return PushOperator();
    case Token::kString:
      return PushString();
    case Token::kNumber:
      // An index, as in x.0, results in an unknown value.
      if (std::exchange(after_, after_ == kDot ? kNothing : after_) == kDot) {
        const Constant base = TakeValue();
        begin_ = previous_;
        return SetValue(
            Constant::Unknown(UseName(base.facts, Constant::Parse(token.text), As::kSubscript)));
      }
      return PushOperand(Constant::Parse(token.text));
    default:
      return;
  }
}

// Adjacent strings are one.
void Expression::PushString() {
  bool is_wrong = false;
  const std::string decoded = DecodeString(token_.text, &is_wrong);
  if (is_wrong) ReportSyntax("has an incomplete escape sequence");
  Constant text = Constant::Literal(decoded);
  text.facts = LiteralFacts(text.text);
  // A question mark may stand for a character that is not ASCII.
  const bool has_escape = absl::StrContains(token_.text, '\\');
  if (has_escape && absl::StrContains(decoded, '?')) text.exact = false;
  if (!text.whole) JudgeName(decoded);
  if (previous_.kind != Token::kString) return PushOperand(Judge(text));
  const Constant both = Concat(TakeValue(), text);
  SetValue(Judge(both.With(both.whole ? LiteralFacts(both.text) : AssembledFacts())));
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
    return SetValue(Constant::Unknown(NumberFacts()));
  }
  if (frame().wants_operand) {
    if (token_.text == "not") return PushPrefix(kNot);
    return PushOperand(Name());
  }
  if (const int strength = BinaryStrength(token_); strength > 0) {
    after_ = kNothing;
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
  const bool is_test = std::exchange(after_, kNothing) == kTestName;
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
      return Open(is_test            ? Role::kTest
                  : !filter_.empty() ? Role::kFilter
                  : is_operand       ? Role::kGroup
                                     : Role::kCall);
    case '[':
      return Open(is_test ? Role::kTest : is_operand ? Role::kList : Role::kSubscript);
    case '{':
      return Open(is_test ? Role::kTest : Role::kDict);
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
      EndPart();
      frame().has_comma = true;
      return;
  }
}

void Expression::PushMember() {
  const Constant value = TakeValue();
  owner_ = value.facts;
  SetValue(Member(value));
  method_ = token_.text;
}

// After another operand, only the argument of a test may follow: `x is
// divisibleby 3`.
void Expression::PushOperand(Constant value) {
  const bool is_argument = std::exchange(after_, kNothing) == kTestName;
  if (is_argument) value = Constant::Unknown(NumberFacts());
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
    Report(FaultKind::kNesting, "", 0, "has an expression of more than a thousand operators");
  }
}

void Expression::PushPrefix(int strength) {
  Count();
  ++prefixes_;
  frame().operators.push_back({token_.text, strength, true});
}

void Expression::PushBinary(int strength) {
  Count();
  if (strength <= 3) has_choice_ = true;
  if (frame().wants_operand) {
    const bool is_call = frame().role == Role::kCall || frame().role == Role::kFilter;
    const bool is_star = token_.text == "*" || token_.text == "**";
    if (is_call && is_star && frame().operators.empty()) {  // f(*arguments)
      frame().is_spread = frame().has_spread = true;
      return;
    }
    CheckLeftSide();
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
      values.push_back(ApplyPrefix(op.text, right));
    } else {
      values.back() = Apply(op.text, values.back(), right);
    }
  }
}

// The previous value is not a value but the name of an argument or variable.
void Expression::BeginNamedArgument() {
  const bool is_call = frame().role == Role::kCall || frame().role == Role::kFilter;
  if (is_whole_ && !is_call) ReportSyntax("is not allowed here");
  if (previous_.kind == Token::kName) frame().argument = previous_;
  TakeValue();
}

void Expression::EndPart() {
  const bool is_empty = frame().wants_operand && frame().operators.empty();
  if (frame().wants_operand) {
    if (!is_empty) ReportSyntax("appears where an operand is expected");
    SetValue(Constant::Absent());
  }
  Reduce(0);
  const Constant value = TakeValue();
  Frame& part = frame();
  prefixes_ -= part.elses;
  part.elses = part.seen = 0;
  const bool is_spread = std::exchange(part.is_spread, false);
  if (is_empty && part.role != Role::kSubscript) return;
  const Token name = std::exchange(part.argument, {});
  if (part.is_signature) AddParameter(name, value);
  AddArgument(name.text, is_spread, value);
  if (part.names.size() < kMostItems && !name.text.empty()) {
    part.names.push_back(Constant::Literal(name.text));
  }
  if (name.text == "attribute" && part.role == Role::kFilter) {
    part.attribute = value;
    return;
  }
  ++part.count;
  if (part.parts.size() < kMostItems) part.parts.push_back(value);
}

// Notes a name with its value, or without: the last token.
void Expression::AddParameter(const Token& name, const Constant& value) {
  if (!name.text.empty()) {
    parameters_.push_back({name, value.facts});
  } else if (previous_.kind == Token::kName) {
    parameters_.push_back({previous_, Facts()});
  }
}

void Expression::AddArgument(string_view name, bool is_spread, const Constant& value) {
  Arguments& arguments = frame().arguments;
  if (!name.empty()) arguments.names.Join(LiteralFacts(name).self);
  if (is_spread) {
    arguments.others.Join(flow_.PartOf(value.facts));
  } else if (arguments.positional.size() + arguments.named.size() >= kMostItems) {
    arguments.others.Join(value.facts);
  } else if (name.empty()) {
    arguments.positional.push_back(value.facts);
  } else {
    arguments.named.emplace_back(name, value.facts);
  }
}

void Expression::Open(Role role) {
  Frame opened;
  opened.role = role;
  opened.begin = token_;
  opened.callee = previous_;
  opened.is_signature = may_be_signature_ && previous_.text.empty();
  if (role == Role::kCall || role == Role::kFilter || role == Role::kSubscript) {
    Count();
    opened.subject = TakeValue();
    opened.name = std::exchange(role == Role::kFilter ? filter_ : method_, "");
    if (!opened.name.empty()) opened.owner = owner_;
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
  if (whole.count == 0) return Constant::Unknown({});
  return whole.count == 1 && !whole.has_comma ? whole.parts[0] : Tuple(whole);
}

}  // namespace gguf::jinja
