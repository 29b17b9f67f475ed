// Parses numbers in tensor names, and matches a file's tensors with the rows of the tables.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/tensor_roles.h"

#include <algorithm>
#include <mutex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "conformance/base/limits.h"
#include "conformance/tables/architectures.h"

namespace gguf {

bool IsBlockNumber(absl::string_view segment) {
  if (segment.empty() || segment.size() > 18) return false;
  if (segment.size() > 1 && segment[0] == '0') return false;
  return std::all_of(segment.begin(), segment.end(), absl::ascii_isdigit);
}

BlockName ParseBlockName(absl::string_view name) {
  BlockName parsed;
  parsed.whole = name;
  parsed.pattern.reserve(name.size() + 1);
  for (size_t begin = 0;;) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const absl::string_view segment = name.substr(begin, end - begin);
    if (!IsBlockNumber(segment)) {
      parsed.pattern.append(segment.data(), segment.size());
    } else {
      parsed.pattern += "%d";
      if (parsed.block < 0) {
        parsed.prefix = name.substr(0, begin);
        (void)absl::SimpleAtoi(segment, &parsed.block);
      }
    }
    if (end == name.size()) return parsed;
    parsed.pattern += '.';
    begin = end + 1;
  }
}

// Matches a file's tensors with the rows of the tables.

TensorRoles::Rows TensorRoles::MakeRows(uint16_t architecture) {
  Rows rows;
  std::vector<absl::string_view> prefixes;
  for (const StackRow& row : kStacks.Of(architecture)) {
    prefixes.push_back(row.prefix);
  }
  rows.required_of_stack.resize(prefixes.size());
  for (const TensorRow& row : kTensors.Of(architecture)) {
    const absl::string_view name = row.name;
    rows.by_name[name].push_back(&row);
    if (row.required.empty()) continue;
    const size_t stack =
        std::find(prefixes.begin(), prefixes.end(), name.substr(0, name.find('%'))) -
        prefixes.begin();
    (stack == prefixes.size() ? rows.required : rows.required_of_stack[stack]).push_back(&row);
  }
  return rows;
}

const TensorRoles::Rows& TensorRoles::RowsOf(uint16_t architecture) {
  struct Lazy {
    std::once_flag once;
    Rows rows;
  };
  static Lazy* const all = new Lazy[kArchitectures + 1 + kProjectors];
  Lazy& lazy = all[architecture];
  std::call_once(lazy.once, [&] { lazy.rows = MakeRows(architecture); });
  return lazy.rows;
}

TensorRoles::TensorRoles(const TensorTable& tensors, const TensorIndex& index,
                         const Hparams& hparams)
    : hparams_(hparams),
      tensors_(index),
      rows_(RowsOf(hparams.architecture())),
      roles_(tensors.size()) {
  for (const StackRow& row : kStacks.Of(hparams.architecture())) {
    const int64_t loops = row.loops.empty() ? 1 : hparams.Evaluate(row.loops).value_or(1);
    stacks_.push_back(
        {&row, hparams.Evaluate(row.count), loops, {}, &rows_.required_of_stack[stacks_.size()]});
  }
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    PollDeadline();
    const absl::string_view name = tensors[i].name.value;
    const uint32_t first = index.FindPosition(name).value_or(0);
    if (first < i) {
      roles_[i] = roles_[first];
    } else {
      Judge(ParseBlockName(name), &roles_[i]);
    }
  }
  FindMissing(rows_.required, 0);
  for (Stack& stack : stacks_) FindMissing(&stack);
}

const TensorRoles::Stack* TensorRoles::FindStack(absl::string_view prefix) const {
  for (const Stack& stack : stacks_) {
    if (prefix == stack.row->prefix) return &stack;
  }
  return nullptr;
}

const std::vector<int64_t>& TensorRoles::BlocksOf(absl::string_view prefix) const {
  static const auto& none = *new std::vector<int64_t>();
  const Stack* stack = FindStack(prefix);
  return stack == nullptr ? none : stack->blocks;
}

std::optional<int64_t> TensorRoles::CountOf(absl::string_view prefix) const {
  const Stack* stack = FindStack(prefix);
  if (stack == nullptr) return std::nullopt;
  return stack->count;
}

const TensorRow* TensorRoles::RowFor(absl::string_view pattern, int64_t block) const {
  const auto rows = rows_.by_name.find(pattern);
  if (rows == rows_.by_name.end()) return nullptr;
  for (const TensorRow* row : rows->second) {
    if (hparams_.Holds(row->when, block)) return row;
  }
  return nullptr;
}

bool TensorRoles::Has(absl::string_view pattern, int64_t block) const {
  return tensors_.Find(hparams_.Expand(pattern, block)) != nullptr;
}

std::optional<bool> TensorRoles::Requires(const TensorRow& row, int64_t block) const {
  bool unknown = false;
  for (const Expr* condition : {&row.required, &row.when}) {
    if (condition->empty()) {
      if (condition == &row.required) return false;
      continue;
    }
    const auto value = hparams_.Evaluate(*condition, block);
    if (value == 0) return false;
    unknown |= !value;
  }
  if (unknown) return std::nullopt;
  return true;
}

bool TensorRoles::IsScaleOfLaterRound(const Stack& stack, const BlockName& name) {
  return *stack.count > 0 && name.block / *stack.count < stack.loops &&
         absl::EndsWith(name.pattern, "scale");
}

void TensorRoles::Judge(const BlockName& name, TensorRole* role) {
  role->block = std::max<int64_t>(name.block, 0);
  Stack* stack = FindStack(name.prefix);
  if (stack != nullptr) {
    if (!stack->count || name.block < *stack->count) {
      stack->blocks.push_back(name.block);
    } else if (IsScaleOfLaterRound(*stack, name)) {
      role->block = name.block % *stack->count;
    } else {
      role->role = Role::kBeyond;
      return;
    }
  }
  auto rows = rows_.by_name.find(name.pattern);
  if (rows == rows_.by_name.end()) rows = rows_.by_name.find(name.whole);
  if (rows == rows_.by_name.end()) return FindSuccessor(name, role);
  role->role = Role::kNotAsked;
  for (const TensorRow* row : rows->second) {
    const auto asks =
        row->when.empty() ? std::optional<int64_t>(1) : hparams_.Evaluate(row->when, role->block);
    if (asks == 1) {
      role->role = Role::kAskedFor;
      role->row = row;
      return;
    }
    if (!asks) role->role = Role::kUndecided;
  }
}

void TensorRoles::FindSuccessor(const BlockName& name, TensorRole* role) {
  for (const RenamedTensorRow& row : kRenamedTensors.Of(hparams_.architecture())) {
    if (name.pattern != row.name) continue;
    const int64_t block = role->block;
    if (RowFor(row.successor, block) == nullptr || Has(row.successor, block)) {
      continue;
    }
    role->role = Role::kRenamed;
    role->renamed = &row;
    under_old_name_.insert(hparams_.Expand(row.successor, block));
    return;
  }
}

void TensorRoles::FindMissing(const RowList& rows, int64_t block) {
  for (const TensorRow* row : rows) {
    const std::optional<bool> required = Requires(*row, block);
    undecided_ |= !required;
    if (!required.value_or(false)) continue;
    const std::string name = hparams_.Expand(row->name, block);
    if (tensors_.Find(name) != nullptr) continue;
    if (under_old_name_.count(name) > 0) continue;
    missing_.push_back({row, block});
  }
}

// A block is missing if the loader requires one of its tensors; where nothing
// loads the architecture, if it has no tensor at all.
//
// A hostile count of blocks, or a hostile number of blocks in the file, costs
// no more than kMostBlocks blocks.
void TensorRoles::FindMissing(Stack* stack) {
  std::vector<int64_t>& blocks = stack->blocks;
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  if (blocks.size() > static_cast<size_t>(kMostBlocks)) {
    blocks.resize(kMostBlocks);
  }
  const int64_t gaps_until = blocks.empty() ? 0 : blocks.back();
  const int64_t end = std::min(stack->count.value_or(gaps_until), kMostBlocks);
  size_t next = 0;
  for (int64_t block = 0; block < end; ++block) {
    if (next < blocks.size() && blocks[next] == block) {
      ++next;
      continue;
    }
    const bool required =
        !IsIn(hparams_.architecture(), Group::kLoader) ||
        std::any_of(stack->required->begin(), stack->required->end(),
                    [&](const TensorRow* row) { return Requires(*row, block).value_or(false); });
    if (!required) continue;
    if (!missing_blocks_.empty() && missing_blocks_.back().stack == stack->row &&
        missing_blocks_.back().last == block - 1) {
      missing_blocks_.back().last = block;
    } else {
      missing_blocks_.push_back({stack->row, block, block});
    }
  }
  for (const int64_t block : blocks) FindMissing(*stack->required, block);
}

}  // namespace gguf
