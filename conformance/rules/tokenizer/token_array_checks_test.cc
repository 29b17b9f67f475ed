// Tests the checks of the arrays that accompany the tokens.
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

const FindingsOf kArrays = {{"token-arrays-long-enough", "token-arrays-no-longer",
                             "tokenizer-array-types", "token-scores-float", "token-type-known",
                             "token-type-in-spec"}};

// Three tokens with these types.
GgufBuilder Types(const std::vector<int32_t>& types) {
  GgufBuilder file = VocabularyFile("rwkv", {"a", "b", "c"});
  AddI32s("token_type", types, &file);
  return file;
}

// Three tokens with as many scores of a type of this size.
GgufBuilder Scores(uint32_t type, uint64_t size, uint64_t count) {
  GgufBuilder file = VocabularyFile("rwkv", {"a", "b", "c"});
  file.Key("tokenizer.ggml.scores", 9, file.New().U32(type).Length(count).Zeros(size * count));
  return file;
}

TEST(TokenArrayChecksTest, ArraysWithoutTokens) {
  const auto scores = [](uint64_t count) {
    GgufBuilder file = PlainFile();
    file.Key("tokenizer.ggml.scores", 9, file.New().U32(6).Length(count).Zeros(4 * count));
    return file;
  };
  EXPECT_THAT(kArrays.In(scores(0), "spec"), IsEmpty());
  EXPECT_THAT(kArrays.In(scores(1), "spec"),
              ElementsAre("error token-arrays-no-longer kv[tokenizer.ggml.scores].value"));
  EXPECT_THAT(
      kArrays.MessagesIn(scores(2)),
      ElementsAre(
          "kv[tokenizer.ggml.scores].value has 2 elements, but there is no tokenizer.ggml.tokens"));
}

TEST(TokenArrayChecksTest, Lengths) {
  EXPECT_THAT(kArrays.In(Types({1, 1, 1})), IsEmpty());
  EXPECT_THAT(kArrays.In(Scores(6, 4, 3)), IsEmpty());
  for (const char* profile : {"upload", "spec", "llama.cpp", "safety"}) {
    EXPECT_THAT(kArrays.In(Types({1, 1}), profile),
                ElementsAre("error token-arrays-long-enough kv[tokenizer.ggml.token_type].value"));
    EXPECT_THAT(kArrays.In(Scores(6, 4, 0), profile),
                ElementsAre("error token-arrays-long-enough kv[tokenizer.ggml.scores].value"));
  }
  EXPECT_THAT(kArrays.MessagesIn(Scores(6, 4, 4)),
              ElementsAre("kv[tokenizer.ggml.scores].value has 4 elements for 3 tokens"));
  EXPECT_THAT(kArrays.In(Types({1, 1, 1, 1}), "spec"),
              ElementsAre("error token-arrays-no-longer kv[tokenizer.ggml.token_type].value"));
}

TEST(TokenArrayChecksTest, TypesOfArrays) {
  // The rules about standardized keys report it, except in `safety`.
  EXPECT_THAT(kArrays.In(Scores(0, 1, 3)), IsEmpty());
  EXPECT_THAT(kArrays.MessagesIn(Scores(0, 1, 3), "safety"),
              ElementsAre("kv[tokenizer.ggml.scores].type is arr[u8], not arr[i32] or arr[f32]"));
  EXPECT_THAT(kArrays.In(Scores(5, 4, 3), "safety"), IsEmpty());
  EXPECT_THAT(kArrays.In(Scores(5, 4, 3)),
              ElementsAre("warning token-scores-float kv[tokenizer.ggml.scores].type"));
  EXPECT_THAT(kArrays.In(Scores(6, 4, 3), "safety"), IsEmpty());
}

TEST(TokenArrayChecksTest, TypesOfTokens) {
  EXPECT_THAT(kArrays.In(Types({1, 6, 2})), IsEmpty());
  EXPECT_THAT(
      kArrays.MessagesIn(Types({1, 7, -1})),
      ElementsAre(
          "kv[tokenizer.ggml.token_type].value[1] is 7, not 0 to 6; the first of 2 such types"));
  EXPECT_THAT(kArrays.MessagesIn(Types({1, 1, -1})),
              ElementsAre("kv[tokenizer.ggml.token_type].value[2] is -1, not 0 to 6"));
  EXPECT_THAT(kArrays.In(Types({0, 1, 1}), "spec"),
              ElementsAre("warning token-type-in-spec kv[tokenizer.ggml.token_type].value[0]"));
  EXPECT_THAT(kArrays.In(Types({0, 1, 1}), "llama.cpp"), IsEmpty());
}

}  // namespace
}  // namespace gguf
