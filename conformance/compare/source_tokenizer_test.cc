// Tokens, special tokens and templates of small Hugging Face folders.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/compare/read_source.h"
#include "conformance/testing/source_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns the folder of LlamaFolder() with other members in one of its files.
SourceFolder With(const char* name, const std::string& members) {
  SourceFolder folder = LlamaFolder();
  std::string& text = folder[name];
  text.insert(text.find('{') + 1, absl::StrCat(members, ", "));
  return folder;
}

// The tokenizer of SentencePiece, with `more` members.
std::string SentencePiece(const std::string& more) {
  return absl::StrCat(R"({
      "model": {"type": "BPE", "byte_fallback": true,
                "vocab": {"<s>": 0, "▁a": 1}},)",
                      more, "}");
}

TEST(SourceTokenizerTest, AddedTokensMayKeepTheMarkOfASpace) {
  SourceFolder folder = LlamaFolder();
  folder["tokenizer.json"] = SentencePiece(R"("added_tokens": [
      {"id": 0, "content": "<s>", "special": true},
      {"id": 2, "content": "▁▁", "special": false}])");
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->tokens->texts, ElementsAre("<s>", "▁a", "  "));
  EXPECT_THAT(model->tokens->older, ElementsAre(testing::Pair(2, "▁▁")));
}

TEST(SourceTokenizerTest, TokensBeyondTheVocabularyMayBeLeftOut) {
  SourceFolder folder = LlamaFolder();
  const auto limits = [&](const char* config, const char* last) {
    folder["config.json"] = config;
    folder["tokenizer.json"] =
        SentencePiece(absl::StrCat(R"("added_tokens": [{"id": 2, "content": ")", last, R"("}])"));
    const auto tokens = ReadFolder(folder)->tokens;
    return absl::StrCat(tokens->least, " to ", tokens->most ? absl::StrCat(*tokens->most) : "any");
  };
  constexpr char kLlama2[] = R"({"architectures": ["LlamaForCausalLM"], "vocab_size": 2})";
  constexpr char kLlama9[] = R"({"architectures": ["LlamaForCausalLM"], "vocab_size": 9})";
  constexpr char kGemma[] = R"({"architectures": ["Gemma3ForConditionalGeneration"]})";
  constexpr char kOther[] = R"({"architectures": ["MambaForCausalLM"], "vocab_size": 3})";
  EXPECT_EQ(limits(kLlama2, "[PAD]"), "2 to 3");
  EXPECT_EQ(limits(kLlama9, "[PAD]"), "3 to 9");
  EXPECT_EQ(limits(kGemma, "[PAD]"), "3 to any");
  EXPECT_EQ(limits(kGemma, "<image_soft_token>"), "2 to any");
  EXPECT_EQ(limits(kOther, "[PAD]"), "3 to any");
}

TEST(SourceTokenizerTest, ASpecialTokenBeyondTheVocabularyDoesNotCount) {
  SourceFolder folder = With("config.json", R"("pad_token_id": 0)");
  folder["tokenizer_config.json"] = R"({"pad_token": "[PAD]"})";
  folder["tokenizer.json"] =
      SentencePiece(R"("added_tokens": [{"id": 6, "content": "[PAD]", "special": true}])");
  EXPECT_THAT(KeysOf(*ReadFolder(folder)), testing::Contains("tokenizer.ggml.padding_token_id = 0 "
                                                             "(config.json: pad_token_id)"));
}

TEST(SourceTokenizerTest, ASpecialTokenWithoutAnIdIsNotCompared) {
  SourceFolder folder = LlamaFolder();
  folder["tokenizer_config.json"] =
      R"({"pad_token": "<none>", "unk_token": null, "mask_token": ""})";
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<std::string> reasons;
  for (const auto& [group, why] : model->not_compared) {
    if (absl::StrContains(why, "neither")) reasons.push_back(why);
  }
  EXPECT_THAT(reasons, testing::ElementsAre("neither added_tokens nor config.json has the "
                                            "id of \"<none>\" (pad)"));
}

TEST(SourceTokenizerTest, TheKindOfTokenizer) {
  SourceFolder folder = LlamaFolder();
  const auto model_of = [&](const char* more) {
    folder["tokenizer.json"] = SentencePiece(more);
    const auto model = ReadFolder(folder);
    for (const SourceModel::Key& key : model->keys) {
      if (key.key == "tokenizer.ggml.model") {
        return absl::StrCat(std::get<std::string>(key.value),
                            key.also.empty() ? "" : " or another");
      }
    }
    return std::string();
  };
  EXPECT_EQ(model_of(R"("decoder": {"type": "Sequence"})"), "llama");
  EXPECT_EQ(model_of(R"("decoder": {"type": "Fuse"})"), "llama or another");
  folder["tokenizer.model"] = "pieces";
  EXPECT_EQ(model_of(R"("decoder": {"type": "Fuse"})"), "llama");
  folder["config.json"] = R"({"architectures": ["OtherForCausalLM"]})";
  EXPECT_EQ(model_of(R"("decoder": {"type": "Sequence"})"), "");
}

TEST(SourceTokenizerTest, WithoutMergesTheKeyIsNotRequired) {
  SourceFolder folder = LlamaFolder();
  folder["tokenizer.json"] = R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)),
              testing::Not(testing::Contains(HasSubstr("tokenizer.ggml.merges"))));
}

// Returns members of tokenizer.json for a template with special tokens around
// the text.
std::string Template(const std::string& first, const std::string& last) {
  const auto special = [](const std::string& token) {
    return absl::StrCat(R"({"SpecialToken": {"id": ")", token, R"("}})");
  };
  return absl::StrCat(
      R"("post_processor": {"processors": [{"type": "ByteLevel"},
         {"type": "TemplateProcessing", "single": [)",
      first.empty() ? "" : absl::StrCat(special(first), ","), R"({"Sequence": {"id": "A"}})",
      last.empty() ? "" : absl::StrCat(",", special(last)), "]}]}");
}

TEST(SourceTokenizerTest, ATemplateSaysWhatBeginsAndEndsAText) {
  SourceFolder folder = With("tokenizer.json", Template("<|start|>", ""));
  folder["tokenizer_config.json"] = R"({"bos_token": "<|start|>"})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)), testing::Contains("tokenizer.ggml.add_bos_token = true "
                                                             "(tokenizer.json: post_processor)"));
  folder["tokenizer_config.json"] = R"({"bos_token": "<|other|>"})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)), testing::Contains("tokenizer.ggml.add_bos_token = false "
                                                             "(tokenizer.json: post_processor)"));
  folder["tokenizer_config.json"] = R"({"bos_token": {"content": "<s>"}})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)),
              testing::Not(testing::Contains(HasSubstr("add_bos_token"))));
  folder["tokenizer_config.json"] = R"({"bos_token": "<|start|>", "add_bos_token": false})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)), testing::Contains("tokenizer.ggml.add_bos_token = false "
                                                             "(tokenizer_config.json)"));
}

TEST(SourceTokenizerTest, TheLastTokenOfATemplateMayReplaceTheEndOfText) {
  SourceFolder folder = With("tokenizer.json", Template("", "<|last|>"));
  std::string& tokens = folder["tokenizer.json"];
  const std::string list = R"("added_tokens": [)";
  tokens.insert(tokens.find(list) + list.size(),
                R"({"id": 4, "content": "<|last|>", "special": true},)");
  const auto model = ReadFolder(folder);
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<std::string> keys = KeysOf(*model);
  for (const char* key : {"tokenizer.ggml.eos_token_id = 4 (tokenizer.json: post_processor)",
                          "tokenizer.ggml.eot_token_id = 3 (tokenizer_config.json)",
                          "tokenizer.ggml.add_eos_token = true (tokenizer.json: "
                          "post_processor)"}) {
    EXPECT_THAT(keys, testing::Contains(key));
  }
  for (const SourceModel::Key& key : model->keys) {
    if (key.key != "tokenizer.ggml.eos_token_id") continue;
    EXPECT_THAT(key.also, ElementsAre(SourceValue(int64_t{3})));
  }
}

TEST(SourceTokenizerTest, NamesOfTemplatesAreThoseOfKeys) {
  SourceFolder folder = LlamaFolder();
  folder["tokenizer_config.json"] = R"({"chat_template": [
      {"name": "default", "template": "A"},
      {"name": "tool-use é", "template": "B"}]})";
  const std::vector<std::string> keys = KeysOf(*ReadFolder(folder));
  EXPECT_THAT(keys, testing::Contains("tokenizer.chat_template = A "
                                      "(tokenizer_config.json)"));
  EXPECT_THAT(keys, testing::Contains("tokenizer.chat_template.tool_use__ = B "
                                      "(tokenizer_config.json)"));
}

TEST(SourceTokenizerTest, TemplatesOfTheirOwnFiles) {
  SourceFolder folder = LlamaFolder();
  folder["tokenizer_config.json"] = "{}";
  folder["chat_template.jinja"] = "{{ jinja }}";
  folder["chat_template.json"] = R"({"chat_template": "{{ json }}"})";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)),
              testing::Contains("tokenizer.chat_template = {{ jinja }} "
                                "(chat_template.jinja)"));
  folder["chat_template.jinja"] = "{{ a }}\r\n{{ b }}";
  EXPECT_THAT(KeysOf(*ReadFolder(folder)),
              testing::Contains("tokenizer.chat_template = {{ a }}\n{{ b }} "
                                "(chat_template.jinja)"));
  folder.erase("chat_template.jinja");
  EXPECT_THAT(KeysOf(*ReadFolder(folder)), testing::Contains("tokenizer.chat_template = {{ json }} "
                                                             "(chat_template.json)"));
}

// Copying such a value would exhaust the stack.
TEST(SourceTokenizerTest, DeepMembersAreNotCopied) {
  constexpr size_t kDepth = 300000;
  const std::string deep =
      absl::StrCat(R"({"a": )", std::string(kDepth, '['), std::string(kDepth, ']'), "}");
  SourceFolder folder = With("tokenizer.json", absl::StrCat(R"("post_processor": )", deep));
  folder["config.json"] = absl::StrCat(R"({"architectures": ["LlamaForCausalLM"],
                       "text_config": )",
                                       deep, "}");
  EXPECT_TRUE(ReadFolder(folder).ok());
}

}  // namespace
}  // namespace gguf
