// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/lexer.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "corpus/language/number.h"
#include "corpus/language/utf8.h"

namespace gguf::corpus {
namespace {

bool IsWordCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '^' || c == '+' || c == '-' ||
         c == '?';
}

std::optional<uint64_t> ReadHex(absl::string_view digits) {
  return digits.size() > 6 ? std::nullopt : ReadDigits(digits, 16);
}

}  // namespace

Lexer::Lexer(absl::string_view text, int first_line) : text_(text), position_{first_line, 1} {
  Advance();
}

void Lexer::Advance() {
  if (!status_.ok() || !ReadToken()) next_ = {Token::Kind::kEnd, position_};
}

bool Lexer::AtWord(absl::string_view word) const {
  return next_.kind == Token::Kind::kWord && next_.word == word;
}

bool Lexer::AtBracket(char bracket) const {
  return next_.kind == Token::Kind::kBracket && next_.word[0] == bracket;
}

bool Lexer::at_line_end() const {
  return next_.kind == Token::Kind::kLineEnd || next_.kind == Token::Kind::kEnd;
}

bool Lexer::SkipWord(absl::string_view word) {
  if (!AtWord(word)) return false;
  Advance();
  return true;
}

bool Lexer::SkipBracket(char bracket) {
  if (!AtBracket(bracket)) return false;
  Advance();
  return true;
}

bool Lexer::Fail(Position at, absl::string_view message) {
  if (status_.ok()) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat("line ", at.line, ", column ", at.column, ": ", message));
    next_ = {Token::Kind::kEnd, at};
  }
  return false;
}

bool Lexer::FailExpected(absl::string_view what) {
  const Token::Kind kind = next_.kind;
  const std::string found = kind == Token::Kind::kText      ? "a text"
                            : kind == Token::Kind::kLineEnd ? "the end of the line"
                            : kind == Token::Kind::kEnd     ? "the end"
                                                            : absl::StrCat("'", next_.word, "'");
  return Fail(next_.at, absl::StrCat("expected ", what, ", found ", found));
}

void Lexer::Move(size_t bytes) {
  for (const char c : text_.substr(at_, bytes)) {
    const bool line_end = c == '\n';
    position_.line += line_end;
    position_.column = line_end ? 1 : position_.column + 1;
  }
  at_ += bytes;
}

void Lexer::SkipSpace() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      Move(std::min(text_.find('\n', at_), text_.size()) - at_);
    } else if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && open_lists_ > 0)) {
      Move(1);
    } else {
      return;
    }
  }
}

bool Lexer::ReadToken() {
  SkipSpace();
  next_ = {Token::Kind::kEnd, position_};
  if (at_ == text_.size()) return true;
  const size_t begin = at_;
  const char c = Peek();
  if (c == '\n') {
    next_.kind = Token::Kind::kLineEnd;
    Move(1);
  } else if (absl::StrContains("[]{}", c)) {
    next_.kind = Token::Kind::kBracket;
    open_lists_ += c == '[' || c == '{' ? 1 : -1;
    Move(1);
  } else if (c == '"' || absl::StartsWith(text_.substr(at_), "x\"")) {
    next_.kind = Token::Kind::kText;
    if (!(c == '"' ? ReadQuoted(&next_.text) : ReadHexText(&next_.text)) ||
        !ReadTimes(&next_.text)) {
      return false;
    }
  } else if (IsWordCharacter(c)) {
    next_.kind = Token::Kind::kWord;
    while (at_ < text_.size() && IsWordCharacter(Peek())) Move(1);
  } else {
    uint32_t code = 0;
    const size_t size = DecodeUtf8(text_.substr(at_), &code);
    return Fail(position_, absl::StrCat("'", text_.substr(at_, std::max<size_t>(size, 1)),
                                        "' has no meaning here"));
  }
  next_.word = text_.substr(begin, at_ - begin);
  return true;
}

bool Lexer::ReadQuoted(Text* text) {
  const Position begin = position_;
  text->pieces.emplace_back();
  Move(1);
  while (Peek() != '"') {
    if (at_ == text_.size() || Peek() == '\n') {
      return Fail(begin, "this text has no closing \"");
    }
    if (Peek() == '\\') {
      if (!ReadEscape(text)) return false;
    } else {
      text->pieces.back().push_back(Peek());
      Move(1);
    }
  }
  Move(1);
  return true;
}

bool Lexer::ReadEscape(Text* text) {
  constexpr absl::string_view kLetters = "ntr\"\\", kBytes = "\n\t\r\"\\";
  const Position begin = position_;
  Move(1);
  const char c = Peek();
  std::string* const out = &text->pieces.back();
  const size_t letter = kLetters.find(c);
  if (letter != absl::string_view::npos) {
    out->push_back(kBytes[letter]);
    Move(1);
    return true;
  }
  if (c == '#') {
    text->pieces.emplace_back();
    Move(1);
    return true;
  }
  if (c == 'x') {
    const auto byte = ReadHex(text_.substr(std::min(at_ + 1, text_.size()), 2));
    if (byte && at_ + 2 < text_.size()) {
      out->push_back(static_cast<char>(*byte));
      Move(3);
      return true;
    }
  }
  if (absl::StartsWith(text_.substr(at_), "u{")) {
    const size_t end = text_.find('}', at_);
    if (end != absl::string_view::npos) {
      const auto code = ReadHex(text_.substr(at_ + 2, end - at_ - 2));
      if (code && *code <= 0x10ffff) {
        AppendUtf8(static_cast<uint32_t>(*code), out);
        Move(end + 1 - at_);
        return true;
      }
    }
  }
  return Fail(begin,
              "unknown escape; valid escapes are \\n \\t \\r \\\" \\\\ \\xHH \\u{HEX} and \\#");
}

bool Lexer::ReadHexText(Text* text) {
  text->pieces.emplace_back();
  Move(2);
  while (Peek() != '"') {
    if (absl::ascii_isspace(Peek())) {
      Move(1);
      continue;
    }
    const auto byte = ReadHex(text_.substr(at_, 2));
    if (!byte || at_ + 1 >= text_.size()) {
      return Fail(position_, "expected two hexadecimal digits, or a \"");
    }
    text->pieces[0].push_back(static_cast<char>(*byte));
    Move(2);
  }
  Move(1);
  return true;
}

bool Lexer::ReadTimes(Text* text) {
  if (Peek() != '*') return true;
  Move(1);
  const Position begin = position_;
  const size_t from = at_;
  while (IsWordCharacter(Peek())) Move(1);
  const auto times = ReadInteger(text_.substr(from, at_ - from));
  if (!times || *times < 0) return Fail(begin, "expected a repetition count");
  text->times = static_cast<uint64_t>(*times);
  return true;
}

}  // namespace gguf::corpus
