// Hugging Face folders with wrong members, one at a time: each member that is read is missing,
// of another type, or out of range.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "conformance/compare/read_source.h"
#include "conformance/tables/source_architectures.h"
#include "conformance/tables/source_keys.h"
#include "conformance/testing/source_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace gguf {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// A value as it stands in a file, and what it is as a number or a flag.
struct Value {
  const char* text;
  std::optional<int64_t> integer;
  std::optional<double> real;
  std::optional<bool> flag;
};
const std::vector<Value>& Values() {
  static const auto& values = *new std::vector<Value>{
      {"0", 0, 0.0, {}},
      {"7", 7, 7.0, {}},
      {"-1", -1, -1.0, {}},
      {"9223372036854775807", kMost, 0x1p63, {}},
      {"-9223372036854775808", -kMost - 1, -0x1p63, {}},
      {"9223372036854775808", {}, 0x1p63, {}},
      {"18446744073709551615", {}, 0x1p64, {}},
      {"1.5", {}, 1.5, {}},
      {"true", {}, {}, true},
      {"false", {}, {}, false},
      {"\"7\"", {}, {}, {}},
      {"[]", {}, {}, {}},
      {"[7]", {}, {}, {}},
      {"{}", {}, {}, {}},
  };
  return values;
}

std::optional<SourceValue> As(SourceKind kind, const Value& value) {
  if (kind == SourceKind::kInteger && value.integer) return *value.integer;
  if (kind == SourceKind::kReal && value.real) return *value.real;
  if (kind == SourceKind::kFlag && value.flag) return *value.flag;
  return std::nullopt;
}

// Returns the member at "a.b", and makes the objects on the way.
json& At(json& document, absl::string_view path) {
  return document[json::json_pointer("/" + absl::StrReplaceAll(path, {{".", "/"}}))];
}

const SourceModel::Key* Find(const SourceModel& model, absl::string_view key) {
  for (const SourceModel::Key& found : model.keys) {
    if (found.key == key) return &found;
  }
  return nullptr;
}

// Calls each(architecture, name in config.json, row) with the rows about each architecture.
template <class Function>
void ForEachRow(Function each) {
  std::map<std::string, std::string> names;
  for (const SourceArchitecture& row : kSourceArchitectures) names[row.architecture] = row.name;
  for (const auto& [architecture, name] : names) {
    std::set<std::string> own;
    std::set<std::string> known;
    for (const SourceKeyRow& row : kSourceKeys) {
      if (row.only == architecture) own.insert(row.key);
      if (row.only == absl::string_view("known")) known.insert(row.key);
    }
    for (const SourceKeyRow& row : kSourceKeys) {
      const absl::string_view only = row.only;
      const bool is_best =
          only == architecture || (own.count(row.key) == 0 &&
                                   (only == "known" || (only == "*" && known.count(row.key) == 0)));
      if (is_best) each(name, row);
    }
  }
}

TEST(DamagedSourceTest, EachMemberOfConfigIsReadIfItHasItsType) {
  int read = 0;
  ForEachRow([&](const std::string& architecture, const SourceKeyRow& row) {
    for (const absl::string_view name : row.names) {
      if (absl::StrContains(name, '/')) continue;
      for (const Value& value : Values()) {
        SCOPED_TRACE(absl::StrCat(architecture, ", ", name, ": ", value.text));
        json config = {{"architectures", {architecture}}};
        At(config, name) = json::parse(value.text);
        const auto model = ReadFolder({{"config.json", config.dump()}});
        ASSERT_TRUE(model.ok()) << model.status();
        const auto expected = As(row.kind, value);
        const SourceModel::Key* const key = Find(*model, row.key);
        if (expected) {
          ASSERT_NE(key, nullptr);
          EXPECT_EQ(key->value, *expected);
          EXPECT_EQ(key->from, absl::StrCat("config.json: ", name));
          ++read;
          continue;
        }
        EXPECT_EQ(key, nullptr);
        EXPECT_THAT(model->not_compared,
                    Contains(testing::Pair(
                        CompareGroup::kHparams,
                        absl::StrCat("\"", name, "\" of config.json has another type than ",
                                     absl::StrReplaceAll(row.key, {{"{arch}.", ""}})))));
      }
    }
  });
  EXPECT_GT(read, 500);
}

TEST(DamagedSourceTest, AQuotientHasTwoIntegersAndAPositiveDivisor) {
  const auto quotient = [](const char* size, const char* heads) {
    const auto model = ReadFolder(
        {{"config.json", absl::StrCat(R"({"architectures": ["LlamaForCausalLM"], "hidden_size": )",
                                      size, R"(, "num_attention_heads": )", heads, "}")}});
    const SourceModel::Key* key = Find(*model, "{arch}.attention.key_length");
    return key == nullptr ? "none" : absl::StrCat(std::get<int64_t>(key->value));
  };
  EXPECT_EQ(quotient("64", "4"), "16");
  EXPECT_EQ(quotient("64", "1"), "64");
  EXPECT_EQ(quotient("-64", "4"), "-16");
  for (const char* wrong : {"0", "-1", "9223372036854775808", "1.5", "\"4\"", "null", "[]"}) {
    EXPECT_EQ(quotient("64", wrong), "none") << wrong;
  }
  for (const char* wrong : {"18446744073709551615", "1.5", "\"64\"", "null", "{}"}) {
    EXPECT_EQ(quotient(wrong, "4"), "none") << wrong;
  }
}

// A folder in which all members that are read are there.
SourceFolder FullFolder() {
  SourceFolder folder = LlamaFolder();
  json config = json::parse(folder["config.json"]);
  config["bos_token_id"] = 0;
  config["pad_token_id"] = 2;
  config["tie_word_embeddings"] = true;
  config["rope_parameters"] = {{"rope_type", "yarn"},
                               {"factor", 4.0},
                               {"original_max_position_embeddings", 100},
                               {"attention_factor", 1},
                               {"beta_fast", 32}};
  folder["config.json"] = config.dump();
  json tokenizer = json::parse(folder["tokenizer.json"]);
  tokenizer["model"]["byte_fallback"] = false;
  tokenizer["decoder"] = {{"type", "Sequence"}};
  tokenizer["post_processor"] = json::parse(R"({"processors": [
      {"type": "TemplateProcessing", "single": [
        {"SpecialToken": {"id": "<|end|>"}}, {"Sequence": {"id": "A"}},
        {"SpecialToken": {"id": "<|end|>"}}]}]})");
  folder["tokenizer.json"] = tokenizer.dump();
  folder["tokenizer_config.json"] = R"({
      "bos_token": "<|end|>", "eos_token": {"content": "<|end|>"}, "pad_token": "<none>",
      "add_bos_token": true,
      "chat_template": [{"name": "default", "template": "A"}, {"name": "b", "template": "B"}]})";
  return folder;
}

SourceFolder Gemma() {
  SourceFolder folder = FullFolder();
  json config = json::parse(folder["config.json"]);
  config = {{"architectures", {"Gemma3ForConditionalGeneration"}}, {"text_config", config}};
  folder["config.json"] = config.dump();
  json tokenizer = json::parse(folder["tokenizer.json"]);
  tokenizer["model"]["byte_fallback"] = true;
  folder["tokenizer.json"] = tokenizer.dump();
  return folder;
}

SourceFolder WordPieces() {
  SourceFolder folder = FullFolder();
  folder["config.json"] = R"({"architectures": ["BertModel"], "vocab_size": 6})";
  json tokenizer = json::parse(folder["tokenizer.json"]);
  tokenizer["model"]["type"] = "WordPiece";
  folder["tokenizer.json"] = tokenizer.dump();
  return folder;
}

// Expects what any folder gives.
void ExpectSound(const SourceModel& model) {
  for (const SourceModel::Key& key : model.keys) {
    EXPECT_NE(key.from, "") << key.key;
    if (!absl::EndsWith(key.key, "_token_id")) continue;
    EXPECT_GE(std::get<int64_t>(key.value), 0) << key.key;
    for (const SourceValue& other : key.also) EXPECT_GE(std::get<int64_t>(other), 0) << key.key;
  }
  for (const int64_t id : model.end_tokens) EXPECT_GE(id, 0);
  if (!model.tokens) return;
  EXPECT_LE(model.tokens->texts.size(), 100u);
  EXPECT_LE(model.tokens->least, model.tokens->texts.size());
  EXPECT_GE(model.tokens->most.value_or(kMost), model.tokens->texts.size());
}

constexpr const char* kDamages[] = {
    "null", "true",  "0",  "-1",   "1.5",    "1e300", "9223372036854775808", "18446744073709551615",
    "\"\"", "\"x\"", "[]", "[[]]", "[null]", "{}",    R"({"x": [{}]})"};

// Calls each(document) with the document without the member at `at` and with each wrong value
// there, and so on with all members in it.
template <class Function>
void ForEachDamage(const json& document, const json::json_pointer& at, Function each) {
  if (!at.empty()) {
    json damaged = document;
    json& parent = damaged[at.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(at.back());
    } else {
      parent.erase(std::stoul(at.back()));
    }
    each(damaged, at.to_string() + " removed");
    for (const char* text : kDamages) {
      damaged = document;
      damaged[at] = json::parse(text);
      each(damaged, absl::StrCat(at.to_string(), ": ", text));
    }
  }
  const json& value = document[at];
  if (!value.is_structured()) return;
  for (const auto& [name, member] : value.items()) ForEachDamage(document, at / name, each);
}

TEST(DamagedSourceTest, AnyWrongMemberLeavesASoundModel) {
  int damages = 0;
  for (const SourceFolder& whole : {FullFolder(), Gemma(), WordPieces()}) {
    const auto sound = ReadFolder(whole);
    ASSERT_TRUE(sound.ok()) << sound.status();
    EXPECT_TRUE(sound->tokens);
    for (const char* name :
         {"config.json", "tokenizer.json", "tokenizer_config.json", "generation_config.json"}) {
      ForEachDamage(json::parse(whole.at(name)), json::json_pointer(),
                    [&](const json& damaged, std::string what) {
                      SCOPED_TRACE(absl::StrCat(name, what));
                      SourceFolder folder = whole;
                      folder[name] = damaged.dump();
                      const auto model = ReadFolder(folder);
                      ASSERT_TRUE(model.ok()) << model.status();
                      ExpectSound(*model);
                      ++damages;
                    });
    }
  }
  EXPECT_GT(damages, 3000);
}

TEST(DamagedSourceTest, WithoutAVocabularyTheTokenizerIsNotCompared) {
  for (const char* model :
       {"null", "{}", "[]", R"({"type": "BPE"})", R"({"type": "BPE", "vocab": null})",
        R"({"type": "BPE", "vocab": ["a"]})", R"({"type": "BPE", "vocab": {}})",
        R"({"type": "Other", "vocab": {"a": 0}})", R"({"vocab": {"a": 0}})",
        R"({"type": "BPE", "vocab": {"a": -1}})", R"({"type": "BPE", "vocab": {"a": 1e9}})",
        R"({"type": "BPE", "vocab": {"a": 18446744073709551615}})"}) {
    SourceFolder folder = LlamaFolder();
    folder["tokenizer.json"] = absl::StrCat(R"({"model": )", model, "}");
    const auto read = ReadFolder(folder);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_FALSE(read->tokens) << model;
    EXPECT_THAT(read->not_compared,
                Contains(testing::Pair(CompareGroup::kTokenizer,
                                       "the kind of tokenizer.json is not known here")))
        << model;
  }
}

TEST(DamagedSourceTest, AnIdIsAnIntegerThatIsNotNegative) {
  // Returns "config, added token, end tokens" with one number as each id.
  const auto ids = [](const std::string& id) {
    SourceFolder folder = LlamaFolder();
    folder["config.json"] =
        absl::StrCat(R"({"architectures": ["LlamaForCausalLM"], "pad_token_id": )", id, "}");
    folder["tokenizer_config.json"] = R"({"eos_token": "<end>"})";
    folder["tokenizer.json"] =
        absl::StrCat(R"({"added_tokens": [{"content": "<end>", "id": )", id, "}]}");
    folder["generation_config.json"] = absl::StrCat(R"({"eos_token_id": [)", id, ", 5]}");
    const auto model = ReadFolder(folder);
    std::string text;
    for (const char* name : {"padding", "eos"}) {
      const auto* key = Find(*model, absl::StrCat("tokenizer.ggml.", name, "_token_id"));
      absl::StrAppend(&text, key == nullptr ? "none" : absl::StrCat(std::get<int64_t>(key->value)),
                      " ");
    }
    for (const int64_t end : model->end_tokens) absl::StrAppend(&text, end, ",");
    return text;
  };
  EXPECT_EQ(ids("0"), "0 0 0,5,");
  EXPECT_EQ(ids("9223372036854775807"),
            "9223372036854775807 9223372036854775807 9223372036854775807,5,");
  for (const char* wrong : {"-1", "-9223372036854775808", "9223372036854775808",
                            "18446744073709551615", "1.5", "\"1\"", "true", "null", "[]"}) {
    EXPECT_EQ(ids(wrong), "none none 5,") << wrong;
  }
}

TEST(DamagedSourceTest, TheOriginalLengthOfYarnIsAnInteger) {
  const auto has_length = [](const char* length) {
    const auto model =
        ReadFolder({{"config.json", absl::StrCat(R"({"architectures": ["Qwen2ForCausalLM"],
            "rope_parameters": {"rope_type": "yarn", "factor": 4,
                                "original_max_position_embeddings": )",
                                                 length, "}}")}});
    return Find(*model, "{arch}.rope.scaling.original_context_length") != nullptr;
  };
  EXPECT_TRUE(has_length("1"));
  EXPECT_TRUE(has_length("9223372036854775807"));
  EXPECT_FALSE(has_length("9223372036854775808"));
  EXPECT_FALSE(has_length("18446744073709551615"));
  EXPECT_FALSE(has_length("1.5"));
}

}  // namespace
}  // namespace gguf
