// NameIndex: finds the first entry of a name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_NAME_INDEX_H_
#define GGUF_CONFORMANCE_RULES_NAME_INDEX_H_

#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"
#include "parser/bytes.h"

namespace gguf {

// Over keys or tensors, which outlive it: a vector, or a TensorTable.  Keeps
// positions, not names: five to ten bytes an entry.
template <class Entries, class Entry, Field<absl::string_view> Entry::*name>
class NameIndex {
 public:
  explicit NameIndex(const Entries& entries)
      : entries_(entries),
        index_(entries.size(), Hash{&entries_}, Equal{&entries_}) {
    for (uint32_t i = 0; i < entries.size(); ++i) index_.insert(i);
  }
  NameIndex(const NameIndex&) = delete;
  NameIndex& operator=(const NameIndex&) = delete;

  // Null when there is none.
  const Entry* Find(absl::string_view wanted) const {
    const auto position = FindPosition(wanted);
    return position ? &entries_[*position] : nullptr;
  }
  std::optional<uint32_t> FindPosition(absl::string_view wanted) const {
    const auto found = index_.find(wanted);
    if (found == index_.end()) return std::nullopt;
    return *found;
  }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(absl::string_view text) const {
      return absl::Hash<absl::string_view>()(text);
    }
    size_t operator()(uint32_t i) const {
      return (*this)(((*entries)[i].*name).value);
    }
    const Entries* entries;
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(uint32_t i, uint32_t j) const {
      return (*this)(i, ((*entries)[j].*name).value);
    }
    bool operator()(uint32_t i, absl::string_view text) const {
      return ((*entries)[i].*name).value == text;
    }
    bool operator()(absl::string_view text, uint32_t i) const {
      return (*this)(i, text);
    }
    const Entries* entries;
  };

  const Entries& entries_;
  absl::flat_hash_set<uint32_t, Hash, Equal> index_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_NAME_INDEX_H_
