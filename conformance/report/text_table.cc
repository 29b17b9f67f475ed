// Makes each column as wide as its widest cell.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/text_table.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace gguf {

std::vector<std::string> TextTable(
    const std::vector<std::vector<std::string>>& rows, size_t text_columns) {
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
