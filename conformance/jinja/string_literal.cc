// Decodes string literals.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/jinja/string_literal.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"

namespace gguf::jinja {
namespace {

using absl::string_view;

char Ascii(uint32_t code) { return code < 128 ? static_cast<char>(code) : '?'; }

int DigitValue(char c) {
  if (absl::ascii_isdigit(c)) return c - '0';
  return absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : 99;
}

// Consumes up to `most` digits of the base; hexadecimal escapes need all of
// them.
char TakeNumber(int base, size_t most, string_view* text, bool* is_wrong) {
  constexpr uint32_t kLastCharacter = 0x10ffff;
  uint32_t code = 0;
  for (; most > 0 && !text->empty() && DigitValue(text->front()) < base; --most) {
    code = code * base + DigitValue(text->front());
    text->remove_prefix(1);
  }
  *is_wrong |= (base == 16 && most > 0) || code > kLastCharacter;
  return Ascii(code);
}

// Consumes the {NAME} of a character.
char TakeNamed(string_view* text, bool* is_wrong) {
  constexpr size_t kLongestName = 128;
  const size_t end = text->substr(0, kLongestName).find('}');
  if (end == string_view::npos || !absl::ConsumePrefix(text, "{")) {
    *is_wrong = true;
    return '?';
  }
  const std::string upper = absl::AsciiStrToUpper(text->substr(0, end - 1));
  text->remove_prefix(end);
  string_view name = upper;
  if (name == "LOW LINE") return '_';
  const bool is_small = absl::ConsumePrefix(&name, "LATIN SMALL LETTER ");
  if (!is_small) absl::ConsumePrefix(&name, "LATIN CAPITAL LETTER ");
  if (name.size() != 1 || !absl::ascii_isalpha(name[0])) return '?';
  return is_small ? absl::ascii_tolower(name[0]) : name[0];
}

// Consumes the escape after a backslash.
std::string TakeEscape(string_view* text, bool* is_wrong) {
  static constexpr string_view kLetters = "abfnrtv\\'\"";
  static constexpr string_view kMeanings = "\a\b\f\n\r\t\v\\'\"";
  const char c = text->front();
  const auto number = [&](int base, size_t most) {
    return std::string(1, TakeNumber(base, most, text, is_wrong));
  };
  if (DigitValue(c) < 8) return number(8, 3);
  text->remove_prefix(1);
  if (c == '\n') return "";
  if (c == 'x') return number(16, 2);
  if (c == 'u') return number(16, 4);
  if (c == 'U') return number(16, 8);
  if (c == 'N') return std::string(1, TakeNamed(text, is_wrong));
  const size_t i = kLetters.find(c);
  if (i == string_view::npos) return {'\\', c};
  return std::string(1, kMeanings[i]);
}

}  // namespace

std::string DecodeString(string_view literal, bool* is_wrong) {
  string_view rest = literal.substr(1, literal.size() - 2);
  std::string text;
  while (!rest.empty()) {
    const size_t backslash = rest.find('\\');
    text.append(rest.data(), std::min(backslash, rest.size()));
    rest.remove_prefix(std::min(backslash, rest.size()));
    if (absl::ConsumePrefix(&rest, "\\") && !rest.empty()) {
      text += TakeEscape(&rest, is_wrong);
    }
  }
  return text;
}

}  // namespace gguf::jinja
