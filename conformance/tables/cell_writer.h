// The columns of a table, and CellWriter, which writes its cells as C++.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_CELL_WRITER_H_
#define GGUF_CONFORMANCE_TABLES_CELL_WRITER_H_

#include <string>
#include <vector>

#include "conformance/tables/expr_writer.h"
#include "conformance/tables/tsv.h"
#include "conformance/tables/vocabulary.h"

namespace gguf {

// A column of a table, as declared in its header line.
struct Column {
  Cell cell;  // The one of the header line.
  std::string name;
  std::string type;     // As in README.md; an enum's without its words.
  bool is_key = false;  // Rows that agree in all of these are duplicates.

  std::string enum_name;  // Of a word, a set or names.
  bool declares = false;  // The first column of the enum, with its words.
  std::vector<std::string> words;  // Empty: another table declares the enum.
};

std::vector<Column> ReadColumns(const Tsv& table);

// Returns the type of the member of the row's struct; empty for a column
// without a member.
std::string MemberType(const Column& column);

// Returns the C++ text of the enum that the column declares.
std::string EnumOf(const Column& column);

class CellWriter {
 public:
  explicit CellWriter(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary), exprs_(vocabulary.symbols()) {}

  // Returns the C++ initializer of a cell in a column with a member.
  std::string Write(const Cell& cell, const Column& column);

  // Returns the arrays that these initializers refer to.
  std::string Definitions() const;

 private:
  std::string WriteTexts(const Cell& cell);

  const Vocabulary& vocabulary_;
  ExprWriter exprs_;
  std::string texts_;
  size_t texts_written_ = 0;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_CELL_WRITER_H_
