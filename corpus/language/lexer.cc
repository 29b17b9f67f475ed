// Splits a text into words; parses and prints numbers; decodes UTF-8.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/lexer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace gguf::corpus {
namespace {

// Appends any code up to 0x10ffff, including surrogates, because the language
// must express invalid text.
void AppendUtf8(uint32_t code, std::string* out) {
  if (code < 0x80) {
    out->push_back(static_cast<char>(code));
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const uint32_t mark = 0xff00u >> (more + 1);  // ...110, 1110, 11110, zeros.
  out->push_back(static_cast<char>(mark | code >> (6 * more)));
  for (int i = more - 1; i >= 0; --i) {
    out->push_back(static_cast<char>(0x80 | (code >> (6 * i) & 0x3f)));
  }
}

// Parses digits of a base, and nothing else.
std::optional<uint64_t> ReadDigits(absl::string_view digits, int base) {
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, base);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

size_t DecodeUtf8(absl::string_view bytes, uint32_t* code) {
  if (bytes.empty()) return 0;
  const auto first = static_cast<uint8_t>(bytes[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  *code = size == 1 ? first : first & (0xff >> (size + 1));
  if (bytes.size() < size || *code > 0x10ffff >> (6 * (size - 1))) return 0;
  for (size_t i = 1; i < size; ++i) *code = *code << 6 | (bytes[i] & 0x3f);
  // Any other encoding differs from the shortest form.
  std::string again;
  if (*code <= 0x10ffff) AppendUtf8(*code, &again);
  return absl::StartsWith(bytes, again) && again.size() == size ? size : 0;
}

namespace {

constexpr absl::int128 kTwo64 = absl::int128(1) << 64;

// A term of a sum.
std::optional<absl::int128> ReadTerm(absl::string_view term) {
  if (term.substr(0, 2) == "0x") return ReadDigits(term.substr(2), 16);
  const size_t power = term.find('^');
  if (power == absl::string_view::npos) return ReadDigits(term, 10);
  const auto base = ReadDigits(term.substr(0, power), 10);
  const auto exponent = ReadDigits(term.substr(power + 1), 10);
  if (!base || !exponent || *base > 1000 || *exponent > 64) return std::nullopt;
  absl::int128 value = 1;
  for (uint64_t i = 0; i < *exponent; ++i) {
    value *= *base;
    if (value > kTwo64) return std::nullopt;
  }
  return value;
}

bool IsSigned(const ScalarType& type) { return type.name[0] == 'i'; }

// A float format with fewer bits than a double.
struct Format {
  int exponent_bits;
  int mantissa_bits;
};

Format FormatOf(const ScalarType& type) {
  if (type.bytes == 8) return {11, 52};
  if (type.bytes == 4) return {8, 23};
  return type.name[0] == 'b' ? Format{8, 7} : Format{5, 10};
}

uint64_t Infinity(Format format) {
  return ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
}

// Rounds to the nearest, ties to even; values too large become infinite.
uint64_t EncodeFloat(double value, Format format) {
  const int max_exponent = (1 << format.exponent_bits) - 1;
  const int bias = max_exponent / 2;
  const uint64_t sign = uint64_t{std::signbit(value)}
                        << (format.exponent_bits + format.mantissa_bits);
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent).
  exponent = std::max(exponent - 1, 1 - bias);
  // An integer, up to rounding; the carry of a mantissa moves into the
  // exponent.
  const double scaled =
      std::nearbyint(std::ldexp(std::fabs(value), format.mantissa_bits - exponent));
  const uint64_t bits = static_cast<uint64_t>(scaled) +
                        (static_cast<uint64_t>(exponent + bias - 1) << format.mantissa_bits);
  return sign | std::min(bits, Infinity(format));
}

double DecodeFloat(uint64_t bits, Format format) {
  const int max_exponent = (1 << format.exponent_bits) - 1;
  const uint64_t mantissa = bits & ((uint64_t{1} << format.mantissa_bits) - 1);
  const int exponent = static_cast<int>(bits >> format.mantissa_bits) & max_exponent;
  const bool negative = bits >> (format.exponent_bits + format.mantissa_bits);
  double value = 0;
  if (exponent == max_exponent) {
    value = mantissa == 0 ? HUGE_VAL : std::nan("");
  } else {
    const uint64_t hidden = exponent == 0 ? 0 : uint64_t{1} << format.mantissa_bits;
    value = std::ldexp(static_cast<double>(mantissa | hidden),
                       std::max(exponent, 1) - max_exponent / 2 - format.mantissa_bits);
  }
  return negative ? -value : value;
}

std::optional<uint64_t> ReadFloat(absl::string_view word, const ScalarType& type) {
  const Format format = FormatOf(type);
  const uint64_t sign = uint64_t{1} << (type.bytes * 8 - 1);
  const uint64_t quiet = uint64_t{1} << (format.mantissa_bits - 1);
  if (word == "nan") return Infinity(format) | quiet;
  if (word == "inf") return Infinity(format);
  if (word == "-inf") return Infinity(format) | sign;
  if (word.empty() || !(absl::ascii_isdigit(word[0]) || word[0] == '-' || word[0] == '.')) {
    return std::nullopt;
  }
  if (type.bytes == 4) {  // Not through a double: that would round twice.
    float value = 0;
    uint32_t bits = 0;
    if (!absl::SimpleAtof(word, &value) || !std::isfinite(value)) {
      return std::nullopt;
    }
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  double value = 0;
  if (!absl::SimpleAtod(word, &value) || !std::isfinite(value)) {
    return std::nullopt;
  }
  const uint64_t bits = EncodeFloat(value, format);
  if ((bits & ~sign) == Infinity(format)) return std::nullopt;
  return bits;
}

}  // namespace

std::optional<absl::int128> ReadInteger(absl::string_view word) {
  absl::int128 sum = 0;
  bool negative = absl::ConsumePrefix(&word, "-");
  while (true) {
    const size_t end = std::min(word.find_first_of("+-"), word.size());
    const auto term = ReadTerm(word.substr(0, end));
    if (!term) return std::nullopt;
    sum += negative ? -*term : *term;
    if (sum < -kTwo64 || sum > kTwo64) return std::nullopt;
    if (end == word.size()) break;
    negative = word[end] == '-';
    word.remove_prefix(end + 1);
  }
  if (sum < -(kTwo64 >> 1) || sum >= kTwo64) return std::nullopt;
  return sum;
}

std::optional<uint64_t> Encode(absl::int128 number, int bytes) {
  const absl::int128 end = absl::int128(1) << (8 * bytes);
  if (number >= end || number < -(end >> 1)) return std::nullopt;
  return absl::Uint128Low64(absl::uint128(number < 0 ? number + end : number));
}

std::optional<uint64_t> ReadScalar(absl::string_view word, const ScalarType& type) {
  if (type.is_float && word.substr(0, 2) != "0x") return ReadFloat(word, type);
  const auto number = ReadInteger(word);
  const absl::int128 end = absl::int128(1) << (8 * type.bytes - (IsSigned(type) ? 1 : 0));
  if (!number || *number >= end || *number < (IsSigned(type) ? -end : 0)) {
    return std::nullopt;
  }
  return Encode(*number, type.bytes);
}

std::string PrintScalar(uint64_t bits, const ScalarType& type) {
  if (!type.is_float) {
    if (!IsSigned(type)) return absl::StrCat(bits);
    const int unused = 64 - 8 * type.bytes;
    return absl::StrCat(static_cast<int64_t>(bits << unused) >> unused);
  }
  const Format format = FormatOf(type);
  const double value = DecodeFloat(bits, format);
  std::string word = "nan";
  if (!std::isnan(value)) {
    char buffer[32];
    const auto result =
        type.bytes == 4 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value))
                        : std::to_chars(buffer, buffer + sizeof buffer, value);
    word.assign(buffer, result.ptr);
  }
  if (ReadFloat(word, type) == bits) return word;
  return absl::StrFormat("0x%0*x", 2 * type.bytes, bits);
}

std::string PrintInteger(uint64_t number) {
  constexpr int64_t kNear = 2;
  for (int power = 31; power <= 64; ++power) {
    const absl::int128 distance = absl::int128(number) - (absl::int128(1) << power);
    if (distance < -kNear || distance > kNear) continue;
    const auto near = static_cast<int64_t>(distance);
    return absl::StrCat("2^", power, near > 0 ? "+" : "", near == 0 ? "" : absl::StrCat(near));
  }
  return absl::StrCat(number);
}

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
