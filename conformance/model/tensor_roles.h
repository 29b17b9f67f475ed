// TensorRoles: the role of each tensor of a model according to the tables; and BlockName, a name
// split into its number and the rest.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_ROLES_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_ROLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "conformance/base/name_hash.h"
#include "conformance/model/hparams.h"
#include "conformance/model/tensor_table.h"
#include "conformance/tables/renamed_tensors.h"
#include "conformance/tables/stacks.h"
#include "conformance/tables/tensors.h"
#include "parser/file.h"

namespace gguf {

// BlockName: a tensor's name, split into its number and the rest.

// "blk.7.attn_q.weight" is block 7 of "blk.%d.attn_q.weight".
struct BlockName {
  absl::string_view whole;   // Rows of tables/projectors have it, such as mm.2.weight.
  std::string pattern;       // As in the tables, with %d for each number.
  absl::string_view prefix;  // The name up to the first number: "blk.".
  int64_t block = -1;        // The first number; -1 if none.
};

// Returns whether the text is a decimal number without leading zeros and of at
// most 18 digits.
bool IsBlockNumber(absl::string_view segment);

// Parses a name.  A number is a whole segment of it.
BlockName ParseBlockName(absl::string_view name);

// TensorRoles: the role of each tensor of a model according to the tables, and
// the missing tensors.

// How llama.cpp's loader handles a tensor.
enum class Role : uint8_t {
  kAskedFor,   // A row requests it.
  kNotAsked,   // Rows have the name, but none applies.
  kUndecided,  // A hyperparameter that decides it is unknown.
  kRenamed,    // It is read under another name.
  kBeyond,     // Its block number is too large.
  kUnknown,    // No row has the name.
};

struct TensorRole {
  Role role = Role::kUnknown;
  int64_t block = 0;                          // 0 also for tensors outside blocks.
  const TensorRow* row = nullptr;             // Of kAskedFor.
  const RenamedTensorRow* renamed = nullptr;  // Of kRenamed.
};

struct MissingTensor {
  const TensorRow* row;
  int64_t block;
};

// The blocks `first` to `last` of a stack, for which the model has no tensor.
struct MissingBlocks {
  const StackRow* stack;
  int64_t first;
  int64_t last;
};

class TensorRoles {
 public:
  // The whole table must have been read, and the architecture must have rows.
  // `index` is that of the table; it and `hparams` must outlive this object.
  TensorRoles(const TensorTable& tensors, const TensorIndex& index, const Hparams& hparams);

  // By position in the table.
  const std::vector<TensorRole>& roles() const { return roles_; }

  // Required tensors outside blocks, and of blocks that have other tensors;
  // without those that exist under an older name.
  const std::vector<MissingTensor>& missing() const { return missing_; }
  const std::vector<MissingBlocks>& missing_blocks() const { return missing_blocks_; }

  // Whether a hyperparameter that decides what is missing is unknown.
  bool undecided() const { return undecided_; }

  // Returns the number of blocks of a stack, from the hyperparameters.
  std::optional<int64_t> CountOf(absl::string_view prefix) const;
  // The valid blocks that have a tensor: the first kMostBlocks, sorted.
  const std::vector<int64_t>& BlocksOf(absl::string_view prefix) const;

  // Returns the row that requests this tensor of the block, or null.
  const TensorRow* RowFor(absl::string_view pattern, int64_t block) const;
  // Returns whether the loader rejects a file without the row's tensor; nothing
  // if a hyperparameter that decides it is unknown.
  std::optional<bool> Requires(const TensorRow& row, int64_t block) const;
  // Returns whether the model has the tensor.
  bool Has(absl::string_view pattern, int64_t block) const;

 private:
  using RowList = std::vector<const TensorRow*>;
  // The rows of an architecture.
  struct Rows {
    absl::flat_hash_map<absl::string_view, RowList> by_name;
    RowList required;  // Possibly; outside blocks.
    // The same for each stack, in the order of kStacks.
    std::vector<RowList> required_of_stack;
  };
  struct Stack {
    const StackRow* row;
    std::optional<int64_t> count;
    int64_t loops;
    std::vector<int64_t> blocks;
    const RowList* required;
  };

  static Rows MakeRows(uint16_t architecture);
  // Makes the rows once.
  static const Rows& RowsOf(uint16_t architecture);
  const Stack* FindStack(absl::string_view prefix) const;
  Stack* FindStack(absl::string_view prefix) {
    return const_cast<Stack*>(std::as_const(*this).FindStack(prefix));
  }
  // Returns whether the block repeats one of the model's, and the tensor is one
  // of the scales that llama.cpp looks for in it.
  static bool IsScaleOfLaterRound(const Stack& stack, const BlockName& name);
  void Judge(const BlockName& name, TensorRole* role);
  void FindSuccessor(const BlockName& name, TensorRole* role);
  void FindMissing(const RowList& rows, int64_t block);
  void FindMissing(Stack* stack);

  const Hparams& hparams_;
  const TensorIndex& tensors_;
  const Rows& rows_;
  std::vector<Stack> stacks_;
  std::vector<TensorRole> roles_;
  NameSet<std::string> under_old_name_;
  std::vector<MissingTensor> missing_;
  std::vector<MissingBlocks> missing_blocks_;
  bool undecided_ = false;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_ROLES_H_
