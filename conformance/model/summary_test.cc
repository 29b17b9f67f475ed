// SPDX-License-Identifier: Apache-2.0

#include "conformance/model/summary.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/base/text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::HasSubstr;
using testing::Not;

// Bytes and what was read of them.
class Parsed {
 public:
  explicit Parsed(std::string bytes, std::string name = "")
      : bytes_(std::move(bytes)),
        name_(std::move(name)),
        model_(Parse(Source(AsBytes(bytes_), bytes_.size(), name_), Limits(), &found_)) {}
  Model& model() { return model_; }

 private:
  const std::string bytes_, name_;
  Diagnostics found_{1};
  Model model_;
};

// Returns the text of a fact; empty if there is none.
std::string TextOf(const std::vector<Fact>& facts, const std::string& member) {
  for (const Fact& fact : facts) {
    if (fact.member == member) return fact.text;
  }
  return "";
}

ByteWriter TextArray(const GgufBuilder& b, const std::vector<std::string>& texts) {
  ByteWriter writer = b.New();
  writer.U32(8).Length(texts.size());
  for (const std::string& text : texts) writer.String(text);
  return writer;
}

// A model of 32 + 64 elements, the second tensor in Q8_0.
GgufBuilder Small() {
  GgufBuilder b;
  b.String("general.architecture", "llama")
      .String("general.name", "Tiny")
      .U32("llama.block_count", 2);
  b.U32("llama.embedding_length", 64).U32("llama.attention.head_count", 4);
  b.U32("llama.attention.head_count_kv", 2).U32("llama.context_length", 8192);
  b.Key("llama.rope.freq_base", 6, b.New().U32(0x48F42400));  // 500000.
  b.String("tokenizer.ggml.model", "llama");
  b.Key("tokenizer.ggml.tokens", 9, TextArray(b, {"<unk>", "<s>", "</s>\x1b[31m"}));
  b.U32("tokenizer.ggml.bos_token_id", 1).U32("tokenizer.ggml.eos_token_id", 2);
  b.U32("tokenizer.ggml.padding_token_id", 7).String("general.license", "mit");
  b.String("tokenizer.chat_template", "{{ a }}\nb\x1b[2J\nc\nd\ne\nf");
  b.Tensor("a", {32}, 0).Tensor("b", {64}, 8);
  return b;
}

TEST(SummaryTest, StatesTheFactsOfAModel) {
  Parsed parsed(Small().Build());
  const std::vector<Fact> facts = SummaryOf(parsed.model());
  EXPECT_THAT(TextOf(facts, "file"), HasSubstr("GGUF v3, "));
  EXPECT_EQ(TextOf(facts, "name"), "Tiny");
  EXPECT_EQ(TextOf(facts, "architecture"),
            "llama, blocks 2, embedding length 64, heads 4, KV heads 2");
  EXPECT_EQ(TextOf(facts, "parameters"), "96 (16.33 bits each) in 2 tensors");
  EXPECT_EQ(TextOf(facts, "types"),
            "F32 65.3 % (1 tensor, 128 bytes)\nQ8_0 34.7 % (1 tensor, 68 bytes)");
  EXPECT_EQ(TextOf(facts, "context_length"), "8,192 tokens");
  // Two blocks of keys and values of 32 numbers each, 2 bytes wide.
  EXPECT_EQ(TextOf(facts, "memory"), "2.10 MB in F16");
  EXPECT_EQ(TextOf(facts, "tokenizer"),
            "llama, 3 tokens\nbos 1 \"<s>\"\neos 2 \"</s>\\x1b[31m\"\npadding 7 (no such token)");
  EXPECT_EQ(TextOf(facts, "rope"), "base 500000, 16 dimensions");
  EXPECT_EQ(TextOf(facts, "templates"), "6 lines, 21 bytes\n| {{ a }}\n| b\\x1b[2J\n| c\n| d\n| e");
  EXPECT_EQ(TextOf(facts, "licence"), "mit");
}

TEST(SummaryTest, ABrokenFileHasWhatWasRead) {
  const std::string bytes = Small().Build();
  Parsed parsed(bytes.substr(0, 400));
  const std::vector<Fact> facts = SummaryOf(parsed.model());
  EXPECT_THAT(TextOf(facts, "incomplete"), HasSubstr("in part: "));
  EXPECT_EQ(TextOf(facts, "name"), "Tiny");
  EXPECT_EQ(TextOf(facts, "parameters"), "");
  Parsed other("<html>");
  EXPECT_THAT(SummaryOf(other.model()).size(), 2u);
}

TEST(SummaryTest, LegacyFilesShowTheirHeader) {
  Parsed parsed(absl::StrCat("fmgg", ByteWriter()
                                         .U32(1)
                                         .U32(1)
                                         .U32(4)
                                         .U32(4)
                                         .U32(2)
                                         .U32(1)
                                         .U32(2)
                                         .U32(0)
                                         .U32(3)
                                         .Raw("abc")
                                         .U32(0)
                                         .U32(1)
                                         .U32(1)
                                         .U32(0)
                                         .U32(2)
                                         .Raw("w")
                                         .U32(0)
                                         .U32(0)
                                         .bytes()));
  const std::vector<Fact> facts = SummaryOf(parsed.model());
  EXPECT_THAT(TextOf(facts, "file"), HasSubstr("GGMF v1, "));
  EXPECT_THAT(TextOf(facts, "hyperparameters"), HasSubstr("n_vocab 1, n_embd 4"));
  EXPECT_THAT(TextOf(facts, "types"), HasSubstr("F32 100.0 %"));
  std::vector<std::string> tokens;
  VisitTokens(parsed.model(),
              [&](absl::string_view text, std::optional<int32_t>) { tokens.emplace_back(text); });
  EXPECT_THAT(tokens, testing::ElementsAre("abc"));
}

TEST(SummaryTest, ShardsAreOneModel) {
  const auto shard = [](uint16_t number, const char* tensor) {
    GgufBuilder b;
    if (number == 0) b.String("general.architecture", "llama");
    b.Key("split.no", 2, b.New().U16(number)).Key("split.count", 2, b.New().U16(2));
    return b.Tensor(tensor, {32}, 0).Build();
  };
  const std::string one = shard(0, "a"), two = shard(1, "b");
  ModelFiles files;
  EXPECT_EQ(files.Whole(), nullptr);
  for (const auto& [name, bytes] :
       {std::pair("m-00002-of-00002.gguf", &two), std::pair("m-00001-of-00002.gguf", &one)}) {
    EXPECT_FALSE(files.Add(Source(AsBytes(*bytes), bytes->size(), name), Limits()).has_value());
  }
  const std::vector<Fact> facts = SummaryOf(*files.Whole());
  EXPECT_THAT(TextOf(facts, "file"), HasSubstr(" in 2 of 2 shards"));
  EXPECT_THAT(TextOf(facts, "parameters"), HasSubstr("64 "));
  EXPECT_THAT(TextOf(facts, "architecture"), HasSubstr("llama"));
}

TEST(SummaryTest, FilesStandSideBySideAndDifferencesAreMarked) {
  Parsed one(Small().Build()),
      two(Small().String("general.size_label", "1K").Tensor("c", {32}, 0).Build());
  const std::string text =
      SummaryText({{"one.gguf", SummaryOf(one.model())}, {"two.gguf", SummaryOf(two.model())}}, 80);
  EXPECT_THAT(text, HasSubstr("one.gguf                         two.gguf\n"));
  EXPECT_THAT(text, HasSubstr("\n* parameters   96 (16.33 bits each) in 2"));
  EXPECT_THAT(text, HasSubstr("\n  context      8,192 tokens"));
  for (const absl::string_view line : absl::StrSplit(text, '\n'))
    EXPECT_LE(line.size(), 80u) << line;
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(SummaryTest, WhatHasNoSpaceIsCut) {
  const NamedSummary model = {std::string(100, 'n'), {{"name", "name", "", std::string(200, 'x')}}};
  for (const absl::string_view line : absl::StrSplit(SummaryText({model}, 80), '\n')) {
    EXPECT_LE(line.size(), 80u);
  }
}

TEST(SummaryTest, TokensHaveTypesIfTheFileHas) {
  GgufBuilder b = Small();
  b.Key("tokenizer.ggml.token_type", 9, b.New().U32(5).Length(3).U32(2).U32(3).U32(3));
  Parsed parsed(b.Build());
  std::string all;
  VisitTokens(parsed.model(), [&](absl::string_view text, std::optional<int32_t> type) {
    absl::StrAppend(&all, Escape(text), "=", type.value_or(-1), " ");
  });
  EXPECT_EQ(all, "<unk>=2 <s>=3 </s>\\x1b[31m=3 ");
}

}  // namespace
}  // namespace gguf
