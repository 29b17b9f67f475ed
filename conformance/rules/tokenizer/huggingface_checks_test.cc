// The tokenizer.json of Hugging Face's library.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "conformance/testing/vocabulary_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kJson = {{"huggingface-json-parses", "huggingface-json-agrees"}};

GgufBuilder WithJson(const char* json) {
  GgufBuilder file = VocabularyFile("rwkv", {"a", "b", "c", "d"});
  AddI32s("token_type", {1, 5, 1, 5}, &file);
  return file.String("tokenizer.huggingface.json", json);
}

TEST(HuggingFaceChecksTest, JsonParses) {
  EXPECT_THAT(kJson.MessagesIn(WithJson("{\"model\": }")),
              ElementsAre("kv[tokenizer.huggingface.json].value is not valid JSON at byte 11"));
  for (const char* json : {"[]", "1", "\"{}\"", "null"}) {
    EXPECT_THAT(kJson.MessagesIn(WithJson(json)),
                ElementsAre("kv[tokenizer.huggingface.json].value is valid "
                            "JSON, but not an object"));
  }
  EXPECT_THAT(kJson.In(WithJson("")), ElementsAre("warning huggingface-json-parses "
                                                  "kv[tokenizer.huggingface.json].value"));
}

TEST(HuggingFaceChecksTest, JsonAgrees) {
  constexpr char k4[] = R"({"model": {"vocab": {"a": 0, "b": 1, "c": 2, "d": 3}}})";
  constexpr char k3[] = R"({"model": {"vocab": {"a": 0, "b": 1, "c": 2}}})";
  constexpr char k2[] = R"({"model": {"vocab": {"a": 0, "b": 1}}})";
  EXPECT_THAT(kJson.In(WithJson(k4)), IsEmpty());
  // The last token is not used.
  EXPECT_THAT(kJson.In(WithJson(k3)), IsEmpty());
  EXPECT_THAT(kJson.MessagesIn(WithJson(k2)),
              ElementsAre("kv[tokenizer.huggingface.json].value has 2 tokens, "
                          "but tokenizer.ggml.tokens has 4"));
  EXPECT_THAT(kJson.In(WithJson("{}")), IsEmpty());
  EXPECT_THAT(kJson.NotCheckedIn(WithJson("{}")),
              ElementsAre("huggingface-json-agrees: the JSON has no "
                          "model.vocab"));
}

}  // namespace
}  // namespace gguf
