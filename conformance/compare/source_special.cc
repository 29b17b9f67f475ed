// Reads the special tokens of tokenizer_config.json, config.json,
// generation_config.json and the template of tokenizer.json, and the chat
// templates.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/base/text.h"
#include "conformance/compare/source_files.h"

namespace gguf {
namespace {

constexpr char kTokenizerConfig[] = "tokenizer_config.json";
constexpr char kPostProcessor[] = "tokenizer.json: post_processor";

using Text = std::optional<std::string>;

// Returns a member of an element, or null.
const SourceJson* FindIn(const SourceJson& list, size_t i, const char* name) {
  return list.is_array() && i < list.size() ? FindMember(list[i], name) : nullptr;
}

class SpecialTokenReader {
 public:
  SpecialTokenReader(const SourceFiles& files, SourceModel* model)
      : files_(files), model_(*model) {}

  absl::Status Run() {
    ReadAddedTokens();
    // Without tokenizer_config.json, the converter reads no template.
    if (!files_.tokenizer_config.is_null()) ReadPostProcessor();
    const Text bos = TextOf("bos");
    const Text eos = TextOf("eos");
    AddId("bos", "bos", bos ? bos : TextOf("cls") ? TextOf("cls") : first_);
    AddId("eos", "eos", last_ ? last_ : eos ? eos : TextOf("sep"));
    // "seperator" is the spelling of the key.
    constexpr std::pair<const char*, const char*> kOthers[] = {{"unk", "unknown"},
                                                               {"sep", "seperator"},
                                                               {"pad", "padding"},
                                                               {"cls", "cls"},
                                                               {"mask", "mask"}};
    for (const auto& [type, key] : kOthers) AddId(type, key, TextOf(type));
    if (last_ && eos && eos != last_) AddEndOfTurn(*eos);
    for (const char* type : {"bos", "eos", "unk", "sep", "pad", "cls", "mask"}) {
      AddFlag(type);
    }
    model_.not_compared.emplace_back(
        CompareGroup::kSpecial,
        "add_space_prefix, and add_sep_token of a template, are not derived from the source");
    return AddEndTokens();
  }

 private:
  void ReadAddedTokens();
  void ReadPostProcessor();

  // Returns the member of tokenizer_config.json with a token of a type.
  const SourceJson* FindToken(absl::string_view type) const {
    return FindMember(files_.tokenizer_config, absl::StrCat(type, "_token"));
  }
  // Returns its text, such as "<s>" for "bos"; nothing if it has none.
  Text TextOf(absl::string_view type) const {
    Text text = ContentOf(FindToken(type));
    return text && !text->empty() ? text : std::nullopt;
  }

  struct Id {
    int64_t id;
    std::string from;
  };
  std::optional<Id> IdOf(const Text& text, absl::string_view type) const;
  void ReadProcessor(const SourceJson& processor);
  void AddId(const char* type, const char* key, const Text& text);
  void AddEndOfTurn(const std::string& text);
  void AddFlag(const char* type);
  std::optional<bool> FlagOfTemplate(absl::string_view type) const;
  absl::Status AddEndTokens();

  const SourceFiles& files_;
  SourceModel& model_;
  std::map<std::string, int64_t> added_tokens_;  // The first id of each.
  // The special tokens with which the template of one text begins and ends.
  Text first_, last_;
};

void SpecialTokenReader::ReadAddedTokens() {
  const SourceJson* added = FindMember(files_.tokenizer, "added_tokens");
  if (added == nullptr || !added->is_array()) return;
  for (const SourceJson& token : *added) {
    const auto id = IdIn(FindMember(token, "id"));
    const auto text = ContentOf(&token);
    if (id && text) added_tokens_.emplace(*text, *id);
  }
}

// The post-processor is a template, or a list of processors with one.
void SpecialTokenReader::ReadPostProcessor() {
  const SourceJson* whole = FindMember(files_.tokenizer, "post_processor");
  if (whole == nullptr) return;
  const SourceJson* list = FindMember(*whole, "processors");
  if (list == nullptr || !list->is_array()) return ReadProcessor(*whole);
  for (const SourceJson& processor : *list) ReadProcessor(processor);
}

void SpecialTokenReader::ReadProcessor(const SourceJson& processor) {
  const SourceJson* type = FindMember(processor, "type");
  const SourceJson* single = FindMember(processor, "single");
  if (type == nullptr || *type != "TemplateProcessing" || single == nullptr ||
      !single->is_array() || single->size() < 2) {
    return;
  }
  const auto special = [&](size_t i) -> Text {
    const SourceJson* token = FindIn(*single, i, "SpecialToken");
    const SourceJson* id = token != nullptr ? FindMember(*token, "id") : nullptr;
    return id != nullptr ? ContentOf(id) : std::nullopt;
  };
  first_ = special(0);
  last_ = special(single->size() - 1);
}

// Returns the id of a token, or that of config.json for its type.  An id beyond
// the tokens does not count.
std::optional<SpecialTokenReader::Id> SpecialTokenReader::IdOf(const Text& text,
                                                               absl::string_view type) const {
  const SourceJson* size = FindMember(files_.config, "vocab_size");
  const auto is_token = [&](int64_t id) {
    return size == nullptr || !IsInteger(*size) || id < size->get<int64_t>();
  };
  if (text) {
    const auto found = added_tokens_.find(*text);
    if (found != added_tokens_.end() && is_token(found->second)) {
      return Id{found->second, kTokenizerConfig};
    }
  }
  const std::string name = absl::StrCat(type, "_token_id");
  const auto id = IdIn(FindMember(files_.config, name));
  if (!id || !is_token(*id)) return std::nullopt;
  return Id{*id, absl::StrCat("config.json: ", name)};
}

// Adds the id of a token.  `text` is what a current converter takes it for;
// older ones follow tokenizer_config.json, and may write ids beyond the tokens.
void SpecialTokenReader::AddId(const char* type, const char* key, const Text& text) {
  const auto id = IdOf(text, type);
  const Text older = TextOf(type);
  const auto older_id = IdOf(older, type);
  if (!id) {
    if (text) {
      model_.not_compared.emplace_back(
          CompareGroup::kSpecial,
          absl::StrCat("neither added_tokens nor config.json has the id of ", Quote(*text), " (",
                       type, ")"));
    }
    return;
  }
  SourceModel::Key added = {absl::StrCat("tokenizer.ggml.", key, "_token_id"), id->id, id->from};
  const bool is_of_template = text != older && (text == first_ || text == last_);
  if (is_of_template && id->from == kTokenizerConfig) {
    added.from = kPostProcessor;
  }
  const absl::string_view name = type;
  added.may_lack = (name != "bos" && name != "eos") || !older_id || model_.architecture.empty();
  if (older_id && older_id->id != id->id) {
    added.also.emplace_back(older_id->id);
  }
  if (older && added_tokens_.count(*older) > 0) {
    const int64_t beyond = added_tokens_.at(*older);
    if (beyond != id->id && (!older_id || beyond != older_id->id)) {
      added.also.emplace_back(beyond);
    }
  }
  model_.keys.push_back(std::move(added));
}

// A token that the template replaces as the end of text ends a turn.
void SpecialTokenReader::AddEndOfTurn(const std::string& text) {
  const auto id = IdOf(text, "eot");
  if (!id) return;
  model_.keys.push_back({"tokenizer.ggml.eot_token_id", id->id, id->from,
                         /*may_lack=*/true});
}

// Returns whether the template adds a token of a type, or nothing if it does
// not say.
std::optional<bool> SpecialTokenReader::FlagOfTemplate(absl::string_view type) const {
  if (type == "eos") return last_ ? std::optional<bool>(true) : std::nullopt;
  if (type != "bos" || !first_) return std::nullopt;
  // The converter overrides it for small models of Granite, which it recognizes
  // by their number of tokens.
  const SourceJson* size = FindMember(files_.config, "vocab_size");
  if (size != nullptr && *size == 49152) return std::nullopt;
  const Text bos = TextOf("bos");
  const Text cls = TextOf("cls");
  // The converter does not recognize a token that is an object.
  for (const char* other : {"bos", "cls"}) {
    const SourceJson* token = FindToken(other);
    if (token != nullptr && !token->is_string()) return std::nullopt;
  }
  return (!bos && !cls) || first_ == bos || first_ == cls;
}

void SpecialTokenReader::AddFlag(const char* type) {
  const std::string name = absl::StrCat("add_", type, "_token");
  const SourceJson* add = FindMember(files_.tokenizer_config, name);
  SourceModel::Key key;
  key.key = absl::StrCat("tokenizer.ggml.", name);
  key.may_lack = true;
  if (add != nullptr && add->is_boolean()) {
    key.value = add->get<bool>();
    key.from = kTokenizerConfig;
  } else if (const auto flag = FlagOfTemplate(type)) {
    key.value = *flag;
    key.from = kPostProcessor;
  } else {
    return;
  }
  model_.keys.push_back(std::move(key));
}

absl::Status SpecialTokenReader::AddEndTokens() {
  const auto json = ReadJson(files_.read, "generation_config.json");
  if (!json.ok()) return json.status();
  const SourceJson* ends = FindMember(*json, "eos_token_id");
  if (ends == nullptr) return absl::OkStatus();
  const auto add = [&](const SourceJson& id) {
    if (const auto number = IdIn(&id)) model_.end_tokens.push_back(*number);
  };
  if (ends->is_array()) {
    std::for_each(ends->begin(), ends->end(), add);
  } else {
    add(*ends);
  }
  return absl::OkStatus();
}

constexpr char kKey[] = "tokenizer.chat_template";

// Returns the name of a template as in the key.
std::string KeyName(std::string name) {
  const auto is_other = [](char c) { return !absl::ascii_isalnum(c); };
  // One for each character, not for each byte of UTF-8.
  const auto is_rest = [](char c) { return (c & 0xC0) == 0x80; };
  name.erase(std::remove_if(name.begin(), name.end(), is_rest), name.end());
  std::replace_if(name.begin(), name.end(), is_other, '_');
  return name;
}

// Adds a template, or a list of named ones.
void AddTemplate(const SourceJson& json, const char* from, SourceModel* model) {
  if (json.is_string()) {
    model->keys.push_back({kKey, json.get<std::string>(), from});
  }
  if (!json.is_array()) return;
  for (const SourceJson& one : json) {
    const SourceJson* name = FindMember(one, "name");
    const SourceJson* text = FindMember(one, "template");
    if (name == nullptr || !name->is_string() || text == nullptr || !text->is_string()) {
      continue;
    }
    const std::string in_key = KeyName(name->get<std::string>());
    if (in_key.empty()) continue;
    model->keys.push_back({in_key == "default" ? kKey : absl::StrCat(kKey, ".", in_key),
                           text->get<std::string>(), from});
  }
}

}  // namespace

absl::Status AddSpecialTokens(const SourceFiles& files, SourceModel* model) {
  return SpecialTokenReader(files, model).Run();
}

// tokenizer_config.json counts, then chat_template.jinja, then
// chat_template.json.
absl::Status AddTemplates(const SourceFiles& files, SourceModel* model) {
  constexpr char kMember[] = "chat_template";
  constexpr char kJinja[] = "chat_template.jinja";
  constexpr char kJson[] = "chat_template.json";
  constexpr uint64_t kMostBytes = 1 << 24;
  if (const SourceJson* json = FindMember(files.tokenizer_config, kMember)) {
    AddTemplate(*json, "tokenizer_config.json", model);
    return absl::OkStatus();
  }
  const auto jinja = files.read(kJinja, kMostBytes);
  if (jinja.ok()) {
    // The converter reads it as a text file.
    model->keys.push_back(
        {kKey, absl::StrReplaceAll(*jinja, {{"\r\n", "\n"}, {"\r", "\n"}}), kJinja});
    return absl::OkStatus();
  }
  if (!absl::IsNotFound(jinja.status())) return jinja.status();
  const auto json = ReadJson(files.read, kJson);
  if (!json.ok()) return json.status();
  if (const SourceJson* text = FindMember(*json, kMember)) {
    AddTemplate(*text, kJson, model);
  } else {
    model->not_compared.emplace_back(CompareGroup::kTemplate, "the source has no chat template");
  }
  return absl::OkStatus();
}

}  // namespace gguf
