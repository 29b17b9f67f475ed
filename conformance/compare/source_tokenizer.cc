// Reads the tokens and merges of tokenizer.json.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "conformance/compare/source_files.h"
#include "conformance/model/byte_letters.h"

namespace gguf {
namespace {

constexpr char kTokenizer[] = "tokenizer.json";

// A token may not have an id beyond this many times the number of tokens: all
// ids below it become tokens.
constexpr uint64_t kMostGaps = 4;

// The last token of Gemma 3, which is not in its tokenizer.model.
constexpr char kImageToken[] = "<image_soft_token>";

enum class Kind { kUnknown, kByteLevel, kSentencePiece, kWordPiece };

struct Token {
  std::string text;
  bool is_added = false;
  bool is_special = false;
};

// What the converter takes for special, whatever the tokenizer says.
bool LooksSpecial(absl::string_view text) {
  const auto is_between = [&](absl::string_view begin, absl::string_view end) {
    return absl::StartsWith(text, begin) && absl::EndsWith(text, end);
  };
  return text == "<pad>" || text == "<mask>" || text == "<2mass>" || text == "[@BOS@]" ||
         is_between("<|", "|>") || is_between("<\uFF5C", "\uFF5C>") || is_between("<unused", ">");
}

class TokenReader {
 public:
  TokenReader(const SourceFiles& files, SourceModel* model) : files_(files), model_(*model) {}

  void Run() {
    if (files_.tokenizer.is_null()) {
      return Skip("the source has no tokenizer.json");
    }
    ReadTokens();
    const bool is_dense = !tokens_.empty() && tokens_.rbegin()->first / kMostGaps < tokens_.size();
    if (kind_ == Kind::kUnknown || !is_dense) {
      return Skip("the kind of tokenizer.json is not known here");
    }
    AddTexts();
    LimitCount();
    if (model_.architecture.empty()) {
      Skip("the kind of tokenizer is not compared for this architecture");
    } else {
      AddModel();
    }
    if (kind_ == Kind::kByteLevel) AddMerges();
    Skip("scores, types, the normalizer and the pre-tokenizer are not derived from the source");
  }

 private:
  void Skip(const char* why) { model_.not_compared.emplace_back(CompareGroup::kTokenizer, why); }

  void ReadTokens();
  void AddTexts();
  void LimitCount();
  void AddModel();
  void AddMerges();

  const SourceFiles& files_;
  SourceModel& model_;
  Kind kind_ = Kind::kUnknown;
  std::map<uint64_t, Token> tokens_;  // By id.
};

// Returns how the texts of tokens are to be read.
Kind KindOf(const SourceJson& of_model) {
  const SourceJson* type = FindMember(of_model, "type");
  const SourceJson* fallback = FindMember(of_model, "byte_fallback");
  const bool bytes = fallback != nullptr && *fallback == true;
  if (type == nullptr) return Kind::kUnknown;
  if (*type == "WordPiece") return Kind::kWordPiece;
  if (*type == "BPE") return bytes ? Kind::kSentencePiece : Kind::kByteLevel;
  return Kind::kUnknown;
}

void TokenReader::ReadTokens() {
  const SourceJson* of_model = FindMember(files_.tokenizer, "model");
  const SourceJson* vocabulary = of_model != nullptr ? FindMember(*of_model, "vocab") : nullptr;
  if (vocabulary == nullptr || !vocabulary->is_object()) return;
  kind_ = KindOf(*of_model);
  for (const auto& [text, id] : vocabulary->items()) {
    if (const auto number = IdIn(&id)) tokens_[*number] = {text};
  }
  const SourceJson* added = FindMember(files_.tokenizer, "added_tokens");
  if (added == nullptr || !added->is_array()) return;
  for (const SourceJson& token : *added) {
    const auto id = IdIn(FindMember(token, "id"));
    const auto text = ContentOf(&token);
    const SourceJson* special = FindMember(token, "special");
    if (!id || !text) continue;
    tokens_[*id] = {*text, true, special != nullptr && *special == true};
  }
}

// Returns the text of a token as converters write it.
std::string TextOf(const Token& token, Kind kind) {
  if (token.is_added && (token.is_special || LooksSpecial(token.text))) {
    return token.text;
  }
  std::string text = token.text;
  if (token.is_added) text = absl::StrReplaceAll(text, {{kSentencePieceSpace, " "}});
  if (kind != Kind::kWordPiece) return text;
  absl::string_view rest = text;
  if (absl::ConsumePrefix(&rest, "##")) return std::string(rest);
  return absl::StrCat(kSentencePieceSpace, text);
}

// An older converter leaves the mark of a space in added tokens.
std::string OlderTextOf(Token token, Kind kind) {
  token.is_added = token.is_added && kind == Kind::kWordPiece;
  return TextOf(token, kind);
}

void TokenReader::AddTexts() {
  SourceTokens& tokens = model_.tokens.emplace();
  tokens.from = kTokenizer;
  tokens.texts.resize(tokens_.rbegin()->first + 1);
  for (uint64_t id = 0; id < tokens.texts.size(); ++id) {
    const auto token = tokens_.find(id);
    if (token == tokens_.end()) {
      tokens.texts[id] = absl::StrCat("[PAD", id, "]");
      continue;
    }
    tokens.texts[id] = TextOf(token->second, kind_);
    const std::string older = OlderTextOf(token->second, kind_);
    if (older != tokens.texts[id]) tokens.older.emplace(id, older);
  }
}

// The converter pads the tokens to vocab_size, or drops those beyond it.
void TokenReader::LimitCount() {
  SourceTokens& tokens = *model_.tokens;
  const bool is_gemma3 = model_.architecture == "gemma3";
  tokens.least = tokens.texts.size();
  if (is_gemma3 && tokens.texts.back() == kImageToken) --tokens.least;
  const SourceJson* size = FindMember(files_.config, "vocab_size");
  if (size == nullptr || !size->is_number_unsigned()) return;
  const uint64_t count = size->get<uint64_t>();
  tokens.least = std::min(tokens.least, count);
  // For other architectures, it may pad to more.
  if (model_.architecture.empty()) return;
  tokens.most = std::max<uint64_t>(tokens.texts.size(), count);
}

void TokenReader::AddModel() {
  constexpr char kByteLevel[] = "gpt2";
  SourceModel::Key key;
  key.key = "tokenizer.ggml.model";
  key.from = kTokenizer;
  switch (kind_) {
    case Kind::kWordPiece:
      key.value = std::string("bert");
      break;
    case Kind::kSentencePiece: {
      key.value = std::string("llama");
      // Without tokenizer.model, only the converter of llama recognizes it.
      const SourceJson* decoder = FindMember(files_.tokenizer, "decoder");
      const SourceJson* type = decoder != nullptr ? FindMember(*decoder, "type") : nullptr;
      const bool is_recognized =
          model_.architecture == "llama" && type != nullptr && *type == "Sequence";
      if (!is_recognized && !files_.read("tokenizer.model", 1).ok()) {
        key.also.emplace_back(std::string(kByteLevel));
      }
      break;
    }
    default:
      key.value = std::string(kByteLevel);
  }
  model_.keys.push_back(std::move(key));
}

// A merge is "a b", or since transformers 4.45 ["a", "b"].
void TokenReader::AddMerges() {
  const SourceJson* merges = FindMember(*FindMember(files_.tokenizer, "model"), "merges");
  if (merges == nullptr || !merges->is_array() || merges->empty()) return;
  std::vector<std::string> texts;
  for (const SourceJson& merge : *merges) {
    if (merge.is_string()) {
      texts.push_back(merge.get<std::string>());
      continue;
    }
    const bool is_pair =
        merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string();
    if (!is_pair) return;
    const auto part = [&](int i) {
      return absl::StrReplaceAll(merge[i].get<std::string>(), {{" ", kByteLevelSpace}});
    };
    texts.push_back(absl::StrCat(part(0), " ", part(1)));
  }
  model_.keys.push_back({"tokenizer.ggml.merges", std::move(texts), kTokenizer});
}

}  // namespace

void AddTokens(const SourceFiles& files, SourceModel* model) { TokenReader(files, model).Run(); }

}  // namespace gguf
