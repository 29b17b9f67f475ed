// The words, numbers, texts and brackets of the case language.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CORPUS_LANGUAGE_LEXER_H_
#define GGUF_CORPUS_LANGUAGE_LEXER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "corpus/language/document.h"
#include "corpus/language/types.h"

namespace gguf::corpus {

// UTF-8 for the texts of the case language.

// Returns the number of bytes of the first character, and its code; 0 if it is
// not in the form that AppendUtf8 writes.
size_t DecodeUtf8(absl::string_view bytes, uint32_t* code);

// Numbers of the case language: parsing and printing.

// Parses "12", "-1", "0xff", "2^64-1": between -2^63 and 2^64-1.
std::optional<absl::int128> ReadInteger(absl::string_view word);

// Returns the two's complement of a number, if it fits into so many bytes.
std::optional<uint64_t> Encode(absl::int128 number, int bytes);

// Returns the bits of a scalar: an integer in the range of the type; for floats
// a decimal number, rounded to the nearest finite one, "nan", "inf", "-inf", or
// the bits as "0x...".
std::optional<uint64_t> ReadScalar(absl::string_view word, const ScalarType& type);

// Returns the shortest word that parses to these bits.
std::string PrintScalar(uint64_t bits, const ScalarType& type);

// Prints large powers of two and their neighbours as "2^63-1".
std::string PrintInteger(uint64_t number);

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
