#include "conformance/rules/tokenizer/special_tokens.h"

#include "conformance/rules/requirements.h"

namespace gguf {

int64_t DefaultId(const Model& model, const SpecialToken& token) {
  const TokenizerRow& row = *model.vocabulary().tokenizer();
  const PreTokenizerRow* pre = FindPreTokenizer(model);
  const bool is_bos = token.default_id == &TokenizerRow::bos;
  if (is_bos && row.pre == PreTokenizers::kRead && pre != nullptr &&
      pre->bos == DefaultBos::kNone) {
    return -1;
  }
  return row.*token.default_id;
}

bool HasIdKey(const Model& model, const SpecialToken& token) {
  if (model.FindKey(token.key) != nullptr) return true;
  // The specification's spelling.
  return token.default_id == &TokenizerRow::separator &&
         model.FindKey("tokenizer.ggml.separator_token_id") != nullptr;
}

const KeyValue* FlagOf(const Model& model, const SpecialToken& token) {
  if (model.vocabulary().Is(TokenizerKind::kWpm) || token.added == AddedToken::kSeparator) {
    return nullptr;
  }
  const KeyValue* kv = model.FindKey(token.flag);
  return kv != nullptr && kv->type->kind == ValueKind::kBool ? kv : nullptr;
}

bool IsAdded(const Model& model, const SpecialToken& token) {
  if (token.flag == nullptr || model.vocabulary().Is(TokenizerKind::kRwkv)) return false;
  if (const KeyValue* flag = FlagOf(model, token)) return IntegerOf(model.file, *flag) != 0;
  const TokenizerRow& row = *model.vocabulary().tokenizer();
  const PreTokenizerRow* pre = row.pre == PreTokenizers::kRead ? FindPreTokenizer(model) : nullptr;
  return row.adds.Has(token.added) ||
         (token.added == AddedToken::kBos && pre != nullptr && pre->bos == DefaultBos::kAdded);
}

Reason OnlyWithDefaults(const Model& model) {
  return model.vocabulary().tokenizer() != nullptr ? Reason()
                                                   : "tokenizer.ggml.model is absent or unknown";
}

}  // namespace gguf
