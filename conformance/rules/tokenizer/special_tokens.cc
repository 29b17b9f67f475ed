#include "conformance/rules/tokenizer/special_tokens.h"

#include <algorithm>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/requirements.h"
#include "conformance/tables/control_tokens.h"

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

std::string IdToWrite(const Model& model, absl::string_view key) {
  struct UsualTexts {
    const char* key;
    const char* texts[6];
  };
  static constexpr UsualTexts kUsual[] = {
      {"tokenizer.ggml.bos_token_id",
       {"<s>", "<bos>", "<|begin_of_text|>", "<|startoftext|>", "[CLS]", "[BOS]"}},
      {"tokenizer.ggml.unknown_token_id", {"<unk>", "[UNK]"}},
      {"tokenizer.ggml.seperator_token_id", {"[SEP]"}},
      {"tokenizer.ggml.separator_token_id", {"[SEP]"}},
      {kPaddingId, {"<pad>", "[PAD]", "<|pad|>", "<|endoftext|>"}},
      {"tokenizer.ggml.mask_token_id", {"[MASK]", "<mask>"}},
  };
  const Vocabulary& vocabulary = model.vocabulary();
  std::vector<uint32_t> ids;
  bool is_shifted = false;
  const auto add = [&](absl::string_view text) {
    const auto id = vocabulary.Find(text);
    if (!id) return;
    ids.push_back(*id);
    // A mark with the type of words is a sign that tokens and types do not belong together.
    is_shifted |= vocabulary.types_key() != nullptr && vocabulary.HasType(*id, TokenType::kNormal);
  };
  for (const auto& [usual, texts] : kUsual) {
    if (key != usual) continue;
    for (const char* const text : texts) {
      if (text != nullptr) add(text);
    }
  }
  if (key == "tokenizer.ggml.eos_token_id" || key == "tokenizer.ggml.eot_token_id") {
    for (const ControlTokenRow& row : kControlTokens) {
      if (*row.unless == 0) add(row.text);
    }
    const auto unwritten = [&](uint32_t id) {
      return absl::c_none_of(model.templates(), [&](const Template& t) {
        return absl::StrContains(t.text, vocabulary.tokens()[id]);
      });
    };
    if (ids.size() > 1) ids.erase(std::remove_if(ids.begin(), ids.end(), unwritten), ids.end());
  }
  return ids.size() == 1 && !is_shifted ? absl::StrCat(ids[0]) : "";
}

Reason OnlyWithDefaults(const Model& model) {
  return model.vocabulary().tokenizer() != nullptr ? Reason()
                                                   : "tokenizer.ggml.model is absent or unknown";
}

}  // namespace gguf
