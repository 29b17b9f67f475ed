// Escapes untrusted text for messages.
//
// SPDX-License-Identifier: Apache-2.0

#include "parser/core/quote.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "parser/core/utf8.h"

namespace gguf {
namespace {

// Returns whether what is appended next begins a line, which GitHub executes if
// it begins with two colons.
bool IsAtLineStart(const std::string& out) {
  const size_t last = out.find_last_not_of(" \t");
  return last == out.npos || out[last] == '\n';
}

// Appends the code point at text[*at], or an escape if it must not be shown,
// and moves `*at` past it.
void AppendVisible(absl::string_view text, size_t* at, std::string* out) {
  const size_t begin = *at;
  const uint32_t code_point = NextCodePoint(text, at);
  const absl::string_view bytes = text.substr(begin, *at - begin);
  if (code_point == kBadCodePoint || IsControl(code_point) || BeginsCommand(text.substr(begin)) ||
      (absl::StartsWith(text.substr(begin), "::") && IsAtLineStart(*out))) {
    if (code_point == '\n') {
      out->append("\\n");
    } else if (code_point == '\t') {
      out->append("\\t");
    } else if (code_point == '\r') {
      out->append("\\r");
    } else {
      for (const char byte : bytes) {
        absl::StrAppendFormat(out, "\\x%02x", static_cast<uint8_t>(byte));
      }
    }
  } else if (IsInvisible(code_point)) {
    absl::StrAppendFormat(out, "\\u{%x}", code_point);
  } else {
    out->append(bytes.data(), bytes.size());
  }
}

// Keeps the characters in `layout`.
std::string VisibleBut(absl::string_view layout, absl::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (absl::StrContains(layout, text[at])) {
      out.push_back(text[at++]);
    } else {
      AppendVisible(text, &at, &out);
    }
  }
  return out;
}

}  // namespace

std::string Escape(absl::string_view text, size_t most) {
  std::string out;
  out.reserve(std::min(text.size(), most));
  size_t at = 0;
  while (at < text.size()) {
    size_t end = at;
    NextCodePoint(text, &end);
    if (end > most) return absl::StrCat(out, "... (", text.size(), " bytes)");
    if (text[at] == '\\' || text[at] == '"') out.push_back('\\');
    AppendVisible(text, &at, &out);
  }
  return out;
}

std::string Quote(absl::string_view text, size_t most) {
  return absl::StrCat("\"", Escape(text, most), "\"");
}

std::string Visible(absl::string_view text) { return VisibleBut("", text); }

std::string VisibleLines(absl::string_view text) { return VisibleBut("\n\t", text); }

}  // namespace gguf
