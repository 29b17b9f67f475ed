// Tree: a chat template as a tree of statements and expressions; and Parse(), which makes it.
//
// The language is that of Jinja2 3.1 (its parser.py) with the options of transformers: trim_blocks,
// lstrip_blocks, and the tags of loopcontrols, do, debug and generation.  Nothing is evaluated.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_TREE_H_
#define GGUF_CONFORMANCE_JINJA_TREE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/jinja/lexer.h"

namespace gguf::jinja {

// The maximum number of operators in one expression, and of branches of an if.  Jinja2 fails at
// 198 `+`.
constexpr size_t kMostOperators = 1000;

// The maximum depth of a tree, for visitors that recurse.
constexpr size_t kDeepestTree = kMostOperators + 8 * kDeepestNesting;

// Each kind with its `text` and its children, in order; [x] may be kAbsent or missing at the end.
enum class NodeKind : uint8_t {
  kAbsent,  // A missing part.

  // Expressions.
  kString,       // text: decoded.
  kInteger,      // text: the literal; integer.
  kFloat,        // text: the literal; real.
  kBoolean,      // integer: 0 or 1.
  kNone,         //
  kName,         // text.
  kList,         // items
  kTuple,        // items
  kDict,         // key, value, key, value, ...
  kPrefix,       // text: not, - or +; operand
  kBinary,       // text: + - * / // % ** ~ and or; left, right
  kCompare,      // first, then kOperand for each operator
  kOperand,      // text: == != < <= > >= in, not in; right
  kConditional,  // value, condition, [otherwise]
  kAttribute,    // text: the name; base
  kSubscript,    // base, index; an index may be kSlice, or kTuple of several
  kSlice,        // [begin], [end], [step]
  kCall,         // callee, arguments
  kFilter,       // text: the name; value, arguments.  The value of a filter block is kAbsent.
  kTest,         // text: the name; flag: negated; value, arguments
  kKeyword,      // An argument.  text: its name; value
  kSpread,       // An argument *x; x
  kSpreadNamed,  // An argument **x; x

  // Statements.
  kBody,         // statements
  kText,         // text: what is written, without what the tags beside it strip.
  kOutput,       // expressions: {{ x }}, {% print x, y %}
  kIf,           // condition, kBody, condition, kBody, ..., [kBody of else]
  kFor,          // flag: recursive; target, list, [condition], kBody, [kBody of else]
  kSet,          // target, value
  kSetBlock,     // target, [filter of kAbsent], kBody
  kMacro,        // text: the name; kParameters, kBody
  kCallBlock,    // kCall, kParameters, kBody
  kFilterBlock,  // filter of kAbsent, kBody
  kWith,         // kSet for each variable, kBody
  kBlock,        // text: the name; kBody
  kGeneration,   // kBody
  kAutoescape,   // expression, kBody
  kDo,           // expression
  kBreak,        //
  kContinue,     //
  kDebug,        //
  kOther,        // include, import, from or extends; text: the word; [expression]
  kParameters,   // kParameter, ...
  kParameter,    // text: the name; [default]
};

// A target of an assignment is kName, kAttribute of a kName (of a namespace), or kTuple of them.
struct Node {
  NodeKind kind = NodeKind::kAbsent;
  bool flag = false;
  uint16_t depth = 1;           // Of the tree below it, itself included; at most kDeepestTree.
  uint32_t begin = 0, end = 0;  // Its bytes in the template; of a block statement, its first tag.
  absl::string_view text;
  union {
    int64_t integer = 0;
    double real;
  };
  Node* first = nullptr;  // Child.
  Node* next = nullptr;   // Sibling.

  // Iterates over the children.
  class Iterator {
   public:
    explicit Iterator(const Node* node) : node_(node) {}
    const Node& operator*() const { return *node_; }
    const Node* operator->() const { return node_; }
    Iterator& operator++() {
      node_ = node_->next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return node_ != other.node_; }

   private:
    const Node* node_;
  };
  Iterator begin_child() const { return Iterator(first); }
  struct Range {
    const Node* node;
    Iterator begin() const { return Iterator(node); }
    Iterator end() const { return Iterator(nullptr); }
  };
  // All children, or those from the second one on.
  Range children() const { return {first}; }
  Range rest() const { return {first == nullptr ? nullptr : first->next}; }
  // Returns a child by its place; null if there are fewer.
  const Node* child(size_t i) const {
    const Node* node = first;
    while (node != nullptr && i-- > 0) node = node->next;
    return node;
  }
  bool is(NodeKind which) const { return kind == which; }
};

// An error, or what is nested or long beyond the limits.
struct SyntaxError {
  size_t begin = 0, end = 0;  // Its bytes in the template.
  std::string text;           // The token.
  std::string why;            // Follows the token: "has no left operand".
};

// A construct that Jinja2 has and the parser of llama.cpp does not.
struct Dialect {
  size_t begin = 0, end = 0;
  const char* what = "";  // "the operator //"
};

// Owns the nodes, which refer to the template.
struct Tree {
  absl::string_view text;            // The template.
  const Node* root = nullptr;        // kBody
  std::vector<SyntaxError> errors;   // The first ones.
  size_t error_count = 0;            // All of them.
  std::vector<SyntaxError> nesting;  // Too deep or too long; one at most.
  bool is_cut = false;               // Nested so deeply that the rest was not read.
  std::vector<Token> words;          // Texts, strings and names, for searches; see Parse().
  std::vector<Dialect> dialect;      // The first ones.

  std::deque<Node> nodes;
  std::deque<std::string> texts;  // Decoded strings, and texts with other line ends.
};

// Parses a template, which must outlive the tree and be smaller than 4 GiB.  Of a wrong template,
// each tag is parsed as far as possible, so that nothing is hidden behind an error.  Takes linear
// time and memory; the nesting of nodes is bounded by kDeepestNesting, and their succession in one
// expression (as in a.b.c or a + b + c) by kMostOperators.
std::unique_ptr<Tree> Parse(absl::string_view text);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_TREE_H_
