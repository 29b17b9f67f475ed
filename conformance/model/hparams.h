// Hparams: the hyperparameters of one file, under the names of symbols.tsv, and
// the values of expressions over them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_HPARAMS_H_
#define GGUF_CONFORMANCE_MODEL_HPARAMS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/tensor_table.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/symbols.h"
#include "parser/file.h"

namespace gguf {

// The maximum number of blocks that llama.cpp accepts; no loop covers more.
constexpr int64_t kMostBlocks = 512;

class Hparams {
 public:
  // All arguments must outlive this object.  `tensors` covers the part of the
  // table that was read, and of the other shards' tables.
  Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors);
  // The same for an architecture that general.architecture does not state; no
  // loop covers more than `most_blocks`.
  Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors,
          absl::string_view architecture, int64_t most_blocks);
  // The same for the encoder of a projector: the number of its type (FindProjector), and what
  // its keys begin with, such as "clip.vision".
  Hparams(const File& file, const KeyIndex& keys, const TensorIndex& tensors, uint16_t projector,
          absl::string_view prefix);

  int64_t most_blocks() const { return most_blocks_; }

  // The value of general.architecture; null when absent, not a string, or not
  // what states the architecture.
  const KeyValue* architecture_key() const { return architecture_key_; }
  absl::string_view architecture_name() const { return architecture_name_; }
  // Its number for Table::Of and IsIn; kArchitectures if it is in no table.
  uint16_t architecture() const { return architecture_; }

  // Returns the same with another value of a symbol, in every block.
  Hparams Assuming(Symbol symbol, int64_t value) const {
    Hparams other = *this;
    other.known_ = {};
    other.assumed_ = {symbol, value};
    return other;
  }

  // Returns the value of a symbol, for block `i` if it has one per block;
  // nothing if it is unknown (tables/expr.h).  Truth is 0 or 1.
  std::optional<int64_t> Get(Symbol symbol, int64_t i = 0) const;
  // Returns the entry of the symbol's key; null if absent.
  const KeyValue* Key(Symbol symbol) const;
  // Returns the row that defines the symbol for the architecture.
  const SymbolRow& Row(Symbol symbol) const { return *rows_[static_cast<int>(symbol)]; }
  // Returns the value of a symbol of type text.
  std::optional<absl::string_view> Text(Symbol symbol) const;

  // Returns whether other shards may exist: split.count is above 1, or not a
  // number.
  bool may_be_shard() const { return Get(Symbol::kSplitCount).value_or(2) > 1; }

  // Returns the value of an expression that is not empty.
  std::optional<int64_t> Evaluate(const Expr& expr, int64_t i = 0) const;
  // Returns whether the condition is known to be true; an empty one is.
  bool Holds(const Expr& condition, int64_t i = 0) const {
    return condition.empty() || Evaluate(condition, i) == 1;
  }

  // Expands a pattern of the tables: a leading "{arch}" becomes the
  // architecture's name, and each %d becomes `i`.
  std::string Expand(absl::string_view pattern, int64_t i = 0) const;

 private:
  void SetArchitecture(absl::string_view name, uint16_t architecture);
  std::optional<int64_t> Compute(Symbol symbol, int64_t i) const;
  std::optional<int64_t> Run(const Op* code, uint32_t size, int64_t i) const;
  std::optional<int64_t> Push(const Op& op, int64_t i) const;
  std::optional<int64_t> AnyBlock(const Op* code, uint32_t size) const;

  const File& file_;
  const KeyIndex& keys_;
  const TensorIndex& tensors_;
  const int64_t most_blocks_ = kMostBlocks;
  const KeyValue* architecture_key_ = nullptr;
  absl::string_view architecture_name_;
  absl::string_view prefix_;  // The same, unless too long for a key.
  uint16_t architecture_ = 0;
  std::array<const SymbolRow*, kSymbols> rows_{};

  // The keys of symbols, looked up when first asked for: most never are.
  struct FoundKey {
    bool looked_up = false;
    const KeyValue* kv = nullptr;
  };
  mutable std::array<FoundKey, kSymbols> keys_of_;
  // Values for block 0, which include those of symbols without blocks.
  struct Known {
    bool computed = false;
    std::optional<int64_t> value;
  };
  mutable std::array<Known, kSymbols> known_;
  std::optional<std::pair<Symbol, int64_t>> assumed_;
};

// Returns the number that a key holds: an integer or bool, or element `i` of an
// array of them.  Nothing for other types, too few elements, and more than 2^63
// - 1.
std::optional<int64_t> IntegerOf(const File& file, const KeyValue& kv, uint64_t i = 0);

// Returns the number that a key of a float type holds.
std::optional<double> FloatOf(const File& file, const KeyValue& kv);

// Returns the number of elements of an array; nothing for other values.
std::optional<uint64_t> LengthOf(const KeyValue& kv);

// Names what the value of an expression depends on, in the file's terms.

// Returns the keys and tensors in an expression, as in "split.count and the
// tensor blk.N.ffn_up.weight".  A symbol without a key stands for the names in
// its own expression.
std::string NamesIn(const Hparams& hparams, const Expr& expr);

// Returns the keys that give the expressions their values for block `i`, with the values, as in
// "llama.embedding_length (64) and llama.attention.head_count (8)".  If the file has none of
// these keys, returns them as absent.
std::string KeysBehind(const Hparams& hparams, std::vector<const Expr*> exprs, int64_t i);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_HPARAMS_H_
