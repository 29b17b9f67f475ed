// ExprWriter: collects the expressions of a table, each once, and writes them
// as C++.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_EXPR_WRITER_H_
#define GGUF_CONFORMANCE_TABLES_EXPR_WRITER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/tables/expr_parser.h"
#include "conformance/tables/tsv.h"
#include "conformance/tables/vocabulary.h"

namespace gguf {

class ExprWriter {
 public:
  explicit ExprWriter(const SymbolTypes& symbols) : symbols_(symbols) {}

  // Returns the C++ initializer of an Expr; of an empty one for an empty cell.
  std::string Add(const Cell& cell, ExprType type, bool has_index);
  // Returns the initializer of a Dims, for a cell such as [n_embd, any,
  // n_expert].
  std::string AddDims(const Cell& cell, bool has_index);

  // Returns the arrays that these initializers refer to.
  std::string Definitions() const;

 private:
  std::string AddText(const Cell& cell, size_t offset, absl::string_view text,
                      ExprType type, bool has_index);

  const SymbolTypes& symbols_;
  std::map<std::string, std::string> exprs_;  // Source -> initializer.
  std::map<std::string, std::string> lists_;  // Dims -> initializer.
  std::string code_;
  size_t ops_ = 0;
  std::string dims_;
  size_t dims_written_ = 0;
};

std::string CppString(absl::string_view text);

// Returns a cell of symbols.tsv whose symbol depends on itself, or null.
const Cell* FindCycle(const Tsv& symbols, const Vocabulary& words);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_EXPR_WRITER_H_
