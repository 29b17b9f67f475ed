// The layout of text: how a report is shown, lines that fit a terminal, and
// aligned columns.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_BASE_TEXT_STYLE_H_
#define GGUF_CONFORMANCE_BASE_TEXT_STYLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// How a report is shown as text.
struct TextStyle {
  bool color = false;
  size_t width = 0;      // Columns to wrap at; 0 keeps each finding on a line.
  bool quiet = false;    // Omits files that pass, and the summary if all do.
  bool verbose = false;  // Lists the findings that a cause explains.
};

// Breaks `text` at spaces into lines of at most `width` columns, and indents
// the second and later ones by `indent`.  Width 0 breaks nothing.  The first
// `unbroken` bytes after the leading spaces stay on the first line.
std::string Wrap(absl::string_view text, size_t width, size_t indent, size_t unbroken = 0);

// Returns a line for each row; all rows have as many cells as the first.  The
// first `text_columns` are aligned to the left, the others, of numbers, to the
// right.
std::vector<std::string> TextTable(const std::vector<std::vector<std::string>>& rows,
                                   size_t text_columns);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_BASE_TEXT_STYLE_H_
