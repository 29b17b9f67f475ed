// Tab-separated tables, with the position of every cell for error messages.
//
// A line that begins with # is a comment; the first other one names the
// columns. For tools that run while the project is built: a mistake ends the
// program.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_TSV_H_
#define GGUF_CONFORMANCE_TABLES_TSV_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

struct Cell {
  std::string text;
  std::shared_ptr<const std::string> path;
  size_t line = 0;    // From 1.
  size_t column = 0;  // From 1, in characters.

  // Prints "file:line:column: why" and ends the program.
  [[noreturn]] void Fail(absl::string_view why, size_t offset = 0) const;
};

struct Tsv {
  std::string path;
  std::vector<Cell> header;
  std::vector<std::vector<Cell>> rows;  // Each as long as the header.
};

Tsv ReadTsv(const std::string& path);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_TSV_H_
