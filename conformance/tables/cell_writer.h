// CellWriter: writes the cells of a table as C++.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_CELL_WRITER_H_
#define GGUF_CONFORMANCE_TABLES_CELL_WRITER_H_

#include <string>

#include "conformance/tables/column.h"
#include "conformance/tables/expr_writer.h"
#include "conformance/tables/tsv.h"
#include "conformance/tables/vocabulary.h"

namespace gguf {

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
