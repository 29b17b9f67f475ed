// TokenIndex: finds tokens by their text, many at a time.
//
// Most of the time of a million look-ups is spent waiting for memory.  The
// look-ups of a batch are therefore interleaved, and each step prefetches the
// memory of the next.  Single look-ups in an Abseil set take more than twice
// the time.
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
  // The maximum number of texts in a batch.
  static constexpr size_t kBatch = 32;

  // Indexes fewer than 2^31 tokens, which must outlive this object.  Appends to
  // `duplicates`, in order, the ids of tokens that repeat an earlier one.
  void Build(const std::vector<absl::string_view>& tokens, std::vector<uint32_t>* duplicates);

  // Writes the id of the first token of each text, or kNone, to `ids`.  Accepts
  // at most kBatch texts.
  void Find(absl::Span<const absl::string_view> texts, uint32_t* ids) const;

 private:
  // An id and half of its token's hash, which avoids most comparisons.
  struct Slot {
    uint32_t tag = 0;
    uint32_t id = kNone;
  };

  size_t HomeOf(uint64_t hash) const { return hash & (slots_.size() - 1); }
  // Returns the slot of a text: from its home slot on, the first that is empty
  // or has the same text.
  size_t SlotOf(absl::string_view text, uint64_t hash) const;

  const absl::string_view* tokens_ = nullptr;
  std::vector<Slot> slots_;  // A power of two, at most three quarters full.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_TOKEN_INDEX_H_
