// The lexer of Jinja templates, and the decoder of their string literals.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/lexer.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "conformance/base/text.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

// Bytes above 127 may be letters; all of them are accepted here.
bool BeginsName(char c) { return absl::ascii_isalpha(c) || c == '_' || (c & 0x80) != 0; }
bool IsInName(char c) { return BeginsName(c) || absl::ascii_isdigit(c); }

bool IsBinary(char c) { return c == '0' || c == '1'; }
bool IsOctal(char c) { return c >= '0' && c < '8'; }
bool IsDecimal(char c) { return absl::ascii_isdigit(c); }
bool IsHex(char c) { return absl::ascii_isxdigit(c); }
bool IsBlank(char c) { return absl::ascii_isspace(c); }

// Returns the number of bytes at the start for which `is` holds.
size_t Span(string_view text, bool (*is)(char)) {
  return std::find_if_not(text.begin(), text.end(), is) - text.begin();
}

// The same for digits, each of which may follow an underscore.
size_t Digits(string_view text, bool (*is_digit)(char)) {
  size_t n = 0;
  while (n < text.size()) {
    const size_t digit = text[n] == '_' ? n + 1 : n;
    if (digit >= text.size() || !is_digit(text[digit])) break;
    n = digit + 1;
  }
  return n;
}

// Returns the size of a number such as 1_000, 0x1f, 1.5 or 2e-3; the text must
// begin with a digit.
size_t NumberSize(string_view text) {
  const auto after = [&](size_t n) { return text.substr(std::min(n, text.size())); };
  const auto at = [&](size_t n) { return n < text.size() ? absl::ascii_tolower(text[n]) : '\0'; };
  if (text[0] == '0') {
    const char base = at(1);
    const size_t digits = base == 'x'   ? Digits(after(2), IsHex)
                          : base == 'o' ? Digits(after(2), IsOctal)
                          : base == 'b' ? Digits(after(2), IsBinary)
                                        : 0;
    if (digits > 0) return 2 + digits;
  }
  size_t n = Digits(text, IsDecimal);
  if (at(n) == '.' && IsDecimal(at(n + 1))) {
    n += 1 + Digits(after(n + 1), IsDecimal);
  }
  if (at(n) == 'e') {
    const size_t sign = at(n + 1) == '+' || at(n + 1) == '-' ? 1 : 0;
    if (IsDecimal(at(n + 1 + sign))) {
      n += 1 + sign + Digits(after(n + 1 + sign), IsDecimal);
    }
  }
  return n;
}

// Returns the size of a complete {% name %} at the start; 0 if none.
size_t WholeStatement(string_view text, string_view name) {
  const size_t size = text.size();
  if (!absl::ConsumePrefix(&text, "{%")) return 0;
  if (!absl::ConsumePrefix(&text, "-")) absl::ConsumePrefix(&text, "+");
  text.remove_prefix(Span(text, IsBlank));
  if (!absl::ConsumePrefix(&text, name)) return 0;
  text.remove_prefix(Span(text, IsBlank));
  if (!absl::ConsumePrefix(&text, "-")) absl::ConsumePrefix(&text, "+");
  return absl::ConsumePrefix(&text, "%}") ? size - text.size() : 0;
}

// Returns the position of such a statement; npos if none.
size_t FindStatement(string_view text, string_view name) {
  size_t at = text.find("{%");
  while (at != string_view::npos && WholeStatement(text.substr(at), name) == 0) {
    at = text.find("{%", at + 1);
  }
  return at;
}

char Closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : '}'; }

}  // namespace

Token Lexer::Next() {
  switch (place_) {
    case Place::kOutside:
      return NextOutside();
    case Place::kRawBlock:
      return NextInRaw();
    case Place::kVariable:
    case Place::kStatement:
      break;
  }
  return NextInTag();
}

Token Lexer::Take(Token::Kind kind, size_t size) {
  const Token token = {kind, text_.substr(at_, size), at_, ""};
  at_ += token.text.size();
  return token;
}

Token Lexer::Error(size_t size, const char* why) {
  Token token = Take(Token::kError, size);
  token.why = why;
  return token;
}

Token Lexer::NextOutside() {
  if (at_ >= text_.size()) return Take(Token::kEnd, 0);
  size_t n = 0;
  for (;;) {
    n = rest().find('{', n);
    if (n == string_view::npos) return Take(Token::kText, n);
    if (n + 1 < rest().size() && string_view("{%#").find(rest()[n + 1]) != string_view::npos) {
      break;
    }
    ++n;
  }
  if (n > 0) return Take(Token::kText, n);
  return rest()[1] == '#' ? Comment() : BeginTag();
}

Token Lexer::Comment() {
  const size_t end = no_more_comments_ ? string_view::npos : rest().find("#}", 2);
  if (end != string_view::npos) return Take(Token::kComment, end + 2);
  no_more_comments_ = true;
  return Error(2, "opens an unclosed comment");
}

Token Lexer::BeginTag() {
  if (const size_t size = WholeStatement(rest(), "raw"); size > 0) {
    no_more_raw_ =
        no_more_raw_ || FindStatement(rest().substr(size), "endraw") == string_view::npos;
    if (no_more_raw_) return Error(size, "opens an unclosed raw block");
    place_ = Place::kRawBlock;
    return Take(Token::kRaw, size);
  }
  const bool is_variable = rest()[1] == '{';
  place_ = is_variable ? Place::kVariable : Place::kStatement;
  const char sign = rest().size() > 2 ? rest()[2] : '\0';
  return Take(is_variable ? Token::kBeginVariable : Token::kBeginStatement,
              sign == '-' || sign == '+' ? 3 : 2);
}

Token Lexer::NextInRaw() {
  if (const size_t size = WholeStatement(rest(), "endraw"); size > 0) {
    place_ = Place::kOutside;
    return Take(Token::kRaw, size);
  }
  return Take(Token::kText, FindStatement(rest(), "endraw"));
}

size_t Lexer::EndOfTag() const {
  const bool is_variable = place_ == Place::kVariable;
  string_view text = rest();
  if (!absl::ConsumePrefix(&text, "-") && !is_variable) {
    absl::ConsumePrefix(&text, "+");
  }
  if (!absl::ConsumePrefix(&text, is_variable ? "}}" : "%}")) return 0;
  return rest().size() - text.size();
}

// A tag does not end inside a dictionary, where }} closes two; inside another
// bracket it cannot continue.
Token Lexer::EndTag(size_t size) {
  Token token = Take(place_ == Place::kVariable ? Token::kEndVariable : Token::kEndStatement, size);
  if (depth_ > 0) token.why = "ends a tag with an unclosed bracket";
  depth_ = 0;
  place_ = Place::kOutside;
  return token;
}

Token Lexer::NextInTag() {
  at_ += Span(rest(), IsBlank);
  if (at_ >= text_.size()) return Take(Token::kEnd, 0);
  if (depth_ == 0 || open_[depth_ - 1] != '{') {
    if (const size_t size = EndOfTag(); size > 0) return EndTag(size);
  }
  const char c = rest()[0];
  if (c == '"' || c == '\'') return String();
  if (BeginsName(c)) return Take(Token::kName, Span(rest(), IsInName));
  if (IsDecimal(c)) {
    const bool is_index = at_ > 0 && text_[at_ - 1] == '.';
    return Take(Token::kNumber, is_index ? Digits(rest(), IsDecimal) : NumberSize(rest()));
  }
  return Operator();
}

Token Lexer::String() {
  const char quote = rest()[0];
  if (absl::StrContains(no_more_quotes_, quote)) {
    return Error(1, "opens an unclosed string");
  }
  for (size_t n = 1; n < rest().size(); ++n) {
    if (rest()[n] == quote) return Take(Token::kString, n + 1);
    if (rest()[n] == '\\') ++n;
  }
  no_more_quotes_ += quote;
  return Error(1, "opens an unclosed string");
}

Token Lexer::Operator() {
  static constexpr string_view kOfTwo[] = {"//", "**", "==", "!=", ">=", "<="};
  for (const string_view two : kOfTwo) {
    if (absl::StartsWith(rest(), two)) return Take(Token::kOperator, 2);
  }
  const char c = rest()[0];
  if (string_view("([{)]}").find(c) != string_view::npos) return Bracket();
  if (string_view("+-/*%~<>=.:|,;").find(c) == string_view::npos) {
    return Error(1, "is not part of the language");
  }
  return Take(Token::kOperator, 1);
}

Token Lexer::Bracket() {
  const char bracket = rest()[0];
  if (string_view("([{").find(bracket) != string_view::npos) {
    if (depth_ == kDeepestNesting) {
      too_deep_ = true;
      at_ = text_.size();
      return Take(Token::kEnd, 0);
    }
    open_[depth_++] = bracket;
  } else if (depth_ > 0 && Closing(open_[depth_ - 1]) == bracket) {
    --depth_;
  } else {
    return Error(1, "does not close an open bracket");
  }
  return Take(Token::kOperator, 1);
}

// Decodes string literals.

namespace {

using absl::string_view;

constexpr uint32_t kReplacement = 0xfffd;

int DigitValue(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  return absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : 99;
}

// Consumes up to `most` digits of the base; hexadecimal escapes need all of
// them.
uint32_t TakeNumber(int base, size_t most, string_view* text, bool* is_wrong) {
  constexpr uint32_t kLastCharacter = 0x10ffff;
  uint32_t code = 0;
  for (; most > 0 && !text->empty() && DigitValue(text->front()) < base; --most) {
    code = code * base + DigitValue(text->front());
    text->remove_prefix(1);
  }
  *is_wrong |= (base == 16 && most > 0) || code > kLastCharacter;
  return code > kLastCharacter ? kReplacement : code;
}

// Consumes the {NAME} of a character.
uint32_t TakeNamed(string_view* text, bool* is_wrong) {
  constexpr size_t kLongestName = 128;
  const size_t end = text->substr(0, kLongestName).find('}');
  if (end == string_view::npos || !absl::ConsumePrefix(text, "{")) {
    *is_wrong = true;
    return kReplacement;
  }
  const std::string upper = absl::AsciiStrToUpper(text->substr(0, end - 1));
  text->remove_prefix(end);
  string_view name = upper;
  if (name == "LOW LINE") return '_';
  const bool is_small = absl::ConsumePrefix(&name, "LATIN SMALL LETTER ");
  if (!is_small) absl::ConsumePrefix(&name, "LATIN CAPITAL LETTER ");
  if (name.size() != 1 || !absl::ascii_isalpha(name[0])) return kReplacement;
  return is_small ? absl::ascii_tolower(name[0]) : name[0];
}

// Consumes the escape after a backslash, and appends what it means.
void TakeEscape(string_view* text, bool* is_wrong, std::string* out) {
  static constexpr string_view kLetters = "abfnrtv\\'\"";
  static constexpr string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const char c = text->front();
  if (DigitValue(c) < 8) return AppendUtf8(TakeNumber(8, 3, text, is_wrong), out);
  text->remove_prefix(1);
  if (c == '\n') return;
  if (c == '\r') return (void)absl::ConsumePrefix(text, "\n");
  if (c == 'x') return AppendUtf8(TakeNumber(16, 2, text, is_wrong), out);
  if (c == 'u') return AppendUtf8(TakeNumber(16, 4, text, is_wrong), out);
  if (c == 'U') return AppendUtf8(TakeNumber(16, 8, text, is_wrong), out);
  if (c == 'N') return AppendUtf8(TakeNamed(text, is_wrong), out);
  const size_t i = kLetters.find(c);
  if (i == string_view::npos) *out += '\\';
  *out += i == string_view::npos ? c : kMeanings[i];
}

}  // namespace

void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    *out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr unsigned kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  *out += static_cast<char>(kFirst[more] | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) *out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
}

std::string DecodeString(string_view literal, bool* is_wrong) {
  string_view rest = literal.substr(1, literal.size() - 2);
  std::string text;
  while (!rest.empty()) {
    const size_t special = std::min(rest.find_first_of("\\\r"), rest.size());
    text.append(rest.data(), special);
    rest.remove_prefix(special);
    if (absl::ConsumePrefix(&rest, "\r")) {  // A line end, of any kind, is \n.
      absl::ConsumePrefix(&rest, "\n");
      text += '\n';
    } else if (absl::ConsumePrefix(&rest, "\\") && !rest.empty()) {
      TakeEscape(&rest, is_wrong, &text);
    }
  }
  return text;
}

// White space.

bool IsSpace(uint32_t code) {
  return (code >= 9 && code <= 13) || (code >= 0x1c && code <= 0x20) || code == 0x85 ||
         code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 ||
         code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

string_view StripLeft(string_view text) {
  size_t at = 0;
  for (size_t next = 0; next < text.size() && IsSpace(NextCodePoint(text, &next));) at = next;
  return text.substr(at);
}

string_view StripRight(string_view text) {
  while (!text.empty()) {
    size_t last = text.size() - 1;
    while (last > 0 && (text[last] & 0xc0) == 0x80) --last;
    size_t at = last;
    if (!IsSpace(NextCodePoint(text, &at))) break;
    text = text.substr(0, last);
  }
  return text;
}

}  // namespace gguf::jinja
