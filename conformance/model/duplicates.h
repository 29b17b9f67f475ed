// ForEachDuplicate: finds entries with the name of an earlier entry.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_DUPLICATES_H_
#define GGUF_CONFORMANCE_MODEL_DUPLICATES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "parser/core/deadline.h"
#include "parser/core/name_hash.h"

namespace gguf {

// Calls report(entry, first) for every entry whose name(entry) equals that of
// an earlier entry, where `first` is the first such entry.  Keeps indexes, not
// names: five to ten bytes per entry.
template <class Entry, class Name, class Report>
void ForEachDuplicate(const std::vector<Entry>& entries, Name name,
                      Report report) {
  const auto hash = [&](uint32_t i) { return NameHash()(name(entries[i])); };
  const auto equal = [&](uint32_t i, uint32_t j) {
    return name(entries[i]) == name(entries[j]);
  };
  absl::flat_hash_set<uint32_t, decltype(hash), decltype(equal)> seen(
      entries.size(), hash, equal);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    PollDeadline();
    const auto [first, is_new] = seen.insert(i);
    if (!is_new) report(entries[i], entries[*first]);
  }
}

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_DUPLICATES_H_
