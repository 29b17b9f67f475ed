// Lexer: splits a Jinja template into tokens, one after the other.
//
// The language is that of Jinja2 3.1 (its lexer.py) with the default delimiters
// and without line statements.  Nothing is evaluated.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_JINJA_LEXER_H_
#define GGUF_CONFORMANCE_JINJA_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf::jinja {

// The maximum total nesting depth of brackets, blocks and prefix operators.
// Jinja2 fails at 70 parentheses, at 99 `if` and at 21 `for`; no known real
// template comes near.
constexpr size_t kDeepestNesting = 64;

struct Token {
  enum Kind {
    kText,            // Outside all tags, or in a raw block.
    kComment,         // With its delimiters.
    kRaw,             // {% raw %} or {% endraw %}
    kBeginVariable,   // {{
    kEndVariable,     // }}
    kBeginStatement,  // {%
    kEndStatement,    // %}
    kName,
    kNumber,
    kString,    // With its quotes.
    kOperator,  // Also brackets and separators.
    kError,     // Not a token; `why` is the error.
    kEnd,       // Of the text; empty.
  };

  Kind kind = kEnd;
  absl::string_view text;  // A part of the template.
  size_t offset = 0;       // Of `text` in the template.
  const char* why = "";    // For kError, and for an end inside a bracket.

  bool Is(absl::string_view what) const {
    return (kind == kOperator || kind == kName) && text == what;
  }
};

// Tokens are in order, only kEnd is empty, and only white space is between
// them. The lexer continues after an error, so that nothing is hidden there.
// Uses linear time and constant memory.
class Lexer {
 public:
  // The text must outlive the lexer and its tokens.
  explicit Lexer(absl::string_view text) : text_(text) {}

  // Returns the next token: kEnd if nothing is left, or if brackets are nested
  // deeper than kDeepestNesting (see too_deep()).
  Token Next();

  bool too_deep() const { return too_deep_; }

 private:
  enum class Place { kOutside, kVariable, kStatement, kRawBlock };

  absl::string_view rest() const { return text_.substr(at_); }
  Token Take(Token::Kind kind, size_t size);
  Token Error(size_t size, const char* why);

  Token NextOutside();
  Token NextInTag();
  Token NextInRaw();
  Token Comment();
  Token BeginTag();
  Token EndTag(size_t size);
  Token String();
  Token Operator();
  Token Bracket();

  // Returns the size of the }} or %} here, with its sign; 0 if none.
  size_t EndOfTag() const;

  const absl::string_view text_;
  size_t at_ = 0;
  Place place_ = Place::kOutside;
  bool too_deep_ = false;
  char open_[kDeepestNesting] = {};  // The open brackets.
  size_t depth_ = 0;
  // An end that is missing in the rest of the text is searched for only once.
  bool no_more_comments_ = false;
  bool no_more_raw_ = false;
  std::string no_more_quotes_;
};

// DecodeString: decodes a string literal of a template.

// Decodes a literal with its quotes.  Escapes are Python's: \n, \x5f, \137,
// \u005f, \U0000005f, \N{LOW LINE} and so on.  A \N with a name other than those
// of ASCII letters and the low line becomes U+FFFD.  Sets `*is_wrong` if an
// escape has too few digits, which Python rejects.
std::string DecodeString(absl::string_view literal, bool* is_wrong);

// Appends a code point of at most 21 bits.
void AppendUtf8(uint32_t code, std::string* out);

// White space as Python's str.isspace() has it.
bool IsSpace(uint32_t code_point);
absl::string_view StripLeft(absl::string_view text);
absl::string_view StripRight(absl::string_view text);

}  // namespace gguf::jinja

#endif  // GGUF_CONFORMANCE_JINJA_LEXER_H_
