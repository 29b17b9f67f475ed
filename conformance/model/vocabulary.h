// Vocabulary: a file's tokens and how to find one by its text, computed once
// for all rules about them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_VOCABULARY_H_
#define GGUF_CONFORMANCE_MODEL_VOCABULARY_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "conformance/model/hparams.h"
#include "conformance/tables/tokenizers.h"
#include "conformance/model/token_index.h"
#include "parser/core/file.h"

namespace gguf {

// A token's type, as tokenizer.ggml.token_type has it (gguf.md); 0 is
// llama.cpp's.
enum class TokenType : int32_t {
  kUndefined = 0,
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6,
};

// The most tokens that are looked into: sixteen times as many as any known
// vocabulary has.  It bounds the memory, about 40 bytes a token.
constexpr uint64_t kMostTokens = uint64_t{1} << 22;

class Vocabulary {
 public:
  // `file` and what `hparams` refers to outlive it.
  Vocabulary(const File& file, const Hparams& hparams, const KeyIndex& keys);
  Vocabulary(const Vocabulary&) = delete;
  Vocabulary& operator=(const Vocabulary&) = delete;

  // The row of tokenizer.ggml.model; null when that is absent or not known.
  const TokenizerRow* tokenizer() const { return tokenizer_; }
  // Whether llama.cpp takes this for the algorithm.
  bool Is(TokenizerKind kind) const {
    return tokenizer_ != nullptr && tokenizer_->kind == kind;
  }
  // Whether tokenizer.ggml.model says that there are no tokens.
  bool is_none() const { return Is(TokenizerKind::kNone); }

  // tokenizer.ggml.tokens when it is an array of strings and neither is_none()
  // nor too long; otherwise null, and there are no tokens.
  const KeyValue* key() const { return key_; }
  // Why there are tokens that are not looked into; else empty.
  absl::string_view why_unread() const { return why_unread_; }

  uint64_t size() const { return tokens_.size(); }
  // By id.  They point into the file.
  const std::vector<absl::string_view>& tokens() const { return tokens_; }
  // Where the token stands in the file, with its length.
  Range where(uint64_t id) const;

  // The first token of this text.
  std::optional<uint32_t> Find(absl::string_view text) const;
  bool Contains(absl::string_view text) const { return Find(text).has_value(); }
  // The same of many texts, at most TokenIndex::kBatch: whether all of them
  // are tokens.
  bool ContainsAll(absl::Span<const absl::string_view> texts) const;
  // The tokens that repeat one before them, by id.
  const std::vector<uint32_t>& duplicates() const { return duplicates_; }

  // tokenizer.ggml.token_type when it is an array of i32; else null.
  const KeyValue* types_key() const { return types_key_; }
  uint64_t type_count() const { return type_count_; }
  // Of a token below type_count(): its type, and where that stands.
  int32_t type_number(uint64_t id) const;
  Range where_type(uint64_t id) const;
  // Whether the token has this type; never when it has none.
  bool HasType(uint64_t id, TokenType type) const {
    return id < type_count_ && type_number(id) == static_cast<int32_t>(type);
  }

 private:
  static constexpr uint64_t kTypeSize = sizeof(int32_t);
  // The types are the last bytes of their value.
  uint64_t TypeOffset(uint64_t id) const {
    return types_key_->value.end - (type_count_ - id) * kTypeSize;
  }

  void ReadTokens(const KeyValue* kv);
  void ReadTypes(const KeyValue* kv);

  const File& file_;
  const TokenizerRow* tokenizer_ = nullptr;
  const KeyValue* key_ = nullptr;
  absl::string_view why_unread_;
  std::vector<absl::string_view> tokens_;
  std::vector<uint32_t> duplicates_;
  TokenIndex index_;
  const KeyValue* types_key_ = nullptr;
  uint64_t type_count_ = 0;
};

// The row of a tokenizer model, or null.
const TokenizerRow* FindTokenizer(absl::string_view model);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_VOCABULARY_H_
