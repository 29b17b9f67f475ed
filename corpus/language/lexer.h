// Lexer: the words, texts and brackets of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_LEXER_H_
#define GGUF_CORPUS_LANGUAGE_LEXER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"

namespace gguf::corpus {

struct Token {
  enum class Kind { kWord, kText, kBracket, kLineEnd, kEnd };
  Kind kind = Kind::kEnd;
  Position at;
  absl::string_view word;  // As in the source: a word or a bracket.
  Text text;               // Of a kText.
};

// Reads the text one token ahead.  The first error is kept; after it there are
// no more tokens.  The text must outlive the lexer.
class Lexer {
 public:
  explicit Lexer(absl::string_view text, int first_line = 1);

  const Token& next() const { return next_; }
  void Advance();

  bool AtWord(absl::string_view word) const;
  bool AtBracket(char bracket) const;
  bool at_line_end() const;  // Or at the end of the text.

  // Advances if it is the next token.
  bool SkipWord(absl::string_view word);
  bool SkipBracket(char bracket);

  // Fails unless the line ends here.
  bool EndLine() { return at_line_end() || FailExpected("the end of the line"); }

  // Errors have the form "line 3, column 7: ...".  Returns false.
  bool Fail(Position at, absl::string_view message);
  // Fails with "expected WHAT, found ..." and the next token.
  bool FailExpected(absl::string_view what);
  const absl::Status& status() const { return status_; }

 private:
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Move(size_t bytes);
  void SkipSpace();
  bool ReadToken();
  bool ReadQuoted(Text* text);
  bool ReadEscape(Text* text);
  bool ReadHexText(Text* text);
  bool ReadTimes(Text* text);

  absl::string_view text_;
  size_t at_ = 0;
  Position position_{1, 1};
  int open_lists_ = 0;  // Inside brackets, a line break is a space.
  Token next_;
  absl::Status status_;
};

}  // namespace gguf::corpus

#endif  // GGUF_CORPUS_LANGUAGE_LEXER_H_
