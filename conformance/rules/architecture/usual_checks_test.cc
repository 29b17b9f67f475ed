// Tests of what all published models of an architecture have.
//
// SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/find_standard_key.h"
#include "conformance/tables/tensors.h"
#include "conformance/tables/usual.h"
#include "conformance/testing/tiny_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

bool IsUsualRule(absl::string_view rule) {
  return absl::StartsWith(rule, "usual-") || rule == "pooling-type-present" ||
         rule == "beginning-token-added";
}

// Returns the smallest model of an architecture with a vocabulary of ten tokens.
TinyModel WithTokens(absl::string_view architecture, TinyValues values = {}) {
  values.emplace_back("{arch}.vocab_size", "-");
  TinyModel model = MakeTinyModel(architecture, values);
  model.RemoveKey("tokenizer.ggml.model");
  model.AddKey("tokenizer.ggml.model", "str rwkv");
  ByteWriter tokens;
  tokens.U32(8).U64(10);
  for (int i = 0; i < 10; ++i) tokens.String(absl::StrCat("t", i));
  model.AddKey("tokenizer.ggml.tokens", 9, tokens);
  return model;
}

// Returns the findings of these rules, as "tensor[x] message".
std::vector<std::string> MessagesIn(const TinyModel& model) {
  const std::string bytes = model.Build();
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), {});
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    const Diagnostic& found = finding.diagnostic;
    if (!IsUsualRule(found.rule->id)) continue;
    EXPECT_EQ(finding.severity, Severity::kWarning);
    lines.push_back(absl::StrCat(found.subject, " ", found.message));
  }
  return lines;
}

void AddBiases(int blocks, TinyModel* model) {
  for (int block = 0; block < blocks; ++block) {
    for (const char* name : {"attn_q", "attn_k", "attn_v"}) {
      const std::string begin = absl::StrCat("blk.", block, ".", name);
      model->tensors.push_back({begin + ".bias", {model->Tensor(begin + ".weight").dims[1]}});
    }
  }
}

TEST(UsualChecksTest, RotationOfLongTexts) {
  TinyModel model = WithTokens("qwen3", {{"{arch}.context_length", "u32 8193"}});
  EXPECT_THAT(MessagesIn(model),
              ElementsAre(HasSubstr("kv[qwen3.rope.freq_base] is absent, but all published models "
                                    "of the architecture \"qwen3\" have it; without it, llama.cpp "
                                    "takes a base of 10000")));
  model.AddKey("qwen3.rope.freq_base", "f32 1000000");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
  EXPECT_THAT(MessagesIn(WithTokens("qwen3", {{"{arch}.context_length", "u32 8192"}})), IsEmpty());
  // Models for longer texts than Llama 2 scale positions instead.
  const TinyValues kLong = {{"{arch}.context_length", "u32 16384"}};
  EXPECT_EQ(MessagesIn(WithTokens("llama", kLong)).size(), 1u);
  for (const char* key : {"llama.rope.scale_linear", "llama.rope.scaling.factor"}) {
    TinyModel scaled = WithTokens("llama", kLong);
    scaled.AddKey(key, "f32 4");
    EXPECT_THAT(MessagesIn(scaled), IsEmpty()) << key;
  }
}

TEST(UsualChecksTest, FilesWithoutTokensAreNotJudged) {
  EXPECT_THAT(MessagesIn(MakeTinyModel("gemma2")), IsEmpty());
  EXPECT_EQ(MessagesIn(WithTokens("gemma2")).size(), 2u);
}

TEST(UsualChecksTest, GatingFunctionBesideCorrections) {
  TinyModel model = WithTokens("deepseek2");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
  model.tensors.push_back({"blk.1.exp_probs_b.bias", {3}});
  EXPECT_THAT(MessagesIn(model),
              ElementsAre(HasSubstr("kv[deepseek2.expert_gating_func] is absent")));
  model.AddKey("deepseek2.expert_gating_func", "u32 2");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
}

TEST(UsualChecksTest, FrequenciesOfLlama31) {
  const auto messages = [](const char* length, const char* base) {
    TinyModel model = WithTokens("llama", {{"{arch}.context_length", length}});
    model.AddKey("llama.rope.freq_base", base);
    return MessagesIn(model);
  };
  EXPECT_THAT(messages("u32 131072", "f32 500000"),
              ElementsAre(HasSubstr("published models all have \"rope_freqs.weight\", but it is "
                                    "missing; without it, llama.cpp rotates positions")));
  EXPECT_THAT(messages("u32 8192", "f32 500000"), IsEmpty());
  EXPECT_THAT(messages("u32 131072", "f32 1000000"), IsEmpty());
  EXPECT_THAT(messages("u32 131072", "f32 nan"), IsEmpty());
}

TEST(UsualChecksTest, BiasesOfAll) {
  TinyModel model = WithTokens("qwen2");
  EXPECT_THAT(MessagesIn(model),
              ElementsAre("kv[general.architecture] is \"qwen2\", whose published models all "
                          "have \"blk.0.attn_q.bias\", but it is missing, as are 5 others; without "
                          "it, llama.cpp adds nothing to the queries, keys and values"));
  AddBiases(2, &model);
  EXPECT_THAT(MessagesIn(model), IsEmpty());
  // KORMo has none.
  TinyModel kormo = WithTokens("qwen2");
  kormo.AddKey("tokenizer.ggml.pre", "str kormo");
  EXPECT_THAT(MessagesIn(kormo), IsEmpty());
}

TEST(UsualChecksTest, BiasesOfOneBlock) {
  TinyModel model = WithTokens("llama");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
  AddBiases(1, &model);
  EXPECT_THAT(MessagesIn(model),
              ElementsAre("kv[general.architecture] is \"llama\", and some blocks have such a "
                          "tensor, but \"blk.1.attn_q.bias\" is missing, as are 2 others; without "
                          "it, llama.cpp adds nothing to the queries, keys and values"));
  model.Remove("blk.0.attn_q.bias");
  model.Remove("blk.0.attn_k.bias");
  model.Remove("blk.0.attn_v.bias");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
}

TEST(UsualChecksTest, PoolingOfTaggedModels) {
  const auto messages = [](const std::vector<std::string>& tags) {
    TinyModel model = WithTokens("qwen3");
    ByteWriter value;
    value.U32(8).U64(tags.size());
    for (const std::string& tag : tags) value.String(tag);
    model.AddKey("general.tags", 9, value);
    return MessagesIn(model);
  };
  EXPECT_THAT(messages({"text-generation", "sentence-transformers"}),
              ElementsAre("kv[qwen3.pooling_type] is absent, but general.tags say that the model "
                          "makes embeddings of texts; without it, llama.cpp returns an embedding "
                          "of each token"));
  EXPECT_EQ(messages({"Sentence-Similarity"}).size(), 1u);
  EXPECT_THAT(messages({"feature-extraction"}), IsEmpty());
  EXPECT_THAT(messages({"sentence-transformers", "ColBERT"}), IsEmpty());
  EXPECT_THAT(messages({"sentence-transformers", "text-ranking"}), IsEmpty());
}

TEST(UsualChecksTest, BeginningToken) {
  TinyModel model = WithTokens("gemma3");
  EXPECT_THAT(MessagesIn(model), IsEmpty());
  model.AddKey("tokenizer.ggml.add_bos_token", "bool 0");
  EXPECT_THAT(MessagesIn(model),
              ElementsAre("kv[tokenizer.ggml.add_bos_token].value is false, but all published "
                          "models of the architecture gemma3 were trained with the beginning "
                          "token"));
}

TEST(UsualTableTest, RowsNameKnownArchitecturesKeysAndTensors) {
  for (uint16_t a = 0; a < kArchitectures; ++a) {
    std::set<std::string> tensors;
    for (const TensorRow& row : kTensors.Of(a)) tensors.insert(row.name);
    for (const UsualRow& row : kUsual.Of(a)) {
      EXPECT_NE(*row.without, 0) << *row.names.begin();
      EXPECT_FALSE(absl::EndsWith(row.without, ".")) << row.without;
      for (const char* name : row.names) {
        if (row.what == UsualWhat::kKey) {
          EXPECT_NE(FindStandardKey(name, ""), nullptr) << name;
        } else if (row.what == UsualWhat::kTensor) {
          EXPECT_EQ(tensors.count(name), 1u) << kArchitectureRows[a].name << " " << name;
        }
      }
    }
  }
}

}  // namespace
}  // namespace gguf
