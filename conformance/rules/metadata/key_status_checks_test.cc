// Tests of keys that no reader reads, or not by that name.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kStatus = {
    {"key-known", "key-not-retired", "key-spelling", "key-spelling-loaded", "key-not-superseded"}};

GgufBuilder With(absl::string_view key, absl::string_view architecture = "llama") {
  GgufBuilder b;
  b.String("general.architecture", architecture).U32(key, 1);
  return b;
}

TEST(KeyStatusChecksTest, ASlipOfTheFingersIsNamed) {
  EXPECT_THAT(kStatus.MessagesIn(With("llama.block_cuont")),
              ElementsAre("kv[llama.block_cuont].key \"llama.block_cuont\" is not a standardized "
                          "key; did you mean \"llama.block_count\"?"));
  EXPECT_THAT(kStatus.MessagesIn(With("general.licence")),
              ElementsAre("kv[general.licence].key \"general.licence\" is not a standardized key; "
                          "did you mean \"general.license\"?"));
  EXPECT_THAT(kStatus.MessagesIn(With("tokenizer.ggml.whatever_it_is")),
              ElementsAre("kv[tokenizer.ggml.whatever_it_is].key \"tokenizer.ggml.whatever_it_is\" "
                          "is not a standardized key"));
  EXPECT_THAT(kStatus.MessagesIn(With("rwkv.architecture_versoin", "rwkv")),
              ElementsAre(testing::HasSubstr("\"rwkv.architecture_version\"")));
}

TEST(KeyStatusChecksTest, OthersNamespacesAreLeftAlone) {
  for (const char* key : {"example.key", "key", "gpt2.block_cuont", "general", "llamax.key",
                          "general.base_model.12.name", "general.dataset.0.url",
                          "tokenizer.chat_template.tool_use", "llama.block_count", ".key"}) {
    EXPECT_THAT(kStatus.In(With(key)), IsEmpty()) << key;
  }
  EXPECT_THAT(kStatus.In(With("newarch.own_key", "newarch")), IsEmpty());
  EXPECT_THAT(kStatus.In(With("clip.vision.new_projector.x", "clip")), IsEmpty());
}

TEST(KeyStatusChecksTest, RetiredKeys) {
  const GgufBuilder b = With("llama.num_layers");
  EXPECT_THAT(
      kStatus.MessagesIn(b),
      ElementsAre(
          "kv[llama.num_layers].key \"llama.num_layers\" was renamed to \"llama.block_count\""));
  EXPECT_THAT(kStatus.In(b, "spec"),
              ElementsAre("warning key-not-retired kv[llama.num_layers].key"));
}

TEST(KeyStatusChecksTest, OlderKeys) {
  const FindingsOf older = {{"key-recommended", "key-type-specified"}};
  for (const char* profile : {"upload", "spec", "llama.cpp"}) {
    EXPECT_THAT(older.In(With("gptj.rope.scale", "gptj"), profile),
                ElementsAre("note key-recommended kv[gptj.rope.scale].key"));
  }
  EXPECT_THAT(
      older.MessagesIn(PlainFile().Key("llama.rope.scale_linear", 6, ByteWriter().U32(0x3f800000))),
      ElementsAre("kv[llama.rope.scale_linear].key \"llama.rope.scale_linear\" is older than "
                  "\"llama.rope.scaling.factor\", which is recommended"));
}

TEST(KeyStatusChecksTest, WithItsSuccessorAKeyIsFine) {
  GgufBuilder b = With("tokenizer.ggml.seperator_token_id");
  EXPECT_THAT(kStatus.MessagesIn(b),
              ElementsAre("kv[tokenizer.ggml.seperator_token_id].key is misspelled; the "
                          "specification has \"tokenizer.ggml.separator_token_id\""));
  EXPECT_THAT(kStatus.In(b, "llama.cpp"), IsEmpty());
  b.U32("tokenizer.ggml.separator_token_id", 1);
  EXPECT_THAT(kStatus.In(b), IsEmpty());
}

TEST(KeyStatusChecksTest, KeysThatLlamaCppReadsByAnotherName) {
  const GgufBuilder b = With("tokenizer.ggml.separator_token_id");
  EXPECT_THAT(kStatus.In(b, "spec"), IsEmpty());
  EXPECT_THAT(kStatus.In(b, "llama.cpp"),
              ElementsAre("warning key-spelling-loaded kv[tokenizer.ggml.separator_token_id].key"));
  EXPECT_THAT(kStatus.In(With("mpt.attention.clip_kqv", "mpt")),
              ElementsAre("note key-spelling-loaded kv[mpt.attention.clip_kqv].key"));
  // Elsewhere it is a name of the first draft.
  EXPECT_THAT(kStatus.In(With("llama.attention.clip_kqv")),
              ElementsAre("note key-not-retired kv[llama.attention.clip_kqv].key"));
}

TEST(KeyStatusChecksTest, SupersededKeys) {
  const GgufBuilder b = With("general.datasets");
  EXPECT_THAT(kStatus.In(b), ElementsAre("note key-not-superseded kv[general.datasets].key"));
  EXPECT_THAT(kStatus.In(b, "spec"), IsEmpty());
}

TEST(KeyStatusChecksTest, ManyUnknownKeysTakeLittleTime) {
  GgufBuilder b = PlainFile();
  for (int i = 0; i < 100000; ++i) {
    b.U32("llama.attention.head_cuont" + std::to_string(i), 1);
  }
  EXPECT_EQ(kStatus.In(b).size(), 100u);  // Findings() measures the time.
  Findings(b.Build());
}

}  // namespace
}  // namespace gguf
