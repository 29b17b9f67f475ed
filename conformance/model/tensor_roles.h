// TensorRoles: what the tables say of each tensor of a model, and which tensors
// they miss.
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
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "conformance/model/block_name.h"
#include "conformance/model/hparams.h"
#include "conformance/tables/renamed_tensors.h"
#include "conformance/tables/stacks.h"
#include "conformance/tables/tensors.h"
#include "conformance/model/tensor_table.h"
#include "parser/core/file.h"

namespace gguf {

// What llama.cpp's loader does with a tensor.
enum class Role : uint8_t {
  kAskedFor,   // A row asks for it.
  kNotAsked,   // There are rows for the name, but none asks now.
  kUndecided,  // A hyper-parameter that decides it is not known.
  kRenamed,    // It is read under another name.
  kBeyond,     // Its block is not below the number of blocks.
  kUnknown,    // No row has the name.
};

struct TensorRole {
  Role role = Role::kUnknown;
  int64_t block = 0;                          // 0 also for those of no block.
  const TensorRow* row = nullptr;             // Of kAskedFor.
  const RenamedTensorRow* renamed = nullptr;  // Of kRenamed.
};

struct MissingTensor {
  const TensorRow* row;
  int64_t block;
};

// Blocks first to last of a stack, for which the model has no tensor.
struct MissingBlocks {
  const StackRow* stack;
  int64_t first;
  int64_t last;
};

class TensorRoles {
 public:
  // The whole table was read, and the architecture has rows.  `index` is that
  // of the table; it and `hparams` outlive this.
  TensorRoles(const TensorTable& tensors, const TensorIndex& index,
              const Hparams& hparams);

  // By position in the table.
  const std::vector<TensorRole>& roles() const { return roles_; }

  // Required tensors of blocks that have others, and of no block; not those
  // that are there under an older name.
  const std::vector<MissingTensor>& missing() const { return missing_; }
  const std::vector<MissingBlocks>& missing_blocks() const {
    return missing_blocks_;
  }

  // Whether a hyper-parameter that decides what is missing is not known.
  bool undecided() const { return undecided_; }

  // The number of blocks of a stack, as the hyper-parameters have it.
  std::optional<int64_t> CountOf(absl::string_view prefix) const;
  // Those below the number that have a tensor: the first kMostBlocks, sorted.
  const std::vector<int64_t>& BlocksOf(absl::string_view prefix) const;

  // The row that asks for this tensor of the block, or null.
  const TensorRow* RowFor(absl::string_view pattern, int64_t block) const;
  // Whether the loader refuses a file without the row's tensor; nothing when a
  // hyper-parameter that decides it is not known.
  std::optional<bool> Requires(const TensorRow& row, int64_t block) const;
  // Whether the model has the tensor.
  bool Has(absl::string_view pattern, int64_t block) const;

 private:
  struct Stack {
    const StackRow* row;
    std::optional<int64_t> count;
    std::vector<int64_t> blocks;
    std::vector<const TensorRow*> required;  // May be.
  };

  const Stack* FindStack(absl::string_view prefix) const;
  Stack* FindStack(absl::string_view prefix) {
    return const_cast<Stack*>(std::as_const(*this).FindStack(prefix));
  }
  void Judge(const BlockName& name, TensorRole* role);
  void FindSuccessor(const BlockName& name, TensorRole* role);
  void FindMissing(const std::vector<const TensorRow*>& rows, int64_t block);
  void FindMissing(Stack* stack);

  const Hparams& hparams_;
  const TensorIndex& tensors_;
  absl::flat_hash_map<absl::string_view, std::vector<const TensorRow*>> rows_;
  std::vector<Stack> stacks_;
  std::vector<const TensorRow*> required_;  // May be; of no block.
  std::vector<TensorRole> roles_;
  absl::flat_hash_set<std::string> under_old_name_;
  std::vector<MissingTensor> missing_;
  std::vector<MissingBlocks> missing_blocks_;
  bool undecided_ = false;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_ROLES_H_
