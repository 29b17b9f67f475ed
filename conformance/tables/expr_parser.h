// ParseExpr: parses the expression language of the tables; see expr.h.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_EXPR_PARSER_H_
#define GGUF_CONFORMANCE_TABLES_EXPR_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/tables/expr.h"

namespace gguf {

// The facts about a symbol that the parser needs.
struct SymbolType {
  int id;
  ExprType type;
  bool per_block;
};

// By name; its order is that of the ids.
using SymbolTypes = std::map<std::string, SymbolType>;

struct ParsedOp {
  OpCode code;
  int64_t number = 0;
  std::string text;
};

struct ParsedExpr {
  std::vector<ParsedOp> code;
  std::string error;  // Empty on success.
  size_t column = 0;  // Of the error, from 0.
};

// Parses all of `source`, which must have the type `wanted`.  With `has_index`,
// it may refer to a block.
ParsedExpr ParseExpr(absl::string_view source, ExprType wanted, bool has_index,
                     const SymbolTypes& symbols);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_EXPR_PARSER_H_
