// A hash table of token ids with open addressing; reads and indexes the tokens of a file.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/vocabulary.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/base/limits.h"
#include "conformance/base/name_hash.h"
#include "parser/value.h"

namespace gguf {
namespace {

uint64_t HashOf(absl::string_view text) { return NameHash()(text); }

}  // namespace

size_t TokenIndex::SlotOf(absl::string_view text, uint64_t hash) const {
  const uint32_t tag = TagOf(hash);
  size_t at = HomeOf(hash);
  for (; slots_[at] != kNone; at = (at + 1) & (slots_.size() - 1)) {
    if ((slots_[at] & ~id_mask_) == tag && (*tokens_)[slots_[at] & id_mask_] == text) break;
  }
  return at;
}

TokenIndex::Duplicates TokenIndex::Build(const TokenTexts& tokens) {
  Duplicates duplicates;
  size_t size = 4;
  while (size / 4 * 3 < tokens.size()) size *= 2;
  slots_.assign(size, kNone);
  while (id_mask_ < tokens.size()) id_mask_ = 2 * id_mask_ + 1;
  tokens_ = &tokens;
  uint64_t hashes[kBatch] = {};
  for (size_t begin = 0; begin < tokens.size(); begin += kBatch) {
    const size_t count = std::min<size_t>(kBatch, tokens.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      hashes[i] = HashOf(tokens[begin + i]);
      __builtin_prefetch(&slots_[HomeOf(hashes[i])]);
    }
    for (size_t i = 0; i < count; ++i) {
      PollDeadline();
      const auto id = static_cast<uint32_t>(begin + i);
      uint32_t& slot = slots_[SlotOf(tokens[id], hashes[i])];
      if (slot == kNone) {
        slot = TagOf(hashes[i]) | id;
      } else if (!tokens[id].empty() && duplicates.count++ == 0) {
        duplicates.first = id;
      }
    }
  }
  return duplicates;
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
  const auto likely = [&](size_t i) { return IdIn(HomeOf(hashes[i])); };
  for (size_t i = 0; i < texts.size(); ++i) {
    if (likely(i) != kNone) tokens_->Prefetch(likely(i));
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    if (likely(i) != kNone) __builtin_prefetch((*tokens_)[likely(i)].data());
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    ids[i] = IdIn(SlotOf(texts[i], hashes[i]));
  }
}

// Reads and indexes the tokens of a file.

namespace {

bool IsArrayOf(const KeyValue* kv, ValueType type) {
  return kv != nullptr && kv->element_type != nullptr && kv->element_type->type == type;
}

}  // namespace

const TokenizerRow* FindTokenizer(absl::string_view model) {
  // llama.cpp reads the text up to its first NUL.
  const absl::string_view name = model.substr(0, model.find('\0'));
  for (const TokenizerRow& row : kTokenizers) {
    if (name == row.model) return &row;
  }
  return nullptr;
}

Vocabulary::Vocabulary(const File& file, const Hparams& hparams, const KeyIndex& keys,
                       uint64_t most_tokens)
    : file_(file), tokens_(file.encoding.length_bytes) {
  if (const auto model = hparams.Text(Symbol::kTokenizerModel)) {
    tokenizer_ = FindTokenizer(*model);
  }
  if (is_none()) return;
  ReadTokens(keys.Find("tokenizer.ggml.tokens"), most_tokens);
  ReadTypes(keys.Find("tokenizer.ggml.token_type"));
}

void Vocabulary::ReadTokens(const KeyValue* kv, uint64_t most_tokens) {
  if (!IsArrayOf(kv, ValueType::kString)) return;
  // The parser has compared the length with the bytes of the file.
  const uint64_t count = kv->length;
  if (count > most_tokens) {
    why_unread_ = {absl::StrCat("the limit of ", most_tokens, " tokens"), Reason::kIncomplete};
    return;
  }
  constexpr uint64_t kMostBytes = ~uint32_t{0};
  if (kv->value.end - kv->value.begin > kMostBytes) {
    why_unread_ = {absl::StrCat("the limit of ", kMostBytes, " bytes of tokens"),
                   Reason::kIncomplete};
    return;
  }
  key_ = kv;
  tokens_.Reserve(count);
  ForEachString(file_, *kv,
                [this](absl::string_view text, Range, uint64_t) { tokens_.Append(text); });
  duplicates_ = index_.Build(tokens_);
}

void Vocabulary::ReadTypes(const KeyValue* kv) {
  if (!IsArrayOf(kv, ValueType::kI32)) return;
  types_key_ = kv;
  type_count_ = kv->length;
}

Range Vocabulary::where(uint64_t id) const {
  const absl::string_view text = tokens_[id];
  const auto begin =
      static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(text.data()) - file_.bytes.data());
  return {begin - file_.encoding.length_bytes, begin + text.size()};
}

std::optional<uint32_t> Vocabulary::Find(absl::string_view text) const {
  uint32_t id = TokenIndex::kNone;
  index_.Find({&text, 1}, &id);
  if (id == TokenIndex::kNone) return std::nullopt;
  return id;
}

bool Vocabulary::ContainsAll(absl::Span<const absl::string_view> texts) const {
  uint32_t ids[TokenIndex::kBatch];
  index_.Find(texts, ids);
  return std::find(ids, ids + texts.size(), TokenIndex::kNone) == ids + texts.size();
}

Location Vocabulary::at_type(uint64_t id) const {
  const uint64_t begin = TypeOffset(id);
  return {{begin, begin + kTypeSize}, types_key_->subject().Of("value").At(id)};
}

int32_t Vocabulary::type_number(uint64_t id) const {
  return static_cast<int32_t>(
      LoadUnsigned<uint32_t>(file_.bytes.data() + TypeOffset(id), file_.encoding.endian));
}

}  // namespace gguf
