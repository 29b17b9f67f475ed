// Skips strings and comments, and examines the rest.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/config/toml_scan.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

bool IsAscii(absl::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80;
  });
}

// Returns the size of the string at the beginning of `text`, including its
// quotes; a single-line string ends with the line at the latest.
size_t StringSize(absl::string_view text, bool several_lines) {
  const char quote = text[0];
  const std::string end(several_lines ? 3 : 1, quote);
  size_t at = end.size();
  while (at < text.size() && !absl::StartsWith(text.substr(at), end)) {
    if (!several_lines && text[at] == '\n') return at;
    at += text[at] == '\\' && quote == '"' ? 2 : 1;
  }
  at += end.size();
  // Up to two quotes before the closing ones belong to the string.
  for (int i = 0; several_lines && i < 2; ++i) {
    at += at < text.size() && text[at] == quote;
  }
  return std::min(at, text.size());
}

// Returns whether a string may follow this character.
bool MayPrecedeString(char c) { return absl::StrContains(" \t\r\n=[{,.", c); }

class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  std::optional<TomlFault> Run() {
    while (what_.empty() && !text_.empty()) Skip(Step());
    if (what_.empty()) return std::nullopt;
    return TomlFault{line_, what_};
  }

 private:
  // Examines the next token; returns its size.
  size_t Step();
  void Skip(size_t size) {
    if (!what_.empty()) return;
    line_ += std::count(text_.begin(), text_.begin() + size, '\n');
    last_ = text_[size - 1];
    text_.remove_prefix(size);
  }

  absl::string_view text_;  // The rest.
  char last_ = '\n';        // The character before it.
  size_t line_ = 1;
  size_t brackets_ = 0;  // Open.
  size_t dots_ = 0;      // In the current key.
  std::string what_;     // The error message.
};

size_t Scanner::Step() {
  const char c = text_[0];
  if (c == '#') return std::min(text_.find('\n'), text_.size());
  if (c == '"' || c == '\'') {
    if (!MayPrecedeString(last_)) {
      what_ = "a string must not follow another value directly";
    }
    const bool several = absl::StartsWith(text_, std::string(3, c));
    const size_t size = StringSize(text_, several);
    if (several && !IsAscii(text_.substr(0, size))) {
      what_ = "a multi-line string must be ASCII; use \\u escapes";
    }
    return size;
  }
  if (!IsAscii(text_.substr(0, 1))) {
    what_ = "non-ASCII text must be in quotes";
  }
  if (c == '[' || c == '{') ++brackets_;
  if ((c == ']' || c == '}') && brackets_ > 0) --brackets_;
  dots_ = c == '.' ? dots_ + 1 : absl::StrContains("\n[{,=", c) ? 0 : dots_;
  if (std::max(brackets_, dots_ + 1) > kTomlDepth) {
    what_ =
        absl::StrCat("tables and arrays are nested deeper than ", kTomlDepth);
  }
  return 1;
}

}  // namespace

std::optional<TomlFault> ScanToml(absl::string_view text) {
  const size_t valid = ValidUtf8Prefix(text);
  if (valid < text.size()) {
    const auto line = std::count(text.begin(), text.begin() + valid, '\n') + 1;
    return TomlFault{static_cast<size_t>(line), "the text is not UTF-8"};
  }
  return Scanner(text).Run();
}

}  // namespace gguf
