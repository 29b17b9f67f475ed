// Breaks lines at spaces, and makes columns as wide as their widest cell.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/base/text_style.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace gguf {

std::string Wrap(absl::string_view text, size_t width, size_t indent, size_t unbroken) {
  std::string out;
  size_t room = width;  // Left on this line, after the indent.
  while (width > indent && text.size() > room) {
    // Do not break inside the indent or the unbroken part.
    const size_t word = text.find_first_not_of(' ') + (unbroken > 0 ? unbroken - 1 : 0);
    size_t end = text.rfind(' ', room);
    if (end == absl::string_view::npos || end <= word) {
      end = text.find(' ', std::max(word, room));  // A long word stays whole.
    }
    size_t next = text.find_first_not_of(' ', end);
    // GitHub would execute a line that begins with two colons.
    while (absl::StartsWith(absl::ClippedSubstr(text, next), "::")) {
      end = text.find(' ', next);
      next = text.find_first_not_of(' ', end);
    }
    if (next == absl::string_view::npos) break;
    const size_t last = text.find_last_not_of(' ', end);
    absl::StrAppend(&out, text.substr(0, last + 1), "\n", std::string(indent, ' '));
    text.remove_prefix(next);
    room = width - indent;
    unbroken = 0;
  }
  return absl::StrCat(out, text);
}

std::vector<std::string> TextTable(const std::vector<std::vector<std::string>>& rows,
                                   size_t text_columns) {
  std::vector<int> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max<int>(widths[i], row[i].size());
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    for (size_t i = 0; i < row.size(); ++i) {
      absl::StrAppendFormat(&line, "%s%*s", i == 0 ? "" : "  ",
                            i < text_columns ? -widths[i] : widths[i], row[i]);
    }
  }
  return lines;
}

}  // namespace gguf
