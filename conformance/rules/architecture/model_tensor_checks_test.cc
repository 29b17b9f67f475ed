// Models with tensors missing, superfluous or of the wrong shape.
//
// SPDX-License-Identifier: Apache-2.0

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/exempt_tensors.h"
#include "conformance/tables/tensors.h"
#include "conformance/testing/tiny_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr uint32_t kF16 = 1;                         // Types of tensors.
constexpr uint32_t kU16 = 2, kU32 = 4, kString = 8;  // Types of keys.

bool IsAboutTensors(absl::string_view rule) {
  return absl::StartsWith(rule, "model-") || rule == "vocabulary-fits-embedding" ||
         rule == "attention-has-projections";
}

// Returns the findings of this test's rules, as "error model-tensors-known
// tensor[x]: message".
std::vector<std::string> Found(const std::string& bytes, absl::string_view profile = "upload") {
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find(profile), {});
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    if (!IsAboutTensors(diagnostic.rule->id)) continue;
    lines.push_back(absl::StrCat(SeverityName(finding.severity), " ", diagnostic.rule->id, " ",
                                 diagnostic.subject, " ", diagnostic.message));
  }
  return lines;
}

std::vector<std::string> Found(const TinyModel& model, absl::string_view profile = "upload") {
  return Found(model.Build(), profile);
}

// A tiny model, with sizes that can be told apart in a message.
TinyModel ModelOf(absl::string_view architecture) {
  TinyValues values = {{"{arch}.block_count", "u32 3"},
                       {"{arch}.embedding_length", "u32 64"},
                       {"{arch}.feed_forward_length", "u32 96"},
                       {"{arch}.attention.head_count", "u32 4"},
                       {"{arch}.attention.head_count_kv", "u32 2"},
                       {"{arch}.rope.dimension_count", "u32 16"},
                       {"{arch}.vocab_size", "u32 32"}};
  if (architecture == "qwen2moe") {
    values.push_back({"{arch}.expert_count", "u32 5"});
  }
  return MakeTinyModel(architecture, values);
}

// Returns why the rules of this test were not checked; empty when they were.
std::string WhyNotChecked(const std::string& bytes) {
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("llama.cpp"), {});
  for (const FileReport::NotChecked& entry : report.not_checked) {
    if (IsAboutTensors(entry.rule->id)) return std::string(entry.why.view());
  }
  return "";
}

TEST(ModelTensorChecksTest, MessagesGiveBothSides) {
  TinyModel model = ModelOf("llama");
  model.Tensor("blk.1.ffn_up.weight").dims = {64, 95};
  model.Tensor("blk.2.attn_k.weight").dims = {64};
  EXPECT_THAT(Found(model),
              ElementsAre("error model-tensor-shapes tensor[blk.1.ffn_up.weight].dims are [64, "
                          "95], not [64, 96], which follows from llama.feed_forward_length (96)",
                          "error model-tensor-shapes tensor[blk.2.attn_k.weight].dims are [64], "
                          "not [64, 32], which follows from llama.attention.head_count_kv (2), "
                          "llama.attention.head_count (4) and llama.embedding_length (64)"));
  model = ModelOf("llama");
  model.Remove("blk.1.ffn_up.weight");
  EXPECT_THAT(Found(model),
              ElementsAre("error model-tensors-present kv[general.architecture] is \"llama\", but "
                          "the required tensor \"blk.1.ffn_up.weight\" is missing"));
}

// llama.cpp uses 0 for a size that no key gives.
TEST(ModelTensorChecksTest, SizesWithoutAKeyAreZero) {
  TinyModel model = ModelOf("rwkv6");
  model.RemoveKey("rwkv6.feed_forward_length");
  EXPECT_THAT(
      Found(model, "llama.cpp"),
      Contains("error model-tensor-shapes tensor[blk.0.channel_mix_key.weight].dims are "
               "[64, 96], not [64, 0], which follows from rwkv6.feed_forward_length (absent)"));
  // When a rule about keys has reported it, no other rule does.
  model = ModelOf("llama");
  model.RemoveKey("llama.feed_forward_length");
  EXPECT_THAT(Found(model, "llama.cpp"), IsEmpty());
  EXPECT_NE(WhyNotChecked(model.Build()), "");
}

TEST(ModelTensorChecksTest, SuperfluousTensorsAreRefusedByLlamaCpp) {
  TinyModel model = ModelOf("llama");
  model.tensors.push_back({"blk.0.attn_qq.weight", {64, 64}});
  model.tensors.push_back({"blk.00.attn_q.weight", {64, 64}});
  model.tensors.push_back({"blk.0.ffn_gate_inp.weight", {64, 4}});
  const std::vector<std::string> expected = {
      " model-tensors-known tensor[blk.0.attn_qq.weight] is not a tensor of the architecture "
      "\"llama\"",
      " model-tensors-known tensor[blk.00.attn_q.weight] is not a tensor of the architecture "
      "\"llama\"",
      " model-tensors-known tensor[blk.0.ffn_gate_inp.weight] is a tensor of the architecture "
      "\"llama\", but not with these hyperparameters and the other tensors",
  };
  for (const auto& [profile, severity] :
       {std::make_pair("upload", "warning"), {"llama.cpp", "error"}}) {
    const auto found = Found(model, profile);
    ASSERT_THAT(found, SizeIs(3));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(found[i], severity + expected[i]);
  }
}

TEST(ModelTensorChecksTest, FusedProjectionsReplaceTheThree) {
  TinyModel model = ModelOf("llama");
  model.tensors.push_back({"blk.1.attn_qkv.weight", {64, 128}});
  EXPECT_THAT(Found(model, "llama.cpp"), SizeIs(3));  // Next to the three.
  for (const char* part : {"q", "k", "v"}) {
    model.Remove(absl::StrCat("blk.1.attn_", part, ".weight"));
  }
  EXPECT_THAT(Found(model, "llama.cpp"), IsEmpty());
}

TEST(ModelTensorChecksTest, AttentionWithoutProjectionsIsNone) {
  TinyModel model = ModelOf("phi3");
  model.Remove("blk.2.attn_qkv.weight");
  EXPECT_THAT(
      Found(model),
      ElementsAre("error attention-has-projections kv[general.architecture] is that of a model "
                  "with attention, but there is neither \"blk.2.attn_qkv.weight\" nor "
                  "\"blk.2.attn_q.weight\""));
  model.tensors.push_back({"blk.2.attn_q.weight", {64, 64}});
  model.tensors.push_back({"blk.2.attn_k.weight", {64, 32}});
  EXPECT_THAT(Found(model), ElementsAre(HasSubstr("blk.2.attn_v.weight")));
  model.tensors.push_back({"blk.2.attn_v.weight", {64, 32}});
  EXPECT_THAT(Found(model), IsEmpty());
}

TEST(ModelTensorChecksTest, OutputMayBeTied) {
  TinyModel model = ModelOf("llama");
  model.tensors.push_back({"output.weight", {64, 32}});
  EXPECT_THAT(Found(model, "llama.cpp"), IsEmpty());
  model.Tensor("output.weight").dims = {64, 31};
  EXPECT_THAT(Found(model), ElementsAre("error model-tensor-shapes tensor[output.weight].dims are "
                                        "[64, 31], not [64, 32], which follows from "
                                        "llama.vocab_size (32)"));
}

TEST(ModelTensorChecksTest, TheVocabularyIsComparedOnce) {
  TinyModel model = ModelOf("llama");
  model.tensors.push_back({"output.weight", {64, 33}});
  model.Tensor("token_embd.weight").dims = {64, 33};
  EXPECT_THAT(Found(model),
              ElementsAre("error vocabulary-fits-embedding tensor[token_embd.weight].dims make 33 "
                          "rows, but the vocabulary has 32 tokens"));
}

TEST(ModelTensorChecksTest, BlocksAreThoseOfTheCount) {
  TinyModel whole = ModelOf("llama");
  TinyModel model = whole;
  for (const TinyTensor& tensor : whole.tensors) {
    if (absl::StartsWith(tensor.name, "blk.1.")) model.Remove(tensor.name);
  }
  const std::string gap =
      "error model-blocks-present kv[llama.block_count].value gives 3 blocks, but there are no "
      "tensors of blk.1";
  for (const char* profile : {"upload", "llama.cpp", "spec"}) {
    EXPECT_THAT(Found(model, profile), ElementsAre(gap)) << profile;
  }
  model = whole;
  for (TinyTensor& tensor : model.tensors) {
    absl::StrReplaceAll({{"blk.2.", "blk.7."}}, &tensor.name);
  }
  EXPECT_THAT(Found(model), ElementsAre("error model-blocks-present kv[llama.block_count].value "
                                        "gives 3 blocks, but there are no tensors of blk.2",
                                        "error model-block-in-count tensor[blk.7.attn_norm.weight] "
                                        "is of \"blk.7\", but the number of blocks is 3"));
}

TEST(ModelTensorChecksTest, BlocksForPredictionAreNamed) {
  // A file whose last block was left out, with and without the key.
  TinyModel model = ModelOf("glm4");
  std::vector<std::string> last;
  for (const TinyTensor& tensor : model.tensors) {
    if (absl::StartsWith(tensor.name, "blk.2.")) last.push_back(tensor.name);
  }
  for (const std::string& name : last) model.Remove(name);
  EXPECT_THAT(Found(model),
              ElementsAre(HasSubstr("which the file lacks, glm4.nextn_predict_layers is missing")));
  model.AddKey("glm4.nextn_predict_layers", kU32, ByteWriter().U32(1));
  EXPECT_THAT(Found(model),
              Contains(HasSubstr("no tensors of blk.2; by glm4.nextn_predict_layers, the last are "
                                 "for prediction (multi-token prediction)")));
  // An architecture in which llama.cpp reads none.
  model = ModelOf("llama");
  model.AddKey("llama.nextn_predict_layers", kU32, ByteWriter().U32(1));
  EXPECT_THAT(Found(model),
              Contains(HasSubstr("is of \"blk.2\", but by llama.nextn_predict_layers "
                                 "the model has 2 blocks without those for prediction")));
}

TEST(ModelTensorChecksTest, HostileCountsOfBlocksCostNothing) {
  for (const uint32_t count : {0u, 1u, 512u, 513u, 200000000u, 0xFFFFFFFFu}) {
    TinyModel model = ModelOf("llama");
    model.keys.resize(1);
    model.AddKey("llama.block_count", kU32, ByteWriter().U32(count));
    model.AddKey("llama.embedding_length", kU32, ByteWriter().U32(64));
    model.tensors.push_back({"blk.999999999999999999.x", {1}});
    model.tensors.push_back({"blk.99999999999999999999.x", {1}});
    EXPECT_THAT(Found(model), Not(IsEmpty())) << count;
  }
  // Without a count, gaps are found.
  TinyModel model = ModelOf("llama");
  model.keys.resize(1);
  for (TinyTensor& tensor : model.tensors) {
    absl::StrReplaceAll({{"blk.1.", "blk.5."}}, &tensor.name);
  }
  EXPECT_THAT(Found(model), Contains("error model-blocks-present kv[general.architecture] is that "
                                     "of a model with blocks after blk.1, which are missing"));
}

TEST(ModelTensorChecksTest, OldNamesOfExpertsAreNamed) {
  TinyModel model = ModelOf("qwen2moe");
  for (const char* part : {"gate", "up", "down"}) {
    for (const int block : {0, 1, 2}) {
      const std::string name = absl::StrCat("blk.", block, ".ffn_", part);
      std::vector<uint64_t> dims = model.Tensor(name + "_exps.weight").dims;
      model.Remove(name + "_exps.weight");
      dims.resize(2);
      for (const int expert : {0, 1, 2, 3, 4}) {
        model.tensors.push_back({absl::StrCat(name, ".", expert, ".weight"), dims});
      }
    }
  }
  EXPECT_THAT(
      Found(model),
      ElementsAre("warning model-tensor-names-current tensor[blk.0.ffn_gate.0.weight] is the first "
                  "of 15 tensors named blk.N.ffn_gate.N.weight (one tensor for each expert); "
                  "llama.cpp reads blk.N.ffn_gate_exps.weight",
                  HasSubstr("blk.N.ffn_up.N.weight"), HasSubstr("blk.N.ffn_down.N.weight")));
  EXPECT_THAT(Found(model, "llama.cpp"),
              ElementsAre(HasSubstr("error model-tensor-names-current"),
                          HasSubstr("error model-tensor-names-current"),
                          HasSubstr("error model-tensor-names-current")));
}

TEST(ModelTensorChecksTest, TheSpecificationsNamesAreNotLlamaCpps) {
  TinyModel model = ModelOf("gpt2");
  EXPECT_THAT(Found(model, "spec"),
              ElementsAre("note model-tensor-names-standard tensor[position_embd.weight] has a "
                          "name that is not in the specification"));
  model.Tensor("position_embd.weight").name = "pos_embd.weight";
  EXPECT_THAT(Found(model, "spec"), IsEmpty());
  EXPECT_THAT(
      Found(model),
      ElementsAre(
          "warning model-tensor-names-current tensor[pos_embd.weight] is named pos_embd.weight "
          "(the specification's name); llama.cpp reads position_embd.weight"));
}

TEST(ModelTensorChecksTest, NormsAndBiasesAreF32) {
  TinyModel model = ModelOf("gpt2");
  for (TinyTensor& tensor : model.tensors) tensor.type = kF16;
  const auto found = Found(model);
  // In each block two norms, of weight and bias, and four other biases; and the
  // last norm.
  ASSERT_THAT(found, SizeIs(3 * (4 + 4) + 2));
  EXPECT_EQ(found[0], "error model-norms-f32 tensor[output_norm.weight].type is F16, not F32");
}

TEST(ModelTensorChecksTest, WeightsHaveATypeForTheirOperation) {
  const auto with = [](absl::string_view architecture, absl::string_view name, const char* type) {
    TinyModel model = ModelOf(architecture);
    for (const TensorTypeInfo& info : AllTensorTypes()) {
      if (info.name == absl::string_view(type)) model.Tensor(name).type = info.id;
    }
    return Found(model);
  };
  EXPECT_THAT(with("llama", "blk.0.ffn_up.weight", "F16"), IsEmpty());
  EXPECT_THAT(with("llama", "blk.0.ffn_up.weight", "F64"),
              ElementsAre("error model-weights-computable tensor[blk.0.ffn_up.weight].type is F64, "
                          "with which ggml multiplies no matrices"));
  EXPECT_THAT(with("llama", "token_embd.weight", "I32"),
              ElementsAre("error model-weights-computable tensor[token_embd.weight].type is I32, "
                          "in which ggml looks up no rows"));
  EXPECT_THAT(with("mamba", "blk.0.ssm_conv1d.weight", "F16"),
              ElementsAre("error model-norms-f32 tensor[blk.0.ssm_conv1d.weight].type is F16, not "
                          "F32"));
  // A table of token ids, and what no graph uses.
  EXPECT_THAT(with("deepseek4", "blk.0.ffn_gate_tid2eid.weight", "F32"),
              ElementsAre(HasSubstr("is F32, not I32")));
  EXPECT_THAT(with("qwen4exp", "blk.1.indexer.q_proj.weight", "F64"), IsEmpty());
}

TEST(ModelTensorChecksTest, RowsOfMatricesHaveElements) {
  EXPECT_THAT(Found(MakeTinyModel("llama", {{"{arch}.feed_forward_length", "u32 0"}})),
              testing::Contains("error model-matrices-not-empty tensor[blk.0.ffn_down.weight].dims "
                                "are [0, 8], so a row has no elements"));
}

TEST(ModelTensorChecksTest, ScalesStandNextToTheirWeights) {
  TinyModel model = ModelOf("llama");
  model.tensors.push_back({"blk.0.ffn_up.scale", {1}});
  model.tensors.push_back({"blk.0.ffn_up.input_scale", {1}});
  EXPECT_THAT(Found(model, "llama.cpp"), IsEmpty());
  model.Tensor("blk.0.ffn_up.scale").dims = {2};
  model.tensors.push_back({"blk.0.attn_qkv.scale", {1}});  // Has no weight.
  model.tensors.push_back({"output.scale", {1}});          // Not NVFP4.
  EXPECT_THAT(Found(model, "llama.cpp"),
              ElementsAre(HasSubstr("are [2], not [1]"), HasSubstr("tensor[blk.0.attn_qkv.scale]"),
                          HasSubstr("tensor[output.scale]")));
}

TEST(ModelTensorChecksTest, WhatIsNoWholeModelIsNotJudged) {
  const auto with = [](absl::string_view key, absl::string_view value) {
    TinyModel model = ModelOf("llama");
    model.tensors.resize(1);
    model.AddKey(key, kString, ByteWriter().String(value));
    return model.Build();
  };
  EXPECT_EQ(WhyNotChecked(with("general.name", "x")), "");
  for (const char* type : {"adapter", "imatrix", "mmproj"}) {
    TinyModel model = ModelOf("llama");
    model.tensors.resize(1);
    model.AddKey("general.type", kString, ByteWriter().String(type));
    EXPECT_THAT(Found(model), Not(IsEmpty())) << type;  // It loads as a model.
    model.tensors[0].name = "w";
    EXPECT_THAT(Found(model), IsEmpty()) << type;
    EXPECT_NE(WhyNotChecked(model.Build()), "") << type;
  }
  TinyModel shard = ModelOf("llama");
  shard.tensors.resize(1);
  shard.AddKey("split.count", kU16, ByteWriter().U16(2));
  EXPECT_THAT(Found(shard), IsEmpty());
  EXPECT_NE(WhyNotChecked(shard.Build()), "");
  // For some architectures, no table lists the tensors.
  GgufBuilder unknown;
  unknown.String("general.architecture", "test").Tensor("w", {32}, 0);
  EXPECT_THAT(Found(unknown.Build()), IsEmpty());
  EXPECT_NE(WhyNotChecked(unknown.Build()), "");
  // Without tensors there is nothing to check.
  TinyModel vocabulary = ModelOf("llama");
  vocabulary.tensors.clear();
  EXPECT_THAT(Found(vocabulary), IsEmpty());
  EXPECT_EQ(WhyNotChecked(vocabulary.Build()), "");
}

TEST(ModelTensorChecksTest, ExemptionsSayWhy) {
  for (const ExemptTensor& row : kExemptTensors) {
    std::cout << row.name << ": " << row.reason << "\n";
    EXPECT_GT(absl::string_view(row.reason).size(), 20u) << row.name;
  }
}

// Every architecture that llama.cpp loads has rows.
TEST(ModelTensorChecksTest, EveryLoaderHasATable) {
  for (uint16_t a = 0; a < kArchitectures; ++a) {
    if (!IsIn(a, Group::kLoader)) continue;
    int required = 0;
    for (const TensorRow& row : kTensors.Of(a)) {
      required += !row.required.empty();
    }
    EXPECT_GE(required, 7) << kArchitectureRows[a].name;
  }
}

}  // namespace
}  // namespace gguf
