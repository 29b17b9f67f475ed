// Expr: a compiled expression over a file's hyperparameters.
//
// The tables of this folder write dimensions and conditions in a small
// language with the syntax of Python, which table_compiler.py parses and
// type-checks when the project is built:
//
//   numbers     7  n_embd  n_head  n_head[i]  n_head[i - 1]  n_embd / n_head
//               + - * / %  min(a, b)  max(a, b)  ne("token_embd.weight", 1)
//   truth       n_ff > 0  is_recr[i]  a and b  a or b  not a  true  false
//               == != < <= > >=
//   choice      n_ff_exp if n_ff_exp > 0 else n_ff / n_expert_used
//   text        rope_scaling_type == "longrope"  (or !=; a symbol of type text)
//   the file    present("blk.%d.attn_qkv.weight")  absent("output.weight")
//               type("output.weight") == "NVFP4"  (or !=)
//               set(n_head_kv)       the key of this symbol is in the file
//               is_array(n_head_kv)  and holds an array
//   all blocks  any_block(is_swa[i])  for some i, 0 <= i < n_layer_all
//
// Symbols are the rows of symbols.tsv.  One of type int[i] or bool[i] has a
// value for each block: n_head is n_head[0].  `i`, and %d in a tensor's name,
// are the number of the block; they exist in columns whose type ends in [i],
// and inside any_block.  A number is not a truth value: write n_ff > 0.
//
// A value is unknown when a symbol's key is absent and it has no default, has
// the wrong type or does not fit, when a number overflows or is divided by
// zero. Unknown propagates, except that `false and unknown` is false, `true or
// unknown` is true, and a choice depends only on the branch that it selects.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_TABLES_EXPR_H_
#define GGUF_CONFORMANCE_TABLES_EXPR_H_

#include <cstdint>

namespace gguf {

enum class ExprType : uint8_t { kInt, kBool, kText };

// An operation on a stack of values, in postfix order.  Both branches of a
// choice are evaluated; this is harmless, because no operation fails.
enum class OpCode : uint8_t {
  kNumber,    // Pushes `number`.
  kIndex,     // Pushes the number of the block.
  kScalar,    // Pushes the symbol `number`.
  kElement,   // Replaces the top, an index, by that element of symbol `number`.
  kIsSet,     // Pushes whether the key of symbol `number` is there,
  kIsArray,   // and holds an array.
  kTextIs,    // Pushes whether the symbol `number` is `text`.
  kPresent,   // Pushes whether there is a tensor `text`,
  kTypeIs,    // and is of type `number`;
  kNe,        // or its dimension `number`.
  kAnyBlock,  // Evaluates the next `number` operations for every block.
  kNot,
  kNegate,
  kIsSquare,  // Of a whole number.
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kMin,
  kMax,
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kAnd,
  kOr,
  kSelect,  // condition, if true, if false
};

struct Op {
  OpCode code;
  int64_t number;
  const char* text;
};

// The maximum number of values on the stack; the compiler enforces it.
constexpr int kMostOnStack = 16;

struct Expr {
  const Op* code;
  uint32_t size;       // 0: the cell is empty.
  const char* source;  // As in the table.

  bool empty() const { return size == 0; }
};

// The dimensions of a tensor, in ggml's order.  An empty one may be any number.
struct Dims {
  const Expr* dims;
  uint32_t rank;
  bool any_shape;  // The tensor needs only as many elements.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_TABLES_EXPR_H_
