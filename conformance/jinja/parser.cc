// Parses templates: texts, tags and statements.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/parser.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/base/limits.h"
#include "conformance/base/text.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

constexpr size_t kMostErrors = 100;

// Statements that are not blocks, besides those with an expression.
constexpr string_view kOthers[] = {"include", "import", "from", "extends"};

constexpr string_view kEnds[] = {"endif",     "endfor", "endmacro",     "endcall",
                                 "endfilter", "endset", "endwith",      "endautoescape",
                                 "endblock",  "endraw", "endgeneration"};

// The sign at the beginning or end of a tag: - or +; 0 if none.
char BeginSign(string_view tag) {
  return tag.size() > 2 && (tag[2] == '-' || tag[2] == '+') ? tag[2] : '\0';
}
char EndSign(const Token& tag) {
  const string_view text = tag.text;
  // The sign of {#-#} is that of its beginning.
  const size_t least = tag.kind == Token::kEndVariable || tag.kind == Token::kEndStatement ? 3 : 6;
  if (text.size() < least) return '\0';
  const char c = text[text.size() - 3];
  return c == '-' || c == '+' ? c : '\0';
}

// Returns the size of the line end at the start; 0 if none.
size_t LineEnd(string_view text) {
  if (absl::StartsWith(text, "\r\n")) return 2;
  return absl::StartsWith(text, "\n") || absl::StartsWith(text, "\r") ? 1 : 0;
}

bool IsLetters(string_view name) {
  for (size_t at = 0; at < name.size();) {
    const uint32_t code = NextCodePoint(name, &at);
    // Punctuation, arrows, signs and box drawings, which Python refuses; all others pass.
    if ((code >= 0x80 && code < 0xaa) || code == 0xab || (code >= 0xac && code < 0xb2) ||
        code == 0xb4 || (code >= 0xb6 && code < 0xb9) || code == 0xbb || code == 0xbf ||
        code == 0xd7 || code == 0xf7 || (code >= 0x2000 && code < 0x2070) ||
        (code >= 0x2190 && code < 0x2460) || (code >= 0x2500 && code < 0x2776) ||
        (code >= 0x2794 && code < 0x2c00) || (code >= 0x3000 && code < 0x3005) ||
        (code >= 0x3008 && code < 0x3021) || (code >= 0xe000 && code < 0xf900) ||
        (code >= 0xff01 && code < 0xff10) || (code >= 0xff1a && code < 0xff21) ||
        code == kBadCodePoint || (code >= 0x1f000 && code < 0x20000)) {
      return false;
    }
  }
  return true;
}

}  // namespace

// Nodes.

Node* Parser::Make(NodeKind kind, const Token& at) {
  PollDeadline();
  Node& node = tree_.nodes.emplace_back();
  node.kind = kind;
  node.text = at.text;
  node.begin = at.offset;
  node.end = at.offset + at.text.size();
  return &node;
}

Node* Parser::Make(NodeKind kind, const Token& at, std::initializer_list<Node*> children) {
  Node* node = Make(kind, at);
  Children list(this, node);
  for (Node* child : children) list.Add(child);
  return node;
}

void Parser::Children::Add(Node* child) {
  (last_ == nullptr ? node_->first : last_->next) = child;
  last_ = child;
  if (child->kind != NodeKind::kAbsent && node_->kind < NodeKind::kBody) {
    node_->begin = std::min(node_->begin, child->begin);
    node_->end = std::max(node_->end, child->end);
  }
  if (child->depth + 1 > node_->depth) node_->depth = child->depth + 1;
  if (node_->depth <= kDeepestTree) return;
  parser_->ReportNesting(parser_->Current(), "has an expression of more than a thousand operators");
  parser_->Cut(parser_->Current());
}

// Errors.

void Parser::Report(const Token& token, string_view why) {
  ++tree_.error_count;
  if (tree_.errors.size() == kMostErrors) return;
  tree_.errors.push_back(
      {token.offset, token.offset + token.text.size(), std::string(token.text), std::string(why)});
}

void Parser::Fail(const Token& token, string_view why) {
  if (!std::exchange(has_failed_, true) && !tree_.is_cut) Report(token, why);
}

void Parser::ReportNesting(const Token& token, string_view why) {
  if (!tree_.nesting.empty()) return;
  tree_.nesting.push_back(
      {token.offset, token.offset + token.text.size(), std::string(token.text), std::string(why)});
}

void Parser::Cut(const Token& token) {
  ReportNesting(token, "is nested more than 64 levels deep");
  tree_.is_cut = true;
  at_ = tag_.size();
  next_ = {};
}

void Parser::Count(const Token& token) {
  if (++operators_ == kMostOperators + 1) {
    ReportNesting(token, "has an expression of more than a thousand operators");
    Cut(token);
  }
}

void Parser::NoteDialect(const Token& token, const char* what) {
  constexpr size_t kMost = 100;
  if (tree_.dialect.size() == kMost) return;
  tree_.dialect.push_back({token.offset, token.offset + token.text.size(), what});
}

// Tokens.

// Reads the tokens of the tag that begins here, and what follows it.
void Parser::ReadTag(const Token& begin) {
  tag_.clear();
  at_ = 0;
  begin_ = begin;
  has_failed_ = false;
  for (;;) {
    const Token token = lexer_.Next();
    switch (token.kind) {
      case Token::kError:
        Fail(token, token.why);
        continue;
      case Token::kEndVariable:
      case Token::kEndStatement:
        if (token.why[0] != '\0') Fail(token, token.why);
        end_ = previous_ = token;
        next_ = lexer_.Next();
        return;
      case Token::kEnd:
        end_ = token;
        next_ = token;
        if (lexer_.too_deep()) return Cut(begin);
        return Fail(begin, "begins an unclosed tag");
      case Token::kName:
        if (!absl::c_all_of(token.text, absl::ascii_isascii) && !IsLetters(token.text)) {
          Fail(token, "is not a name");
        }
        tree_.words.push_back(token);
        break;
      case Token::kString:
        tree_.words.push_back(token);
        break;
      default:
        break;
    }
    tag_.push_back(token);
  }
}

bool Parser::Skip(string_view text) {
  if (!Sees(text)) return false;
  ++at_;
  return true;
}

bool Parser::Expect(string_view text) {
  if (Skip(text)) return true;
  Fail(Current(), absl::StrCat("appears where ", text, " is expected"));
  return false;
}

Token Parser::ExpectName() {
  if (!AtEnd() && Current().kind == Token::kName) return Take();
  Fail(Current(), "appears where a name is expected");
  return {Token::kName, Current().text.substr(0, 0), Current().offset, ""};
}

// Statements.

void Parser::Run() {
  next_ = lexer_.Next();
  Node* root = Make(NodeKind::kBody, next_);
  tree_.root = root;
  ParseBody({}, root);
}

// Adds the text without what the tags around it strip, and the template's last line end.
void Parser::ReadText(const Token& token, Children* body) {
  tree_.words.push_back(token);
  string_view text = token.text;
  if (next_.kind == Token::kEnd && !tree_.is_cut) {
    if (!absl::ConsumeSuffix(&text, "\r\n") && !absl::ConsumeSuffix(&text, "\n")) {
      absl::ConsumeSuffix(&text, "\r");
    }
  }
  const bool is_first = token.offset == 0;
  const char end_sign = EndSign(previous_);
  const bool trims = previous_.kind == Token::kEndStatement || previous_.kind == Token::kComment ||
                     (previous_.kind == Token::kRaw && absl::StrContains(previous_.text, "endraw"));
  if (end_sign == '-' && !is_first) {
    text = StripLeft(text);
  } else if (trims && end_sign != '+') {
    text.remove_prefix(LineEnd(text));
  }
  const string_view stripped = token.text.substr(0, text.data() - token.text.data());
  bool begins_line = is_first || absl::EndsWith(stripped, "\n") || absl::EndsWith(stripped, "\r");
  const bool is_tag = next_.kind == Token::kBeginStatement || next_.kind == Token::kComment ||
                      next_.kind == Token::kRaw;
  const char sign = BeginSign(next_.text);
  if (sign == '-' && (is_tag || next_.kind == Token::kBeginVariable)) {
    text = StripRight(text);
  } else if (is_tag && sign != '+') {
    const size_t line = text.find_last_of("\r\n");
    const size_t begin = line == string_view::npos ? 0 : line + 1;
    begins_line |= begin > 0;
    if (begins_line && StripLeft(text.substr(begin)).empty()) text = text.substr(0, begin);
  }
  if (text.empty()) return;
  Node* node = Make(NodeKind::kText,
                    {Token::kText, text, token.offset + (text.data() - token.text.data()), ""});
  if (absl::StrContains(text, '\r')) {
    node->text = tree_.texts.emplace_back(
        absl::StrReplaceAll(absl::StrReplaceAll(text, {{"\r\n", "\n"}}), {{"\r", "\n"}}));
  }
  body->Add(node);
}

string_view Parser::ParseBody(std::initializer_list<string_view> ends, Node* node) {
  Children body(this, node);
  while (next_.kind != Token::kEnd && !tree_.is_cut) {
    const Token token = next_;
    if (token.kind == Token::kBeginVariable) {
      ReadTag(token);
      ParseOutput(&body);
    } else if (token.kind == Token::kBeginStatement) {
      ReadTag(token);
      const Token& word = Current();
      if (absl::c_linear_search(ends, word.text)) return Take().text;
      const bool is_end = absl::c_linear_search(kEnds, word.text);
      if (is_end) Fail(word, "does not close the open block");
      closes_outer_ = is_end && absl::c_any_of(open_, [&](const OpenBlock& block) {
                        return block.end == word.text;
                      });
      if (!closes_outer_) ParseStatement(&body);
      if (!closes_outer_) continue;
      if (!absl::c_linear_search(ends, Current().text)) return "";
      closes_outer_ = false;
      return Take().text;
    } else {
      next_ = lexer_.Next();
      if (token.kind == Token::kText) ReadText(token, &body);
      if (token.kind == Token::kError) Report(token, token.why);
      previous_ = token;
    }
  }
  if (!tree_.is_cut && !open_.empty() && !std::exchange(is_unclosed_, true)) {
    Report(open_.front().word, "begins a block that is never closed");
  }
  return "";
}

Node* Parser::BeginBody() {
  Node* body = Make(NodeKind::kBody, end_);
  Children wrong(this, body);
  Skip(":");
  FinishTag(&wrong);
  return body;
}

Node* Parser::ParseBlockBody(string_view end) {
  Node* body = BeginBody();
  ParseBody({end}, body);
  return body;
}

void Parser::FinishTag(Children* body) {
  while (!AtEnd()) {
    const size_t before = at_;
    Fail(Current(), Sees("=") ? "is not allowed here" : "appears where an operator is expected");
    body->Add(Make(NodeKind::kOutput, Current(), {ParsePart()}));
    if (at_ == before) ++at_;
  }
}

void Parser::ParseOutput(Children* body) {
  if (AtEnd()) return Fail(begin_, "begins a tag without an expression");
  const Token first = Current();
  Node* value = ParseTuple(true);
  if (value->is(NodeKind::kTuple) && !first.Is("("))
    NoteDialect(first, "a tuple without parentheses");
  Node* output = Make(NodeKind::kOutput, begin_, {value});
  output->begin = begin_.offset;
  output->end = end_.offset + end_.text.size();
  body->Add(output);
  FinishTag(body);
}

// Parses the statement whose tag was read.
void Parser::ParseStatement(Children* body) {
  static constexpr struct {
    string_view word, end;
    NodeKind kind;
  } kBlocks[] = {{"if", "endif", NodeKind::kIf},
                 {"for", "endfor", NodeKind::kFor},
                 {"set", "endset", NodeKind::kSetBlock},
                 {"macro", "endmacro", NodeKind::kMacro},
                 {"call", "endcall", NodeKind::kCallBlock},
                 {"filter", "endfilter", NodeKind::kFilterBlock},
                 {"with", "endwith", NodeKind::kWith},
                 {"autoescape", "endautoescape", NodeKind::kAutoescape},
                 {"block", "endblock", NodeKind::kBlock},
                 {"generation", "endgeneration", NodeKind::kGeneration}};
  if (AtEnd()) return Fail(begin_, "begins a tag without a statement");
  operators_ = 0;
  const Token word = Take();
  const auto* row = absl::c_find_if(kBlocks, [&](const auto& each) { return word.Is(each.word); });
  if (row == std::end(kBlocks)) {
    ParseSimple(word, body);
    return FinishTag(body);
  }
  Node* node = Make(row->kind, begin_);
  node->end = end_.offset + end_.text.size();
  Children children(this, node);
  if (row->kind == NodeKind::kSetBlock) {
    children.Add(ParseTarget(true));
    if (Skip("=")) {
      node->kind = NodeKind::kSet;
      children.Add(ParseTuple(true));
      body->Add(node);
      return FinishTag(body);
    }
  }
  Level level(this);
  if (tree_.is_cut) return;
  open_.push_back({row->end, word});
  // In functions, break and continue do not reach the loops around them.
  const bool is_function = row->kind == NodeKind::kMacro || row->kind == NodeKind::kCallBlock ||
                           row->kind == NodeKind::kBlock || row->kind == NodeKind::kGeneration;
  const size_t loops = is_function ? std::exchange(loops_, 0) : loops_;
  ParseBlock(word, row->kind, node);
  loops_ = loops;
  open_.pop_back();
  body->Add(node);
  if (!closes_outer_) FinishTag(body);
}

// Parses the rest of a block, up to the word that ends it.
void Parser::ParseBlock(const Token& word, NodeKind kind, Node* node) {
  Children children(this, node);
  const string_view end = open_.back().end;
  switch (kind) {
    case NodeKind::kIf:
      return ParseIf(&children);
    case NodeKind::kFor:
      return ParseFor(node, &children);
    case NodeKind::kWith:
      ParseWith(&children);
      break;
    case NodeKind::kSetBlock:
      if (Skip("|")) children.Add(ParseFilterChain(Absent()));
      break;
    case NodeKind::kMacro:
      node->text = ExpectName().text;
      children.Add(ParseParameters());
      break;
    case NodeKind::kCallBlock: {
      Node* parameters = Sees("(") ? ParseParameters() : Make(NodeKind::kParameters, Current());
      Node* call = ParsePart();
      if (!call->is(NodeKind::kCall)) Fail(word, "is not followed by a call");
      children.Add(call);
      children.Add(parameters);
      break;
    }
    case NodeKind::kFilterBlock:
      children.Add(ParseFilterChain(Absent()));
      break;
    case NodeKind::kAutoescape:
      children.Add(ParsePart());
      break;
    case NodeKind::kBlock: {
      const Token name = ExpectName();
      node->text = name.text;
      if (!blocks_.insert(name.text).second) Fail(name, "is the name of an earlier block");
      Skip("scoped");
      Skip("required");
      break;
    }
    default:
      break;
  }
  children.Add(ParseBlockBody(end));
  if (kind == NodeKind::kBlock) Skip(node->text);
}

void Parser::ParseIf(Children* node) {
  string_view word;
  for (size_t branches = 0; word = "", branches <= kMostOperators + 1; ++branches) {
    if (AtEnd()) Fail(begin_, "begins a tag without an expression");
    operators_ = 0;
    node->Add(ParseTuple(false));
    Node* body = BeginBody();
    word = ParseBody({"elif", "else", "endif"}, body);
    node->Add(body);
    if (word != "elif") break;
    if (branches == kMostOperators) {
      ReportNesting(begin_, "has an if with more than a thousand branches");
      Cut(begin_);
    }
  }
  if (word == "else") node->Add(ParseBlockBody("endif"));
}

void Parser::ParseFor(Node* node, Children* children) {
  const Token first = Current();
  Node* target = ParseTarget(false);
  if (first.Is("loop")) Fail(first, "cannot be the variable of a loop");
  children->Add(target);
  Expect("in");
  children->Add(ParseTuple(false, "recursive"));
  children->Add(Skip("if") ? ParsePart() : Absent());
  node->flag = Skip("recursive");
  Node* body = BeginBody();
  ++loops_;
  const string_view word = ParseBody({"else", "endfor"}, body);
  --loops_;
  children->Add(body);
  if (word == "else") children->Add(ParseBlockBody("endfor"));
}

void Parser::ParseWith(Children* node) {
  for (bool is_first = true; !AtEnd() && !has_failed_; is_first = false) {
    if (!is_first) Expect(",");
    const Token at = Current();
    Node* target = ParseTarget(false);
    Expect("=");
    node->Add(Make(NodeKind::kSet, at, {target, ParsePart()}));
  }
}

// Parses (a, b=1).
Node* Parser::ParseParameters() {
  Node* parameters = Make(NodeKind::kParameters, Current());
  Children children(this, parameters);
  Expect("(");
  NameSet<> names;
  bool has_default = false;
  while (!AtEnd() && !has_failed_ && !Sees(")")) {
    if (!names.empty()) Expect(",");
    const Token name = ExpectName();
    if (!names.insert(name.text).second) Fail(name, "is the name of an earlier parameter");
    Node* parameter = Make(NodeKind::kParameter, name);
    if (Skip("=")) {
      Children(this, parameter).Add(ParsePart());
      has_default = true;
    } else if (has_default) {
      Fail(name, "has no default, but the parameter before it has");
    } else if (name.text == "caller") {
      Fail(name, "needs a default");
    }
    children.Add(parameter);
  }
  Expect(")");
  return parameters;
}

// Parses `a`, `a, (b, c)` or, if allowed, `a.b`.
Node* Parser::ParseTarget(bool with_attributes) {
  const Token first = Current();
  Node* tuple = Make(NodeKind::kTuple, first);
  Children items(this, tuple);
  bool is_tuple = false;
  do {
    if (is_tuple && (AtEnd() || Sees("=") || Sees("in") || Sees(")"))) break;
    const Token at = Current();
    Node* target = ParsePrimary();
    if (with_attributes && target->is(NodeKind::kName) && Skip(".")) {
      Node* attribute = Make(NodeKind::kAttribute, ExpectName(), {target});
      target = attribute;
    }
    if (!CanAssign(*target)) Fail(at, "cannot be assigned to");
    items.Add(target);
    is_tuple |= Sees(",");
  } while (Skip(","));
  return is_tuple ? tuple : tuple->first;
}

bool Parser::CanAssign(const Node& target) {
  if (!target.is(NodeKind::kTuple)) {
    return target.is(NodeKind::kName) || target.is(NodeKind::kAttribute);
  }
  for (const Node& item : target.children()) {
    if (!CanAssign(item)) return false;
  }
  return true;
}

// Parses a statement without a body.
void Parser::ParseSimple(const Token& word, Children* body) {
  if (word.Is("break") || word.Is("continue")) {
    if (loops_ == 0) Fail(word, "is not inside a loop");
    return body->Add(Make(word.Is("break") ? NodeKind::kBreak : NodeKind::kContinue, word));
  }
  if (word.Is("debug")) return body->Add(Make(NodeKind::kDebug, word));
  if (word.Is("print")) {
    Node* output = Make(NodeKind::kOutput, word);
    Children values(this, output);
    while (!AtEnd() && !has_failed_) {
      if (output->first != nullptr) Expect(",");
      values.Add(ParsePart());
    }
    return body->Add(output);
  }
  const bool is_other = absl::c_any_of(kOthers, [&](string_view other) { return word.Is(other); });
  if (!is_other && !word.Is("do")) {
    return Fail(word,
                word.Is("else") || word.Is("elif") ? "is not inside an if" : "is not a statement");
  }
  if (AtEnd()) return Fail(begin_, "begins a tag without an expression");
  body->Add(Make(is_other ? NodeKind::kOther : NodeKind::kDo, word, {ParseTuple(true)}));
  if (is_other) has_failed_ = true;  // The rest of the tag has a syntax of its own.
}

std::unique_ptr<Tree> Parse(string_view text) {
  auto tree = std::make_unique<Tree>();
  Parser(text, tree.get()).Run();
  return tree;
}

}  // namespace gguf::jinja
