// A hash table of token ids with open addressing.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/token_index.h"

#include <algorithm>

#include "parser/core/assert.h"
#include "parser/core/deadline.h"
#include "parser/core/name_hash.h"

namespace gguf {
namespace {

uint64_t HashOf(absl::string_view text) { return NameHash()(text); }

uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

}  // namespace

size_t TokenIndex::SlotOf(absl::string_view text, uint64_t hash) const {
  const uint32_t tag = TagOf(hash);
  size_t at = HomeOf(hash);
  for (; slots_[at].id != kNone; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == tag && tokens_[slots_[at].id] == text) break;
  }
  return at;
}

void TokenIndex::Build(const std::vector<absl::string_view>& tokens,
                       std::vector<uint32_t>* duplicates) {
  size_t size = 4;
  while (size / 4 * 3 < tokens.size()) size *= 2;
  slots_.assign(size, Slot());
  tokens_ = tokens.data();
  uint64_t hashes[kBatch] = {};
  for (size_t begin = 0; begin < tokens.size(); begin += kBatch) {
    const size_t count = std::min(kBatch, tokens.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = HashOf(tokens[begin + i]);
      __builtin_prefetch(&slots_[HomeOf(hashes[i])]);
    }
    for (size_t i = 0; i < count; ++i) {
      PollDeadline();
      const auto id = static_cast<uint32_t>(begin + i);
      Slot& slot = slots_[SlotOf(tokens[id], hashes[i])];
      if (slot.id == kNone) {
        slot = {TagOf(hashes[i]), id};
      } else {
        duplicates->push_back(id);
      }
    }
  }
}

void TokenIndex::Find(absl::Span<const absl::string_view> texts, uint32_t* ids) const {
  Assert(texts.size() <= kBatch, "too many texts at once");
  if (slots_.empty()) {
    std::fill_n(ids, texts.size(), kNone);
    return;
  }
  uint64_t hashes[kBatch] = {};
  for (size_t i = 0; i < texts.size(); ++i) {
    hashes[i] = HashOf(texts[i]);
    __builtin_prefetch(&slots_[HomeOf(hashes[i])]);
  }
  // The first slot is the right one most of the time.
  const auto likely = [&](size_t i) { return slots_[HomeOf(hashes[i])].id; };
  for (size_t i = 0; i < texts.size(); ++i) {
    if (likely(i) != kNone) __builtin_prefetch(&tokens_[likely(i)]);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    if (likely(i) != kNone) __builtin_prefetch(tokens_[likely(i)].data());
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    ids[i] = slots_[SlotOf(texts[i], hashes[i])].id;
  }
}

}  // namespace gguf
