// Vocabulary: a file's tokens and how to find one by its text, computed once for all rules.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_VOCABULARY_H_
#define GGUF_CONFORMANCE_MODEL_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/model/hparams.h"
#include "conformance/model/reason.h"
#include "conformance/tables/tokenizers.h"
#include "parser/file.h"

namespace gguf {

// TokenTexts: the texts of tokens, which lie one after the other in less than 4 GiB of one buffer,
// with a gap of always the same size between two.  Each takes 4 bytes of memory.
class TokenTexts {
 public:
  explicit TokenTexts(uint32_t gap = 0) : gap_(gap) {}

  void Reserve(uint64_t count) { begins_.reserve(count + 1); }
  // Adds the text that follows the last one.  The buffer must outlive this object.
  void Append(absl::string_view text) {
    if (begins_.empty()) {
      base_ = text.data();
      begins_.push_back(0);
    }
    begins_.push_back(static_cast<uint32_t>(text.data() - base_ + text.size() + gap_));
  }

  uint64_t size() const { return begins_.empty() ? 0 : begins_.size() - 1; }
  absl::string_view operator[](uint64_t id) const {
    return {base_ + begins_[id], begins_[id + 1] - gap_ - begins_[id]};
  }
  void Prefetch(uint64_t id) const { __builtin_prefetch(&begins_[id]); }

 private:
  const char* base_ = nullptr;
  uint32_t gap_;
  std::vector<uint32_t> begins_;  // From base_; one more than there are texts.
};

// TokenIndex: finds tokens by their text, many at a time, with at most 11 bytes of memory each.
//
//
// Most of the time of a million look-ups is spent waiting for memory.  The
// look-ups of a batch are therefore interleaved, and each step prefetches the
// memory of the next.  Single look-ups in an Abseil set take more than twice
// the time.
class TokenIndex {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  // The maximum number of texts in a batch.
  static constexpr size_t kBatch = 32;

  // Tokens that are not empty and repeat an earlier one.
  struct Duplicates {
    uint64_t count = 0;
    uint32_t first = 0;
  };

  // Indexes fewer than 2^31 tokens, which must outlive this object.
  Duplicates Build(const TokenTexts& tokens);

  // Writes the id of the first token of each text, or kNone, to `ids`.  Accepts
  // at most kBatch texts.
  void Find(absl::Span<const absl::string_view> texts, uint32_t* ids) const;

 private:
  size_t HomeOf(uint64_t hash) const { return hash & (slots_.size() - 1); }
  uint32_t TagOf(uint64_t hash) const { return static_cast<uint32_t>(hash >> 32) & ~id_mask_; }
  // Returns the slot of a text: from its home slot on, the first that is empty
  // or has the same text.
  size_t SlotOf(absl::string_view text, uint64_t hash) const;
  uint32_t IdIn(size_t slot) const {
    return slots_[slot] == kNone ? kNone : slots_[slot] & id_mask_;
  }

  const TokenTexts* tokens_ = nullptr;
  // The low bits of a slot that are an id, none of which has all of them set.  The others are from
  // its token's hash, and avoid most comparisons.
  uint32_t id_mask_ = 0;
  std::vector<uint32_t> slots_;  // kNone if empty.  A power of two, at most three quarters full.
};

// Vocabulary: a file's tokens and how to find one by its text, computed once
// for all rules about them.

// A token's type, as in tokenizer.ggml.token_type (gguf.md); 0 is defined by
// llama.cpp.
enum class TokenType : int32_t {
  kUndefined = 0,
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

class Vocabulary {
 public:
  // `file` and what `hparams` refers to must outlive this object.
  // Indexes at most `most_tokens`, with about 15 bytes of memory each.
  Vocabulary(const File& file, const Hparams& hparams, const KeyIndex& keys, uint64_t most_tokens);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  // The row of tokenizer.ggml.model; null if it is absent or unknown.
  const TokenizerRow* tokenizer() const { return tokenizer_; }
  // Returns whether llama.cpp uses this algorithm.
  bool Is(TokenizerKind kind) const { return tokenizer_ != nullptr && tokenizer_->kind == kind; }
  // Returns whether tokenizer.ggml.model declares that there are no tokens.
  bool is_none() const { return Is(TokenizerKind::kNone); }

  // tokenizer.ggml.tokens, if it is an array of strings, within the limit, and
  // not is_none().  Otherwise null, and there are no tokens.
  const KeyValue* key() const { return key_; }
  // The limit that the tokens exceed; empty if there is none.
  const Reason& why_unread() const { return why_unread_; }

  uint64_t size() const { return tokens_.size(); }
  // The tokens by id.  They point into the file.
  const TokenTexts& tokens() const { return tokens_; }
  // Returns the bytes of the token in the file, including its length.
  Range where(uint64_t id) const;
  Location at(uint64_t id) const { return {where(id), key_->subject().Of("value").At(id)}; }

  // Returns the first token with this text.
  std::optional<uint32_t> Find(absl::string_view text) const;
  bool Contains(absl::string_view text) const { return Find(text).has_value(); }
  // Returns whether all texts, at most TokenIndex::kBatch, are tokens.
  bool ContainsAll(absl::Span<const absl::string_view> texts) const;
  const TokenIndex::Duplicates& duplicates() const { return duplicates_; }

  // tokenizer.ggml.token_type, if it is an array of i32; otherwise null.
  const KeyValue* types_key() const { return types_key_; }
  uint64_t type_count() const { return type_count_; }
  // Returns the type, and its bytes, of a token below type_count().
  int32_t type_number(uint64_t id) const;
  Location at_type(uint64_t id) const;
  // Returns whether the token has this type; false if it has none.
  bool HasType(uint64_t id, TokenType type) const {
    return id < type_count_ && type_number(id) == static_cast<int32_t>(type);
  }

 private:
  static constexpr uint64_t kTypeSize = sizeof(int32_t);
  // The types are the last bytes of their value.
  uint64_t TypeOffset(uint64_t id) const {
    return types_key_->value.end - (type_count_ - id) * kTypeSize;
  }

  void ReadTokens(const KeyValue* kv, uint64_t most_tokens);
  void ReadTypes(const KeyValue* kv);

  const File& file_;
  const TokenizerRow* tokenizer_ = nullptr;
  const KeyValue* key_ = nullptr;
  Reason why_unread_;
  TokenTexts tokens_;
  TokenIndex::Duplicates duplicates_;
  TokenIndex index_;
  const KeyValue* types_key_ = nullptr;
  uint64_t type_count_ = 0;
};

// Returns the row of a tokenizer model, or null.
const TokenizerRow* FindTokenizer(absl::string_view model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_VOCABULARY_H_
