// TextTable: rows of texts in aligned columns.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TEXT_TABLE_H_
#define GGUF_CONFORMANCE_REPORT_TEXT_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace gguf {

// Returns a line for each row; all rows have as many cells as the first.  The
// first `text_columns` are aligned to the left, the others, of numbers, to the
// right.
std::vector<std::string> TextTable(
    const std::vector<std::vector<std::string>>& rows, size_t text_columns);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TEXT_TABLE_H_
