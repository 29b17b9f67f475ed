// The symbols of the expression language: rows of symbols.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_SYMBOLS_H_
#define GGUF_CONFORMANCE_TABLES_SYMBOLS_H_

#include "conformance/tables/expr.h"
#include "conformance/tables/ids.h"  // enum class Symbol, kSymbols
#include "conformance/tables/table.h"

namespace gguf {

// What of a key's value a symbol stands for.
enum class KeyPart : uint8_t {
  kValue,
  kLength,  // The number of elements of an array.
  kSign,    // -1, 0 or 1: the sign of a number, which may be a float.
  kFloor,   // The whole part of a float that is not negative and below 2^53.
};

struct SymbolRow {
  Symbol symbol;
  bool general;  // For all architectures, unless a specific row exists.
  const char* name;
  ExprType type;
  bool per_block;
  KeyPart part;
  const char* key;  // With {arch} for the architecture; empty if none.
  Expr otherwise;
};

extern const Table<SymbolRow> kSymbolRows;

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_SYMBOLS_H_
