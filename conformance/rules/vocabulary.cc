// The tokens of a file and their index.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/vocabulary.h"

#include "parser/value_type.h"

namespace gguf {
namespace {

struct TokenVisitor : ValueVisitor {
  explicit TokenVisitor(std::vector<absl::string_view>* all) : tokens(*all) {}
  std::vector<absl::string_view>& tokens;

  void String(absl::string_view text, Range /*where*/, uint64_t /*element*/) {
    tokens.push_back(text);
  }
};

bool IsArrayOf(const KeyValue* kv, ValueType type) {
  return kv != nullptr && kv->element_type != nullptr &&
         kv->element_type->type == type;
}

}  // namespace

const TokenizerRow* FindTokenizer(absl::string_view model) {
  for (const TokenizerRow& row : kTokenizers) {
    if (model == row.model) return &row;
  }
  return nullptr;
}

Vocabulary::Vocabulary(const File& file, const Hparams& hparams,
                       const KeyIndex& keys)
    : file_(file), index_(0, Hash{&tokens_}, Equal{&tokens_}) {
  if (const auto model = hparams.Text(Symbol::kTokenizerModel)) {
    tokenizer_ = FindTokenizer(*model);
  }
  if (is_none()) return;
  ReadTokens(keys.Find("tokenizer.ggml.tokens"));
  ReadTypes(keys.Find("tokenizer.ggml.token_type"));
}

void Vocabulary::ReadTokens(const KeyValue* kv) {
  if (!IsArrayOf(kv, ValueType::kString)) return;
  // The parser has compared the length with the bytes of the file.
  const uint64_t count = *LengthOf(file_, *kv);
  if (count > kMostTokens) {
    why_unread_ = "more tokens than are looked at";
    return;
  }
  key_ = kv;
  tokens_.reserve(count);
  TokenVisitor visitor(&tokens_);
  WalkValue(file_, *kv, &visitor);
  index_.reserve(count);
  for (uint32_t id = 0; id < count; ++id) {
    if (!index_.insert(id).second) duplicates_.push_back(id);
  }
}

void Vocabulary::ReadTypes(const KeyValue* kv) {
  if (!IsArrayOf(kv, ValueType::kI32)) return;
  types_key_ = kv;
  type_count_ = *LengthOf(file_, *kv);
}

Range Vocabulary::where(uint64_t id) const {
  const absl::string_view text = tokens_[id];
  const auto begin = static_cast<uint64_t>(
      reinterpret_cast<const uint8_t*>(text.data()) - file_.bytes.data());
  return {begin - file_.encoding.length_bytes, begin + text.size()};
}

std::optional<uint32_t> Vocabulary::Find(absl::string_view text) const {
  const auto found = index_.find(text);
  if (found == index_.end()) return std::nullopt;
  return *found;
}

int32_t Vocabulary::type_number(uint64_t id) const {
  return static_cast<int32_t>(*IntegerOf(file_, *types_key_, id));
}

}  // namespace gguf
