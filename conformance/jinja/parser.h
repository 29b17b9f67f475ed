// Parser: the state of Parse(), shared by its files: tags and statements in parser.cc, expressions
// in parser_expressions.cc.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_PARSER_H_
#define GGUF_CONFORMANCE_JINJA_PARSER_H_

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/jinja/lexer.h"
#include "conformance/jinja/tree.h"

namespace gguf::jinja {

// Recursive descent.  Reads one tag at a time into a list of tokens, so that an error ends with its
// tag.
class Parser {
 public:
  Parser(absl::string_view text, Tree* tree) : lexer_(text), tree_(*tree) {}

  void Run();

 private:
  // Nodes.

  // Appends children to a node.
  class Children {
   public:
    Children(Parser* parser, Node* node) : parser_(parser), node_(node) {
      Node* last = node->first;
      while (last != nullptr && last->next != nullptr) last = last->next;
      last_ = last;
    }
    void Add(Node* child);

   private:
    Parser* parser_;
    Node* node_;
    Node* last_;
  };
  Node* Make(NodeKind kind, const Token& at);
  Node* Make(NodeKind kind, const Token& at, std::initializer_list<Node*> children);
  Node* Absent() { return Make(NodeKind::kAbsent, Current()); }

  // Errors.

  void Report(const Token& token, absl::string_view why);
  // Reports the first error of the tag; the rest of the tag is not required to be right.
  void Fail(const Token& token, absl::string_view why);
  void ReportNesting(const Token& token, absl::string_view why);
  // Stops; the rest of the template is not read.
  void Cut(const Token& token);
  void Count(const Token& token);  // An operator.
  void NoteDialect(const Token& token, const char* what);

  // A level of brackets, blocks or prefix operators.
  class Level {
   public:
    explicit Level(Parser* parser) : parser_(*parser) {
      if (++parser_.depth_ > kDeepestNesting) parser_.Cut(parser_.Current());
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // Tokens of the tag.

  void ReadTag(const Token& begin);
  bool AtEnd() const { return at_ >= tag_.size(); }
  const Token& Current() const { return Ahead(0); }
  const Token& Ahead(size_t n) const { return at_ + n < tag_.size() ? tag_[at_ + n] : end_; }
  bool Sees(absl::string_view text) const { return !AtEnd() && Current().Is(text); }
  const Token& Take() { return AtEnd() ? end_ : tag_[at_++]; }
  bool Skip(absl::string_view text);
  bool Expect(absl::string_view text);
  // Takes a name; fails, and returns an empty token, if there is none.
  Token ExpectName();

  // Statements: parser.cc.

  void ReadText(const Token& text, Children* body);
  // Parses up to one of the tags in `ends` and returns its first word; the rest of that tag is to
  // be parsed.  Returns "" where the template ends, or a tag ends a block around this one.
  absl::string_view ParseBody(std::initializer_list<absl::string_view> ends, Node* body);
  // Begins a body with what is left of the tag, which should be nothing.
  Node* BeginBody();
  Node* ParseBlockBody(absl::string_view end);
  void ParseOutput(Children* body);
  void ParseStatement(Children* body);
  void ParseSimple(const Token& word, Children* body);
  void ParseBlock(const Token& word, NodeKind kind, Node* node);
  void ParseIf(Children* node);
  void ParseFor(Node* node, Children* children);
  void ParseWith(Children* node);
  Node* ParseParameters();
  Node* ParseTarget(bool with_attributes);
  bool CanAssign(const Node& target);
  // Parses what the tag has left although nothing may, so that no name is hidden there.
  void FinishTag(Children* body);

  // Expressions: parser_expressions.cc.

  // Parses up to the word `end`, or to the end of the tag or bracket.
  Node* ParseTuple(bool with_conditional, absl::string_view end = "");
  // An expression that counts its own operators.
  Node* ParsePart(bool with_conditional = true);
  Node* ParseExpression();
  Node* ParseOr();
  Node* ParseAnd();
  Node* ParseNot();
  Node* ParseCompare();
  Node* ParseBinary(int level);
  Node* ParseUnary(bool with_filters);
  Node* ParsePrimary();
  Node* ParseString();
  Node* ParseNumber();
  Node* ParseParentheses();
  Node* ParseList();
  Node* ParseDict();
  Node* ParsePostfix(Node* node);
  Node* ParseFilters(Node* node);       // Also tests and calls.
  Node* ParseFilterChain(Node* value);  // NAME|NAME|NAME
  Node* ParseTest(Node* value);
  Node* ParseSubscript(Node* base);
  Node* ParseSubscribed();
  void ParseArguments(Children* call);

  struct OpenBlock {
    absl::string_view end;  // The word that closes it.
    Token word;
  };

  Lexer lexer_;
  Tree& tree_;
  Token next_;      // Outside tags: the next token.
  Token previous_;  // The tag, comment or raw block before the text.
  std::vector<Token> tag_;
  size_t at_ = 0;
  Token begin_, end_;  // Of the tag.
  bool has_failed_ = false;
  size_t depth_ = 0;
  size_t operators_ = 0;
  size_t loops_ = 0;  // Around this place, in the same function.
  std::vector<OpenBlock> open_;
  bool closes_outer_ = false;  // The tag, at its first word, closes a block farther out.
  bool is_unclosed_ = false;   // Was reported.
  NameSet<> blocks_;           // {% block %}
};

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_PARSER_H_
