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
  // Follows a character outside of strings and comments.
  void Follow(char c);
  void Skip(size_t size) {
    if (!what_.empty()) return;
    line_ += std::count(text_.begin(), text_.begin() + size, '\n');
    text_.remove_prefix(size);
  }

  absl::string_view text_;  // The rest.
  size_t line_ = 1;
  // Up to the first error, which ends toml++, these are as in TOML.
  std::string open_;      // Brackets.
  bool in_key_ = true;    // Not in a value.
  bool in_word_ = false;  // In or behind a bare key or value, or a string.
  size_t dots_ = 0;       // In the current key.
  std::string what_;      // The error message.
};

void Scanner::Follow(char c) {
  if (c == '[' || c == '{') open_ += c;
  if ((c == ']' || c == '}') && !open_.empty()) open_.pop_back();
  if (absl::StrContains(" \t\r\n,]}", c)) {
    in_word_ = false;
    if (c == '\n' && open_.empty()) in_key_ = true;
    if (c == ',') in_key_ = !open_.empty() && open_.back() == '{';
  } else if (in_key_) {
    in_word_ = !absl::StrContains("[{.=", c);
    if (c == '=') in_key_ = false;
  } else if (!in_word_) {
    in_word_ = c != '[' && c != '{';
    if (c == '{') in_key_ = true;
  }
}

size_t Scanner::Step() {
  const char c = text_[0];
  if (c == '#') return std::min(text_.find('\n'), text_.size());
  if (c == '"' || c == '\'') {
    if (in_word_) {
      what_ = "a string must not follow another value directly";
    }
    in_word_ = true;
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
  Follow(c);
  dots_ = c == '.' ? dots_ + 1 : absl::StrContains("\n[{,=", c) ? 0 : dots_;
  if (std::max(open_.size(), dots_ + 1) > kTomlDepth) {
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
