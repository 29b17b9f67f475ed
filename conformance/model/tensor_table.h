// The tensors of a model, from one file or several shards: TensorTable, the index of their names,
// those that are odd, and counts.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_
#define GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/base/name_hash.h"
#include "conformance/model/text_match.h"
#include "parser/file.h"
#include "parser/tensor_type.h"

namespace gguf {

// TensorTable: the tensors of a model, from one file or several shards; and
// NameIndex, which finds the first tensor or key of a name.

// A view, which copies nothing.  In addition to its index in its own file, a
// tensor has a position in the table, which continues from file to file.
class TensorTable {
 public:
  // Files in this order; at least one.  They must outlive this object.
  explicit TensorTable(std::vector<const File*> files) : files_(std::move(files)) {
    for (const File* file : files_) {
      begins_.push_back(size_);
      size_ += static_cast<uint32_t>(file->tensors.size());
    }
  }

  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // Takes time that grows with the logarithm of the number of files.
  const TensorInfo& operator[](uint32_t position) const {
    if (files_.size() == 1) return files_[0]->tensors[position];
    const size_t file = FileOf(position);
    return files_[file]->tensors[position - begins_[file]];
  }

  // The file that has the tensor, and the position of a file's first tensor.
  size_t FileOf(uint32_t position) const {
    return std::upper_bound(begins_.begin(), begins_.end(), position) - begins_.begin() - 1;
  }
  uint32_t BeginOf(size_t file) const { return begins_[file]; }

  size_t files() const { return files_.size(); }
  const File& file(size_t i) const { return *files_[i]; }

 private:
  std::vector<const File*> files_;
  std::vector<uint32_t> begins_;  // By file.
  uint32_t size_ = 0;
};

// An index over keys or tensors, which must outlive it: a vector, or a
// TensorTable.  Keeps positions, five to ten bytes per entry, and copies of the
// names of keys: a check that applies to files with a key finds that key again,
// even if the file's bytes change meanwhile.
//
// The name of a key ends at its first NUL, and the first of two equal names
// counts, as in ggml; key-no-nul reports such keys.
template <class Entries, class Entry, Field<absl::string_view> Entry::*name>
class NameIndex {
 public:
  explicit NameIndex(const Entries& entries)
      : entries_(entries), index_(0, Hash{this}, Equal{this}) {
    index_.reserve(entries.size());
    if constexpr (kCopiesNames) {
      copies_.reserve(entries.size());
      for (const Entry& entry : entries) {
        copies_.emplace_back(BeforeNul((entry.*name).value));
      }
    }
    for (uint32_t i = 0; i < entries.size(); ++i) {
      PollDeadline();
      const auto [first, is_new] = index_.insert(i);
      if (!is_new) repeated_.push_back({i, *first});
    }
  }
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Returns null if there is none.
  const Entry* Find(absl::string_view wanted) const {
    const auto position = FindPosition(wanted);
    return position ? &entries_[*position] : nullptr;
  }
  std::optional<uint32_t> FindPosition(absl::string_view wanted) const {
    const auto found = index_.find(wanted);
    if (found == index_.end()) return std::nullopt;
    return *found;
  }

  // The positions of an entry that has the name of an earlier one, and of the
  // first of that name.
  struct Repeated {
    uint32_t position, first;
  };
  // In the order of the entries.
  const std::vector<Repeated>& repeated() const { return repeated_; }

 private:
  static constexpr bool kCopiesNames = std::is_same_v<Entry, KeyValue>;

  absl::string_view NameOf(uint32_t i) const {
    if constexpr (kCopiesNames) return copies_[i];
    return (entries_[i].*name).value;
  }

  struct Hash {
    using is_transparent = void;
    size_t operator()(absl::string_view text) const { return NameHash()(text); }
    size_t operator()(uint32_t i) const { return (*this)(index->NameOf(i)); }
    const NameIndex* index;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(uint32_t i, uint32_t j) const { return index->NameOf(i) == index->NameOf(j); }
    bool operator()(uint32_t i, absl::string_view text) const { return index->NameOf(i) == text; }
    bool operator()(absl::string_view text, uint32_t i) const { return index->NameOf(i) == text; }
    const NameIndex* index;
  };

  const Entries& entries_;
  std::vector<std::string> copies_;  // By position; for keys only.
  absl::flat_hash_set<uint32_t, Hash, Equal> index_;
  std::vector<Repeated> repeated_;
};

using KeyIndex = NameIndex<std::vector<KeyValue>, KeyValue, &KeyValue::key>;
using TensorIndex = NameIndex<TensorTable, TensorInfo, &TensorInfo::name>;

// FindUnusualTensors: the tensors that rules about single tensors look at.

// In the order of the file.
using UnusualTensors = std::vector<std::reference_wrapper<const TensorInfo>>;

// Returns the tensors that are not like nearly all tensors of nearly all files:
//   - the name is 1 to 63 printable ASCII characters, without "..";
//   - there are 1 to 4 dimensions, none of which is zero;
//   - the type is in the written specification and was not removed;
//   - the size in bytes is known, and the offset is aligned.
//
// A rule about one of these properties need not look at other tensors, of which
// there may be a million.
UnusualTensors FindUnusualTensors(const File& file);

// Counts the parameters and types of the tensors of a model.

// Returns the number of elements of all tensors; nothing if it exceeds 64 bits.
std::optional<uint64_t> CountParameters(const TensorTable& tensors);

// The most frequent type of the matrices whose rows could have one of the
// requested types.  Quantizers do not change vectors, and give rows that are
// not whole blocks another type.
struct Majority {
  const TensorTypeInfo* type = nullptr;  // Null without such a matrix.
  uint64_t tensors = 0;                  // Of that type.
  uint64_t asked = 0;                    // Of the requested types.
  uint64_t of = 0;                       // All counted tensors.
  // Whether a requested type has the most tensors or the most elements.
  bool as_asked = false;
  // Whether the counted matrices have half of the elements of all matrices.
  bool is_of_most_elements = false;
  // Whether quantized types were requested and floats have the most matrices
  // and the most elements, or the reverse.
  bool is_other_kind = false;

  // Returns whether the weights have other types than those requested.  If most
  // rows cannot have these, only quantized types and floats are told apart:
  // the quantizer has chosen other types, or kept those of the model.
  bool contradicts() const {
    return type != nullptr && !as_asked && (is_of_most_elements || is_other_kind);
  }
};

Majority MostTensors(const TensorTable& tensors, uint64_t types);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TENSOR_TABLE_H_
