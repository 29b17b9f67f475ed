// Counting the tokens of a tokenizer.json.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/tokenizer/huggingface_json.h"

#include <string>

#include "gtest/gtest.h"

namespace gguf {
namespace {

std::optional<uint64_t> Tokens(const std::string& json) {
  const HuggingFaceTokenizer read = ReadHuggingFaceTokenizer(json);
  EXPECT_EQ(read.fault, std::nullopt) << json;
  return read.tokens;
}

TEST(HuggingFaceJsonTest, CountsTheVocabulary) {
  EXPECT_EQ(Tokens(R"({"model": {"vocab": {}}})"), 0u);
  EXPECT_EQ(Tokens(R"({"model": {"vocab": {"a": 0, "vocab": 1}}})"), 2u);
  EXPECT_EQ(Tokens(R"({"model": {"vocab": [["a", 0.5], ["b", 1]]}})"), 2u);
  // Objects inside count once, and what follows does not count.
  EXPECT_EQ(Tokens(R"({"model": {"vocab": {"a": {"b": 1, "c": [2]}},
                       "merges": ["a b", ["c", "d"]]}, "x": {"vocab": {"a":
                       1}}})"),
            1u);
}

TEST(HuggingFaceJsonTest, CountsAddedTokensBeyondIt) {
  EXPECT_EQ(Tokens(R"({"added_tokens": [{"id": 1}, {"id": 2}, {"id": 3},
                       {"id": 3}], "model": {"vocab": {"a": 0, "b": 1}}})"),
            4u);
  EXPECT_EQ(Tokens(R"({"model": {"vocab": {"a": 0}}, "added_tokens": [{
                       "content": {"id": 9}, "id": 1}]})"),
            2u);
}

TEST(HuggingFaceJsonTest, SaysWhenThereIsNoVocabulary) {
  for (const char* json : {"{}", "[]", "1", R"({"vocab": {"a": 1}})", R"({"model": {}})",
                           R"({"model": {"vocab": 1}})", R"([{"vocab": {"a": 1}}])"}) {
    EXPECT_EQ(Tokens(json), std::nullopt) << json;
  }
}

TEST(HuggingFaceJsonTest, SaysWhereTheTextIsNoJson) {
  EXPECT_EQ(ReadHuggingFaceTokenizer("").fault, 1u);
  EXPECT_EQ(ReadHuggingFaceTokenizer("{} x").fault, 4u);
  EXPECT_TRUE(ReadHuggingFaceTokenizer("{\"a\": \"\xff\"}").fault.has_value());
  EXPECT_TRUE(ReadHuggingFaceTokenizer("{\"a\": 1e9999}").fault.has_value());
}

TEST(HuggingFaceJsonTest, DepthCostsNoStack) {
  const std::string deep(1000000, '[');
  EXPECT_EQ(ReadHuggingFaceTokenizer(deep).fault, deep.size() + 1);
  EXPECT_EQ(Tokens(deep + std::string(deep.size(), ']')), std::nullopt);
}

}  // namespace
}  // namespace gguf
