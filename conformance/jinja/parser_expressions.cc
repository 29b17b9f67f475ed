// Parses expressions.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <limits>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/jinja/parser.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// The binary operators by their strength, weakest first.
constexpr std::initializer_list<string_view> kBinary[] = {
    {"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}};

constexpr std::initializer_list<string_view> kComparisons = {"==", "!=", "<", "<=", ">", ">="};

// Returns what the token is if it is one of them; else empty.
string_view OneOf(std::initializer_list<string_view> operators, const Token& token) {
  for (const string_view each : operators) {
    if (token.Is(each)) return each;
  }
  return "";
}

// Returns whether llama.cpp does not know an escape in the literal.
bool HasRareEscape(string_view literal) {
  for (size_t at = literal.find('\\'); at < literal.size(); at = literal.find('\\', at + 2)) {
    if (!absl::StrContains("nrtbfv\\'\"", literal[at + 1])) return true;
  }
  return false;
}

}  // namespace

// Parses `a, b`; a single expression without a comma is itself.
Node* Parser::ParseTuple(bool with_conditional, string_view end) {
  const Token first = Current();
  Node* tuple = Make(NodeKind::kTuple, first);
  Children items(this, tuple);
  bool is_tuple = false;
  do {
    if (is_tuple && (AtEnd() || Sees(")") || (!end.empty() && Sees(end)))) break;
    items.Add(ParsePart(with_conditional));
    is_tuple |= Sees(",");
  } while (Skip(","));
  if (is_tuple && tuple->first->next == nullptr) NoteDialect(first, "a tuple of one");
  return is_tuple ? tuple : tuple->first;
}

Node* Parser::ParsePart(bool with_conditional) {
  const size_t operators = operators_;
  operators_ = 0;
  Node* node = with_conditional ? ParseExpression() : ParseOr();
  operators_ = operators;
  return node;
}

Node* Parser::ParseExpression() {
  Node* node = ParseOr();
  while (Sees("if")) {
    const Token word = Take();
    Count(word);
    Node* condition = ParseOr();
    Node* otherwise = Absent();
    if (Skip("else")) {
      Level level(this);
      if (!tree_.is_cut) otherwise = ParseExpression();
    }
    node = Make(NodeKind::kConditional, word, {node, condition, otherwise});
  }
  return node;
}

Node* Parser::ParseOr() {
  Node* left = ParseAnd();
  while (Sees("or")) {
    const Token word = Take();
    Count(word);
    left = Make(NodeKind::kBinary, word, {left, ParseAnd()});
  }
  return left;
}

Node* Parser::ParseAnd() {
  Node* left = ParseNot();
  while (Sees("and")) {
    const Token word = Take();
    Count(word);
    left = Make(NodeKind::kBinary, word, {left, ParseNot()});
  }
  return left;
}

Node* Parser::ParseNot() {
  if (!Sees("not")) return ParseCompare();
  const Token word = Take();
  Count(word);
  Level level(this);
  if (tree_.is_cut) return Absent();
  return Make(NodeKind::kPrefix, word, {ParseNot()});
}

Node* Parser::ParseCompare() {
  Node* left = ParseBinary(0);
  Node* compare = nullptr;
  Children operands(this, left);
  for (;;) {
    const Token token = Current();
    const bool is_not_in = Sees("not") && Ahead(1).Is("in");
    if (AtEnd() || (OneOf(kComparisons, token).empty() && !Sees("in") && !is_not_in)) break;
    Take();
    if (is_not_in) Take();
    Count(token);
    if (compare != nullptr) NoteDialect(token, "a chain of comparisons");
    if (compare == nullptr) {
      compare = Make(NodeKind::kCompare, token, {left});
      operands = Children(this, compare);
    }
    Node* operand = Make(NodeKind::kOperand, token, {ParseBinary(0)});
    if (is_not_in) operand->text = "not in";
    operands.Add(operand);
  }
  return compare == nullptr ? left : compare;
}

Node* Parser::ParseBinary(int level) {
  if (level == 4) return ParseUnary(true);
  Node* left = ParseBinary(level + 1);
  while (!AtEnd() && !OneOf(kBinary[level], Current()).empty()) {
    const Token token = Take();
    Count(token);
    if (token.Is("//") || token.Is("**"))
      NoteDialect(token, token.Is("//") ? "the operator //" : "the operator **");
    left = Make(NodeKind::kBinary, token, {left, ParseBinary(level + 1)});
  }
  return left;
}

Node* Parser::ParseUnary(bool with_filters) {
  Node* node = nullptr;
  if (Sees("-") || Sees("+")) {
    const Token sign = Take();
    Count(sign);
    Level level(this);
    if (tree_.is_cut) return Absent();
    if (Current().kind != Token::kNumber) NoteDialect(sign, "a sign before what is not a number");
    node = Make(NodeKind::kPrefix, sign, {ParseUnary(false)});
  } else {
    node = ParsePrimary();
  }
  node = ParsePostfix(node);
  return with_filters ? ParseFilters(node) : node;
}

Node* Parser::ParsePrimary() {
  const Token token = Current();
  if (AtEnd()) {
    Fail(token, "appears where an operand is expected");
    return Absent();
  }
  switch (token.kind) {
    case Token::kString:
      return ParseString();
    case Token::kNumber:
      return ParseNumber();
    case Token::kName:
      break;
    default:
      if (Sees("(")) return ParseParentheses();
      if (Sees("[")) return ParseList();
      if (Sees("{")) return ParseDict();
      Fail(token, absl::ascii_ispunct(token.text[0]) && !absl::StrContains(")]},:=;", token.text[0])
                      ? "has no left operand"
                      : "appears where an operand is expected");
      if (!absl::StrContains(")]}", token.text[0])) Take();
      return Absent();
  }
  Take();
  Node* node = Make(NodeKind::kName, token);
  const bool is_true = token.Is("true") || token.Is("True");
  if (is_true || token.Is("false") || token.Is("False")) {
    node->kind = NodeKind::kBoolean;
    node->integer = is_true;
  } else if (token.Is("none") || token.Is("None")) {
    node->kind = NodeKind::kNone;
  }
  return node;
}

// Adjacent strings are one.
Node* Parser::ParseString() {
  Node* node = Make(NodeKind::kString, Current());
  std::string& text = tree_.texts.emplace_back();
  while (!AtEnd() && Current().kind == Token::kString) {
    const Token token = Take();
    bool is_wrong = false;
    text += DecodeString(token.text, &is_wrong);
    if (is_wrong) Fail(token, "has an incomplete escape sequence");
    if (HasRareEscape(token.text))
      NoteDialect(token, "an escape sequence other than \\n and the like");
    node->end = token.offset + token.text.size();
  }
  node->text = text;
  return node;
}

Node* Parser::ParseNumber() {
  const Token token = Take();
  Node* node = Make(NodeKind::kInteger, token);
  const std::string text = absl::StrReplaceAll(token.text, {{"_", ""}});
  if (token.text.find_first_of("_xXoObBeE") != absl::string_view::npos) {
    NoteDialect(token, "a number with an underscore, a base or an exponent");
  }
  const bool has_base = text.size() > 1 && text[0] == '0' && absl::ascii_isalpha(text[1]);
  if (!has_base && text.find_first_of(".eE") != std::string::npos) {
    node->kind = NodeKind::kFloat;
    if (!absl::SimpleAtod(text, &node->real)) node->real = std::numeric_limits<double>::infinity();
    return node;
  }
  const int base = !has_base ? 10 : (text[1] | 0x20) == 'x' ? 16 : (text[1] | 0x20) == 'o' ? 8 : 2;
  errno = 0;
  char* end = nullptr;
  node->integer = std::strtoll(text.c_str() + (has_base ? 2 : 0), &end, base);
  if (errno == ERANGE) {  // kFloat with the text of an integer.
    node->kind = NodeKind::kFloat;
    if (!absl::SimpleAtod(text, &node->real)) node->real = std::numeric_limits<double>::max();
    NoteDialect(token, "an integer beyond 64 bits");
  }
  return node;
}

Node* Parser::ParseParentheses() {
  const Token open = Take();
  Level level(this);
  if (tree_.is_cut) return Absent();
  Node* node = nullptr;
  if (Sees(")")) {
    NoteDialect(open, "an empty tuple");
    node = Make(NodeKind::kTuple, open);
  } else {
    node = ParseTuple(true);
  }
  Expect(")");
  return node;
}

Node* Parser::ParseList() {
  Node* node = Make(NodeKind::kList, Take());
  Level level(this);
  Children items(this, node);
  while (!AtEnd() && !has_failed_ && !Sees("]")) {
    if (node->first != nullptr) Expect(",");
    if (!Sees("]")) items.Add(ParsePart());
  }
  if (!AtEnd()) node->end = Current().offset + 1;
  Expect("]");
  return node;
}

Node* Parser::ParseDict() {
  Node* node = Make(NodeKind::kDict, Take());
  Level level(this);
  Children items(this, node);
  while (!AtEnd() && !has_failed_ && !Sees("}")) {
    if (node->first != nullptr) Expect(",");
    if (Sees("}")) break;
    items.Add(ParsePart());
    Expect(":");
    items.Add(ParsePart());
  }
  if (!AtEnd()) node->end = Current().offset + 1;
  Expect("}");
  return node;
}

// Attributes, subscripts and calls.
Node* Parser::ParsePostfix(Node* node) {
  for (;;) {
    const Token token = Current();
    if (Sees("(")) {
      Take();
      Count(token);
      Node* call = Make(NodeKind::kCall, token, {node});
      Children children(this, call);
      ParseArguments(&children);
      node = call;
    } else if (Sees("[")) {
      node = ParseSubscript(node);
    } else if (Sees(".")) {
      Take();
      Count(token);
      if (Current().kind == Token::kNumber && !AtEnd()) {
        node = Make(NodeKind::kSubscript, token, {node, ParseNumber()});
      } else {
        const Token name = ExpectName();
        node = Make(NodeKind::kAttribute, name, {node});
      }
    } else {
      return node;
    }
    if (tree_.is_cut) return node;
  }
}

Node* Parser::ParseFilters(Node* node) {
  while (!tree_.is_cut) {
    const Token token = Current();
    if (Skip("|")) {
      Count(token);
      node = ParseFilterChain(node);
    } else if (Sees("is")) {
      node = ParseTest(node);
    } else if (Sees("(")) {
      node = ParsePostfix(node);
    } else {
      break;
    }
  }
  return node;
}

// Returns NAME or, with dots, NAME.NAME.NAME.
Node* Parser::ParseFilterChain(Node* value) {
  do {
    const Token first = ExpectName();
    Node* filter = Make(NodeKind::kFilter, first, {value});
    while (Skip(".")) {
      const Token more = ExpectName();
      filter->text = tree_.texts.emplace_back(absl::StrCat(filter->text, ".", more.text));
    }
    if (Skip("(")) {
      Children children(this, filter);
      ParseArguments(&children);
    }
    value = filter;
    if (Sees("|")) Count(Current());
  } while (Skip("|"));
  return value;
}

Node* Parser::ParseTest(Node* value) {
  Count(Take());
  const bool is_negated = Skip("not");
  const Token first = ExpectName();
  Node* test = Make(NodeKind::kTest, first, {value});
  test->flag = is_negated;
  while (Skip("."))
    test->text = tree_.texts.emplace_back(absl::StrCat(test->text, ".", ExpectName().text));
  Children children(this, test);
  const Token& next = Current();
  const bool is_operand = !AtEnd() && (next.kind == Token::kName || next.kind == Token::kString ||
                                       next.kind == Token::kNumber || Sees("[") || Sees("{"));
  if (Skip("(")) {
    ParseArguments(&children);
  } else if (Sees("is")) {
    Fail(next, "follows a test; tests cannot be chained");
  } else if (is_operand && !Sees("else") && !Sees("or") && !Sees("and")) {
    NoteDialect(next, "an argument of a test without parentheses");
    children.Add(ParsePostfix(ParsePrimary()));
  }
  return test;
}

Node* Parser::ParseSubscript(Node* base) {
  const Token open = Take();
  Count(open);
  Level level(this);
  if (tree_.is_cut) return base;
  Node* tuple = Make(NodeKind::kTuple, open);
  Children items(this, tuple);
  while (!AtEnd() && !has_failed_ && !Sees("]")) {
    if (tuple->first != nullptr) Expect(",");
    items.Add(ParseSubscribed());
    if (Sees(",")) NoteDialect(Current(), "a subscript of several parts");
  }
  const bool is_one = tuple->first != nullptr && tuple->first->next == nullptr;
  Node* node = Make(NodeKind::kSubscript, open, {base, is_one ? tuple->first : tuple});
  if (!AtEnd()) node->end = Current().offset + 1;
  Expect("]");
  return node;
}

// Parses `x` or `x:y:z`.
Node* Parser::ParseSubscribed() {
  const Token begin = Current();
  Node* from = Sees(":") ? Absent() : ParsePart();
  if (!Skip(":")) return from;
  const auto ends = [&] { return AtEnd() || Sees("]") || Sees(",") || Sees(":"); };
  Node* to = ends() ? Absent() : ParsePart();
  Node* step = Absent();
  if (Skip(":") && !ends()) step = ParsePart();
  return Make(NodeKind::kSlice, begin, {from, to, step});
}

// Parses what follows the parenthesis: a, *b, c=1, **d).
void Parser::ParseArguments(Children* call) {
  Level level(this);
  NameSet<> names;
  bool is_first = true, has_spread = false, has_named_spread = false;
  while (!AtEnd() && !has_failed_ && !Sees(")")) {
    if (!is_first) {
      Expect(",");
      if (Sees(")")) break;
    }
    is_first = false;
    const Token token = Current();
    bool is_misplaced = has_named_spread;
    if (Sees("*") || Sees("**")) {
      NoteDialect(token, "arguments from a list or dict");
      const bool is_named = Take().Is("**");
      is_misplaced = has_named_spread || (!is_named && has_spread);
      has_spread |= !is_named;
      has_named_spread |= is_named;
      call->Add(Make(is_named ? NodeKind::kSpreadNamed : NodeKind::kSpread, token, {ParsePart()}));
    } else if (token.kind == Token::kName && Ahead(1).Is("=")) {
      Take();
      Take();
      if (!names.insert(token.text).second) Fail(token, "is the name of an earlier argument");
      call->Add(Make(NodeKind::kKeyword, token, {ParsePart()}));
    } else {
      is_misplaced |= has_spread || !names.empty();
      call->Add(ParsePart());
    }
    if (is_misplaced) Fail(token, "follows arguments that must come last");
  }
  Expect(")");
}

}  // namespace gguf::jinja
