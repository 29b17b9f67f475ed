// Tokenizer models, pre-tokenizers and merges.
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

const FindingsOf kModel = {{"tokenizer-model-known", "tokenizer-model-in-spec",
                            "pre-tokenizer-known", "pre-tokenizer-present"}};
const FindingsOf kMerges = {{"merges-have-two-parts", "merge-parts-known"}};

TEST(TokenizerChecksTest, ModelKnown) {
  EXPECT_THAT(kModel.In(VocabularyFile("llama", {"a"})), IsEmpty());
  EXPECT_THAT(
      kModel.MessagesIn(VocabularyFile("nonesuch", {"a"})),
      ElementsAre(
          "kv[tokenizer.ggml.model].value is \"nonesuch\", which llama.cpp does not support"));
  EXPECT_THAT(kModel.In(VocabularyFile("replit", {"a"}), "llama.cpp"),
              ElementsAre("error tokenizer-model-known kv[tokenizer.ggml.model].value"));
  EXPECT_THAT(kModel.In(VocabularyFile("replit", {"a"}), "spec"), IsEmpty());
  EXPECT_THAT(kModel.In(VocabularyFile("t5", {"a"}), "llama.cpp"), IsEmpty());
  EXPECT_THAT(kModel.In(VocabularyFile("t5", {"a"}), "spec"),
              ElementsAre("warning tokenizer-model-in-spec kv[tokenizer.ggml.model].value"));
}

TEST(TokenizerChecksTest, PreTokenizers) {
  const auto pre = [](const char* model, const char* name) {
    return VocabularyFile(model, {"a"}).String("tokenizer.ggml.pre", name);
  };
  EXPECT_THAT(kModel.In(pre("gpt2", "llama-bpe")), IsEmpty());
  EXPECT_THAT(kModel.MessagesIn(pre("gpt2", "nonesuch")),
              ElementsAre(testing::StartsWith(
                  "kv[tokenizer.ggml.pre].value is \"nonesuch\", which llama.cpp ")));
  EXPECT_THAT(kModel.MessagesIn(pre("gpt2", "")),
              ElementsAre("kv[tokenizer.ggml.pre].value is empty"));
  EXPECT_THAT(
      kModel.MessagesIn(VocabularyFile("gpt2", {"a"})),
      ElementsAre("kv[tokenizer.ggml.model].value is gpt2, but tokenizer.ggml.pre is absent"));
  // Only BPE has them, and gemma4 its own.
  EXPECT_THAT(kModel.In(pre("llama", "nonesuch")), IsEmpty());
  EXPECT_THAT(kModel.In(pre("gemma4", "nonesuch")), IsEmpty());
  EXPECT_THAT(kModel.In(VocabularyFile("llama", {"a"})), IsEmpty());
}

TEST(TokenizerChecksTest, ReadersInCStopAtANul) {
  const auto named = [](absl::string_view model, absl::string_view pre) {
    return VocabularyFile(model, {"a"}).String("tokenizer.ggml.pre", pre);
  };
  const absl::string_view gpt2("gpt2\0x", 6), gpt_2("gpt-2\0x", 7);
  EXPECT_THAT(kModel.In(named(gpt2, gpt_2), "llama.cpp"), IsEmpty());
  EXPECT_THAT(kModel.MessagesIn(named("gpt2", absl::string_view("\0x", 2))),
              ElementsAre("kv[tokenizer.ggml.pre].value is empty"));
}

GgufBuilder Merging(const std::vector<std::string>& merges) {
  GgufBuilder file = VocabularyFile("gpt2", {"a", "b", " "});
  AddStrings("merges", merges, &file);
  return file;
}

TEST(TokenizerChecksTest, MergesHaveTwoParts) {
  EXPECT_THAT(kMerges.In(Merging({"a b", "b a", "  a"})), IsEmpty());
  for (const char* merge : {"", "a", "ab", "a ", " a", " ", "  "}) {
    EXPECT_THAT(kMerges.In(Merging({"a b", merge}), "spec"),
                ElementsAre("warning merges-have-two-parts kv[tokenizer.ggml.merges].value[1]"))
        << merge;
  }
  EXPECT_THAT(kMerges.MessagesIn(Merging({"a b", "ab", "ba"})),
              ElementsAre("kv[tokenizer.ggml.merges].value[1] is \"ab\", which is not two parts "
                          "separated by a space; the first of 2"));
}

TEST(TokenizerChecksTest, MergePartsKnown) {
  EXPECT_THAT(kMerges.In(Merging({"a b", "c b"})),
              ElementsAre("note merge-parts-known kv[tokenizer.ggml.merges].value[1]"));
  EXPECT_THAT(kMerges.MessagesIn(Merging({"b c", "b a b"}), "llama.cpp"),
              ElementsAre("kv[tokenizer.ggml.merges].value[0] is \"b c\", a part of which is not a "
                          "token; the first of 2"));
}

}  // namespace
}  // namespace gguf
