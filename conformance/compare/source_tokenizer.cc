// Reads tokenizer.json, tokenizer_config.json, generation_config.json and the
// chat templates.
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

namespace gguf {
namespace {

constexpr char kTokenizer[] = "tokenizer.json";
constexpr char kTokenizerConfig[] = "tokenizer_config.json";

// The mark of a space in SentencePiece, and in byte-level BPE.
constexpr char kMark[] = "\u2581";
constexpr char kSpace[] = "\u0120";

// A token may not have an id beyond this many times the number of tokens: all
// ids below it become tokens.
constexpr uint64_t kMostGaps = 4;

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
  return text == "<pad>" || text == "<mask>" || text == "<2mass>" ||
         text == "[@BOS@]" || is_between("<|", "|>") ||
         is_between("<\uFF5C", "\uFF5C>") || is_between("<unused", ">");
}

class TokenizerReader {
 public:
  TokenizerReader(const SourceFiles& files, SourceModel* model)
      : files_(files), model_(*model) {}

  absl::Status Run() {
    if (!files_.tokenizer.is_null()) {
      ReadTokens();
      AddTokens();
    } else {
      Skip(CompareGroup::kTokenizer, "the source has no tokenizer.json");
    }
    AddSpecialTokens();
    const absl::Status status = AddEndTokens();
    return status.ok() ? AddTemplates() : status;
  }

 private:
  void Skip(CompareGroup group, const char* why) {
    model_.not_compared.emplace_back(group, why);
  }
  void Add(absl::string_view key, SourceValue value, const char* from) {
    model_.keys.push_back({std::string(key), std::move(value), from});
  }

  void ReadTokens();
  void AddTokens();
  void AddMerges(const SourceJson& of_model);
  void AddSpecialTokens();
  std::optional<int64_t> IdOf(absl::string_view type) const;
  absl::Status AddEndTokens();
  absl::Status AddTemplates();
  void AddTemplate(const SourceJson& json, const char* from);

  const SourceFiles& files_;
  SourceModel& model_;
  Kind kind_ = Kind::kUnknown;
  std::map<uint64_t, Token> tokens_;             // By id.
  std::map<std::string, int64_t> added_tokens_;  // The first id of each.
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

void TokenizerReader::ReadTokens() {
  const SourceJson* of_model = FindMember(files_.tokenizer, "model");
  const SourceJson* vocabulary =
      of_model != nullptr ? FindMember(*of_model, "vocab") : nullptr;
  if (vocabulary == nullptr || !vocabulary->is_object()) return;
  kind_ = KindOf(*of_model);
  for (const auto& [text, id] : vocabulary->items()) {
    if (id.is_number_unsigned()) tokens_[id.get<uint64_t>()] = {text};
  }
  const SourceJson* added = FindMember(files_.tokenizer, "added_tokens");
  if (added == nullptr || !added->is_array()) return;
  for (const SourceJson& token : *added) {
    const SourceJson* id = FindMember(token, "id");
    const auto text = ContentOf(&token);
    const SourceJson* special = FindMember(token, "special");
    if (id == nullptr || !id->is_number_unsigned() || !text) continue;
    tokens_[id->get<uint64_t>()] = {*text, true,
                                    special != nullptr && *special == true};
    added_tokens_.emplace(*text, id->get<int64_t>());
  }
}

// Returns the text of a token as the converter writes it.
std::string TextOf(const Token& token, Kind kind) {
  const bool is_control = token.is_special || LooksSpecial(token.text);
  if (kind == Kind::kWordPiece) {
    if (token.is_added && is_control) return token.text;
    absl::string_view text = token.text;
    if (absl::ConsumePrefix(&text, "##")) return std::string(text);
    return absl::StrCat(kMark, text);
  }
  if (kind == Kind::kByteLevel && token.is_added && !is_control) {
    return absl::StrReplaceAll(token.text, {{kMark, " "}});
  }
  return token.text;
}

void TokenizerReader::AddTokens() {
  const bool is_dense =
      !tokens_.empty() && tokens_.rbegin()->first / kMostGaps < tokens_.size();
  if (kind_ == Kind::kUnknown || !is_dense) {
    return Skip(CompareGroup::kTokenizer,
                "the kind of tokenizer.json is not known here");
  }
  std::vector<std::string> texts(tokens_.rbegin()->first + 1);
  for (uint64_t id = 0; id < texts.size(); ++id) {
    const auto token = tokens_.find(id);
    texts[id] = token == tokens_.end() ? absl::StrCat("[PAD", id, "]")
                                       : TextOf(token->second, kind_);
  }
  Add("tokenizer.ggml.tokens", std::move(texts), kTokenizer);
  model_.keys.back().is_prefix = true;
  if (kind_ != Kind::kSentencePiece) {
    const bool is_words = kind_ == Kind::kWordPiece;
    Add("tokenizer.ggml.model", std::string(is_words ? "bert" : "gpt2"),
        kTokenizer);
  }
  if (kind_ == Kind::kByteLevel) {
    AddMerges(*FindMember(files_.tokenizer, "model"));
  }
  Skip(CompareGroup::kTokenizer,
       "scores, types and the pre-tokenizer are not derived from the source");
}

// A merge is "a b", or since transformers 4.45 ["a", "b"].
void TokenizerReader::AddMerges(const SourceJson& of_model) {
  const SourceJson* merges = FindMember(of_model, "merges");
  if (merges == nullptr || !merges->is_array()) return;
  std::vector<std::string> texts;
  for (const SourceJson& merge : *merges) {
    if (merge.is_string()) {
      texts.push_back(merge.get<std::string>());
      continue;
    }
    const bool is_pair = merge.is_array() && merge.size() == 2 &&
                         merge[0].is_string() && merge[1].is_string();
    if (!is_pair) return;
    const auto part = [&](int i) {
      return absl::StrReplaceAll(merge[i].get<std::string>(), {{" ", kSpace}});
    };
    texts.push_back(absl::StrCat(part(0), " ", part(1)));
  }
  Add("tokenizer.ggml.merges", std::move(texts), kTokenizer);
}

// Returns the id of the token of a type, such as "bos".
std::optional<int64_t> TokenizerReader::IdOf(absl::string_view type) const {
  const auto text = ContentOf(
      FindMember(files_.tokenizer_config, absl::StrCat(type, "_token")));
  if (text) {
    const auto found = added_tokens_.find(*text);
    if (found != added_tokens_.end()) return found->second;
  }
  const SourceJson* id =
      FindMember(files_.config, absl::StrCat(type, "_token_id"));
  if (id != nullptr && id->is_number_unsigned()) return id->get<int64_t>();
  return std::nullopt;
}

void TokenizerReader::AddSpecialTokens() {
  // "seperator" is the spelling of the key.
  constexpr std::pair<const char*, const char*> kTypes[] = {
      {"bos", "bos"},       {"eos", "eos"},     {"unk", "unknown"},
      {"sep", "seperator"}, {"pad", "padding"}, {"cls", "cls"},
      {"mask", "mask"}};
  for (const auto& [type, key] : kTypes) {
    if (const auto id = IdOf(type)) {
      Add(absl::StrCat("tokenizer.ggml.", key, "_token_id"), *id,
          kTokenizerConfig);
      // Older converters leave some out.
      const absl::string_view name = type;
      model_.keys.back().may_lack = name != "bos" && name != "eos";
    }
    const SourceJson* add = FindMember(files_.tokenizer_config,
                                       absl::StrCat("add_", type, "_token"));
    if (add != nullptr && add->is_boolean()) {
      Add(absl::StrCat("tokenizer.ggml.add_", type, "_token"), add->get<bool>(),
          kTokenizerConfig);
      model_.keys.back().may_lack = true;
    }
  }
}

absl::Status TokenizerReader::AddEndTokens() {
  const auto json = ReadJson(files_.read, "generation_config.json");
  if (!json.ok()) return json.status();
  const SourceJson* ends = FindMember(*json, "eos_token_id");
  if (ends == nullptr) return absl::OkStatus();
  const auto add = [&](const SourceJson& id) {
    if (id.is_number_integer()) model_.end_tokens.push_back(id.get<int64_t>());
  };
  if (ends->is_array()) {
    std::for_each(ends->begin(), ends->end(), add);
  } else {
    add(*ends);
  }
  return absl::OkStatus();
}

// Adds a template, or a list of named ones.
void TokenizerReader::AddTemplate(const SourceJson& json, const char* from) {
  constexpr char kKey[] = "tokenizer.chat_template";
  if (json.is_string()) return Add(kKey, json.get<std::string>(), from);
  if (!json.is_array()) return;
  for (const SourceJson& one : json) {
    const SourceJson* name = FindMember(one, "name");
    const SourceJson* text = FindMember(one, "template");
    if (name == nullptr || !name->is_string() || text == nullptr ||
        !text->is_string()) {
      continue;
    }
    const bool is_default = *name == "default";
    Add(is_default ? kKey : absl::StrCat(kKey, ".", name->get<std::string>()),
        text->get<std::string>(), from);
  }
}

// tokenizer_config.json counts, then chat_template.jinja, then
// chat_template.json.
absl::Status TokenizerReader::AddTemplates() {
  constexpr char kMember[] = "chat_template";
  constexpr char kJinja[] = "chat_template.jinja";
  constexpr char kJson[] = "chat_template.json";
  constexpr uint64_t kMostBytes = 1 << 24;
  if (const SourceJson* json = FindMember(files_.tokenizer_config, kMember)) {
    AddTemplate(*json, kTokenizerConfig);
    return absl::OkStatus();
  }
  const auto jinja = files_.read(kJinja, kMostBytes);
  if (jinja.ok()) {
    Add("tokenizer.chat_template", *jinja, kJinja);
    return absl::OkStatus();
  }
  if (!absl::IsNotFound(jinja.status())) return jinja.status();
  const auto json = ReadJson(files_.read, kJson);
  if (!json.ok()) return json.status();
  if (const SourceJson* text = FindMember(*json, kMember)) {
    AddTemplate(*text, kJson);
  } else {
    Skip(CompareGroup::kTemplate, "the source has no chat template");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AddTokenizer(const SourceFiles& files, SourceModel* model) {
  return TokenizerReader(files, model).Run();
}

}  // namespace gguf
