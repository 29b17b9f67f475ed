// TextStyle: how a report is shown as text; Wrap: breaks lines.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TEXT_STYLE_H_
#define GGUF_CONFORMANCE_REPORT_TEXT_STYLE_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

struct TextStyle {
  bool color = false;
  size_t width = 0;    // Columns to wrap at; 0 keeps each finding on a line.
  bool quiet = false;  // Omits files that pass, and the summary if all do.
};

// Breaks `text` at spaces into lines of at most `width` columns, and indents
// the second and later ones by `indent`.  Width 0 breaks nothing.  The first
// `unbroken` bytes after the leading spaces stay on the first line.
std::string Wrap(absl::string_view text, size_t width, size_t indent,
                 size_t unbroken = 0);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TEXT_STYLE_H_
