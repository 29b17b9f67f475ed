// TokenIndex: finds tokens by their text, many at a time.
//
// A million look-ups wait for memory most of the time; so those of a batch are
// made side by side, each step asking for the memory of the next.  A set of
// Abseil's, asked one by one, takes more than twice the time.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_TOKEN_INDEX_H_
#define GGUF_CONFORMANCE_MODEL_TOKEN_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gguf {

class TokenIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // The most texts of a batch.
  static constexpr size_t kBatch = 32;

  // Indexes fewer than 2^31 tokens, which outlive it.  Adds to `duplicates`,
  // in order, the ids of those that repeat one before them.
  void Build(const std::vector<absl::string_view>& tokens,
             std::vector<uint32_t>* duplicates);

  // Writes the id of the first token of each text, or kNone, to `ids`.  There
  // are at most kBatch texts.
  void Find(absl::Span<const absl::string_view> texts, uint32_t* ids) const;

 private:
  // An id, and half of its token's hash so that few others are compared.
  struct Slot {
    uint32_t tag = 0;
    uint32_t id = kNone;
  };

  size_t HomeOf(uint64_t hash) const { return hash & (slots_.size() - 1); }
  // The slot of this text: from its home on, the first that is empty or has
  // the same text.
  size_t SlotOf(absl::string_view text, uint64_t hash) const;

  const absl::string_view* tokens_ = nullptr;
  std::vector<Slot> slots_;  // A power of two, at most three quarters full.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TOKEN_INDEX_H_
