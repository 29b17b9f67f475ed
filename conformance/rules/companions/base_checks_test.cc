// Adapters, control vectors and importance matrices against a base.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/model/base_model.h"
#include "conformance/model/model.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

bool NeedsBase(const Rule& rule) {
  return absl::EndsWith(rule.id, "-of-base") || absl::EndsWith(rule.id, "-in-base");
}

FileReport ReportAgainst(const GgufBuilder* base, const GgufBuilder& adapter) {
  const std::string base_bytes = base != nullptr ? base->Build() : "";
  Diagnostics found(1);
  const Model parsed(Parse(AsBytes(base_bytes), {}, &found));
  const BaseModel model(parsed);
  Expected expected;
  if (base != nullptr) expected.base = &model;
  const std::string bytes = adapter.Build();
  return Validate(AsBytes(bytes), *Profile::Find("upload"), {}, expected);
}

// "rule: message" of the rules that need a base; "rule: not checked: why".
std::vector<std::string> Against(const GgufBuilder* base, const GgufBuilder& adapter) {
  const FileReport report = ReportAgainst(base, adapter);
  std::vector<std::string> lines;
  for (const Finding& finding : report.findings) {
    const Diagnostic& diagnostic = finding.diagnostic;
    if (!NeedsBase(*diagnostic.rule)) continue;
    lines.push_back(
        absl::StrCat(diagnostic.rule->id, ": ", diagnostic.subject, " ", diagnostic.message));
  }
  for (const FileReport::NotChecked& rule : report.not_checked) {
    if (!NeedsBase(*rule.rule)) continue;
    lines.push_back(absl::StrCat(rule.rule->id, ": not checked: ", rule.why.view()));
  }
  return lines;
}

GgufBuilder Base() {
  GgufBuilder b;
  b.String("general.architecture", "llama")
      .U32("llama.embedding_length", 8)
      .U32("llama.block_count", 2)
      .Tensor("token_embd.weight", {8, 10}, 0)
      .Tensor("output.weight", {8, 10}, 0)
      .Tensor("w", {8, 6}, 0)
      .Tensor("x", {8, 6, 3}, 0);
  return b;
}

GgufBuilder Lora(const char* architecture = "llama") {
  GgufBuilder b;
  b.String("general.type", "adapter").String("general.architecture", architecture);
  return b;
}

GgufBuilder Vector() {
  GgufBuilder b;
  b.String("general.architecture", "controlvector");
  return b;
}

TEST(BaseChecksTest, WithoutABaseTheyAreNotRequested) {
  EXPECT_THAT(Against(nullptr, Lora().Tensor("w.lora_a", {9, 2}, 0)),
              ElementsAre("lora-architecture-of-base: not checked: not requested",
                          "lora-tensor-in-base: not checked: not requested",
                          "lora-shape-of-base: not checked: not requested",
                          "lora-experts-of-base: not checked: not requested",
                          "lora-embeddings-untied-in-base: not checked: not requested"));
  EXPECT_THAT(Against(nullptr, Base()), IsEmpty());
}

TEST(BaseChecksTest, LoraThatFits) {
  const GgufBuilder base = Base();
  EXPECT_THAT(Against(&base, Lora()
                                 .Tensor("w.lora_a", {8, 2}, 0)
                                 .Tensor("w.lora_b", {2, 6}, 0)
                                 .Tensor("x.lora_a", {8, 2, 3}, 0)
                                 .Tensor("x.lora_b", {2, 6, 3}, 0)
                                 .Tensor("token_embd.weight.lora_a", {2, 10}, 0)
                                 .Tensor("token_embd.weight.lora_b", {2, 8}, 0)
                                 .Tensor("z_norm.weight", {8}, 0)),
              IsEmpty());
}

TEST(BaseChecksTest, LoraOfTiedEmbeddings) {
  GgufBuilder tied, swapped, untied;
  for (GgufBuilder* base : {&tied, &swapped, &untied})
    base->String("general.architecture", "llama");
  for (GgufBuilder* base : {&tied, &untied}) base->Tensor("token_embd.weight", {8, 10}, 0);
  for (GgufBuilder* base : {&swapped, &untied}) base->Tensor("output.weight", {8, 10}, 0);
  const auto lora = [](const char* architecture, const std::string& name) {
    const bool is_input = name == "token_embd.weight";
    const std::vector<uint64_t> a = {2, 10}, b = {2, 8};
    return Lora(architecture)
        .Tensor(name + ".lora_a", is_input ? a : std::vector<uint64_t>{8, 2}, 0)
        .Tensor(name + ".lora_b", is_input ? b : a, 0);
  };
  const GgufBuilder input = lora("llama", "token_embd.weight");
  const GgufBuilder output = lora("llama", "output.weight");
  EXPECT_THAT(Against(&untied, input), IsEmpty());
  EXPECT_THAT(Against(&untied, output), IsEmpty());
  EXPECT_THAT(Against(&tied, input),
              ElementsAre("lora-embeddings-untied-in-base: tensor[token_embd.weight.lora_a] adapts "
                          "\"token_embd.weight\", which the base uses for both input and output"));
  EXPECT_THAT(Against(&swapped, output),
              ElementsAre("lora-embeddings-untied-in-base: tensor[output.weight.lora_a] adapts "
                          "\"output.weight\", which the base uses for both input and output"));
  // Models that make embeddings have no output.
  GgufBuilder bert;
  bert.String("general.architecture", "bert").Tensor("token_embd.weight", {8, 10}, 0);
  EXPECT_THAT(Against(&bert, lora("bert", "token_embd.weight")), IsEmpty());
}

TEST(BaseChecksTest, ImportanceMatrix) {
  GgufBuilder base = Base();
  base.Tensor("blk.0.ffn_gate_inp.weight", {8, 3}, 0).Tensor("output_norm.weight", {8}, 0);
  const auto matrix = [](const char* name, std::vector<uint64_t> dims) {
    GgufBuilder b;
    b.String("general.type", "imatrix").Tensor(std::string(name) + ".in_sum2", dims, 0);
    return b;
  };
  EXPECT_THAT(Against(&base, matrix("w", {8})), IsEmpty());
  EXPECT_THAT(Against(&base, matrix("x", {8, 3})), IsEmpty());
  EXPECT_THAT(Against(&base, matrix("x", {8, 1, 3})), IsEmpty());
  EXPECT_THAT(Against(&base, matrix("v", {8})),
              ElementsAre("imatrix-tensor-in-base: tensor[v.in_sum2] is about \"v\", which the "
                          "base does not have"));
  EXPECT_THAT(Against(&base, matrix("x", {8, 2})),
              ElementsAre("imatrix-lengths-of-base: tensor[x.in_sum2].dims make 16 sums, but \"x\" "
                          "has 24 columns in the base"));
  EXPECT_THAT(Against(&base, matrix("w", {9})), SizeIs(1));
  // The quantizer does not look at these.
  for (const char* name :
       {"token_embd.weight", "blk.0.ffn_gate_inp.weight", "output_norm.weight"}) {
    EXPECT_THAT(Against(&base, matrix(name, {9})), IsEmpty()) << name;
  }
}

TEST(BaseChecksTest, LoraThatDoesNotFit) {
  const GgufBuilder base = Base();
  EXPECT_THAT(Against(&base, Lora("qwen2")),
              ElementsAre("lora-architecture-of-base: kv[general.architecture].value is \"qwen2\", "
                          "but the base has \"llama\""));
  EXPECT_THAT(
      Against(&base, Lora().Tensor("v.lora_b", {2, 6}, 0)),
      ElementsAre(
          "lora-tensor-in-base: tensor[v.lora_b] adapts \"v\", which the base does not have"));
  EXPECT_THAT(Against(&base, Lora().Tensor("w.lora_a", {9, 2}, 0).Tensor("w.lora_b", {2, 7}, 0)),
              ElementsAre("lora-shape-of-base: tensor[w.lora_a].dims are for a dimension of 9, but "
                          "\"w\" has 8 in the base",
                          "lora-shape-of-base: tensor[w.lora_b].dims are for a dimension of 7, but "
                          "\"w\" has 6 in the base"));
  EXPECT_THAT(Against(&base, Lora()
                                 .Tensor("token_embd.weight.lora_a", {2, 8}, 0)
                                 .Tensor("token_embd.weight.lora_b", {2, 8}, 0)),
              ElementsAre("lora-shape-of-base: tensor[token_embd.weight.lora_a].dims are for a "
                          "dimension of 8, but \"token_embd.weight\" has 10 in the base"));
  EXPECT_THAT(
      Against(&base, Lora().Tensor("x.lora_a", {8, 2}, 0).Tensor("x.lora_b", {2, 6, 4}, 0)),
      ElementsAre(
          "lora-experts-of-base: tensor[x.lora_a].dims have 1 expert, but \"x\" has 3 in the base",
          "lora-experts-of-base: tensor[x.lora_b].dims have 4 experts, but \"x\" has 3 in the "
          "base"));
}

TEST(BaseChecksTest, ControlVector) {
  const GgufBuilder base = Base();
  EXPECT_THAT(
      Against(&base,
              Vector().String("controlvector.model_hint", "llama").Tensor("direction.1", {8}, 0)),
      IsEmpty());
  EXPECT_THAT(
      Against(&base,
              Vector().String("controlvector.model_hint", "qwen2").Tensor("direction.2", {9}, 0)),
      ElementsAre("control-vector-hint-of-base: kv[controlvector.model_hint].value is \"qwen2\", "
                  "but the architecture of the base is \"llama\"",
                  "control-vector-layer-of-base: tensor[direction.2] is for layer 2, but the base "
                  "has 2 blocks",
                  "control-vector-length-of-base: tensor[direction.2].dims have length 9, but the "
                  "embedding length of the base is 8"));
}

TEST(BaseChecksTest, FilesThatNeedNoBaseSaySo) {
  const GgufBuilder base = Base();
  EXPECT_THAT(Against(&base, GgufBuilder().String("general.architecture", "flux")),
              AllOf(SizeIs(14), Each(HasSubstr("not checked: a base applies only to"))));
}

// A base whose properties are unknown is not reported as a mismatch.
TEST(BaseChecksTest, BaseOfAnyKind) {
  const GgufBuilder nothing;
  EXPECT_THAT(Against(&nothing, Lora().Tensor("w.lora_a", {8, 2}, 0)),
              ElementsAre("lora-architecture-of-base: not checked: the base has no architecture",
                          "lora-tensor-in-base: not checked: the base has no tensors"));
  EXPECT_THAT(
      Against(&nothing, Vector().Tensor("direction.1", {8}, 0)),
      ElementsAre(
          "control-vector-length-of-base: not checked: the embedding length of the base is unknown",
          "control-vector-layer-of-base: not checked: the number of blocks of the base is "
          "unknown"));
  GgufBuilder shard = Base();
  shard.Key("split.count", 2, ByteWriter().U16(2));
  EXPECT_THAT(Against(&shard, Lora().Tensor("v.lora_a", {8, 2}, 0)),
              ElementsAre("lora-tensor-in-base: not checked: the base is a single shard; the other "
                          "shards have the other tensors"));
}

GgufBuilder Projector(const char* type) {
  GgufBuilder b;
  b.String("general.type", "mmproj")
      .String("general.architecture", "clip")
      .String("clip.projector_type", type)
      .Key("clip.has_vision_encoder", 7, ByteWriter().U8(1));
  return b;
}

// Returns a base whose blocks take `added` further vectors of a projector.
GgufBuilder Qwen3Vl(int32_t added) {
  GgufBuilder b;
  b.String("general.architecture", "qwen3vl")
      .U32("qwen3vl.embedding_length", 8)
      .U32("qwen3vl.block_count", 2)
      .Key("qwen3vl.n_deepstack_layers", 5, ByteWriter().U32(added))
      .Tensor("token_embd.weight", {8, 10}, 0);
  return b;
}

TEST(BaseChecksTest, ProjectorOfOneVector) {
  const GgufBuilder base = Base();
  EXPECT_THAT(Against(&base, Projector("mlp").Tensor("mm.2.weight", {4, 8}, 0)), IsEmpty());
  EXPECT_THAT(Against(&base, Projector("mlp").Tensor("mm.2.weight", {4, 9}, 0)),
              ElementsAre("projector-width-of-base: tensor[mm.2.weight].dims make vectors of "
                          "length 9, but the inputs of the base have length 8"));
  EXPECT_THAT(Against(&base, Projector("mlp")),
              ElementsAre("projector-width-of-base: not checked: the tensor that shows the "
                          "projector's width is unknown or missing"));
}

TEST(BaseChecksTest, ProjectorOfSeveralVectors) {
  GgufBuilder projector = Projector("qwen3vl_merger");
  projector.Tensor("mm.2.bias", {8}, 0)
      .Tensor("v.deepstack.5.fc1.weight", {4, 8}, 0)
      .Tensor("v.deepstack.11.fc1.weight", {4, 8}, 0);
  const GgufBuilder fits = Qwen3Vl(2), plain = Qwen3Vl(0), wrong = Qwen3Vl(-1);
  EXPECT_THAT(Against(&fits, projector), IsEmpty());
  EXPECT_THAT(Against(&wrong, projector),
              ElementsAre(HasSubstr("projector-width-of-base: not checked")));
  EXPECT_THAT(Against(&plain, projector),
              ElementsAre("projector-width-of-base: tensor[mm.2.bias].dims make 3 vectors of "
                          "length 8, but the inputs of the base have length 8"));
}

// A base states which block takes which vector; the first takes the embedding.
TEST(BaseChecksTest, ProjectorOfMappedVectors) {
  ByteWriter mapping;
  mapping.U32(5).U64(4).U32(-1).U32(1).U32(0).U32(1);
  GgufBuilder base;
  base.String("general.architecture", "granite")
      .U32("granite.embedding_length", 8)
      .U32("granite.block_count", 4)
      .Key("granite.deepstack_mapping", 9, mapping);
  GgufBuilder projector = Projector("granite4_vision");
  for (const char* name : {"v.proj_blk.0.linear.weight", "v.proj_blk.1.linear.weight"}) {
    projector.Tensor(name, {4, 8}, 0);
  }
  EXPECT_THAT(Against(&base, projector), testing::SizeIs(1));
  projector.Tensor("v.proj_blk.2.linear.weight", {4, 8}, 0);
  EXPECT_THAT(Against(&base, projector), IsEmpty());
}

TEST(BaseChecksTest, TheReportSaysWhyNothingWasCompared) {
  const GgufBuilder base = Base();
  const auto why = [&](const GgufBuilder& file) {
    const auto with_base = ReportAgainst(&base, file).with_base;
    EXPECT_EQ(with_base->compared, with_base->why_not.empty());
    return with_base->why_not;
  };
  const char kUnknown[] = "the tensor that shows the projector's width is unknown or missing";
  GgufBuilder projector = Projector("deepseek4v");
  EXPECT_EQ(why(projector), kUnknown);
  EXPECT_EQ(why(Projector("of-no-known-type")), kUnknown);
  EXPECT_EQ(why(Projector("mlp").Tensor("mm.2.weight", {4, 9}, 0)), "");
  // One of two encoders can be compared.
  GgufBuilder both;
  both.String("general.type", "mmproj")
      .String("general.architecture", "clip")
      .String("clip.vision.projector_type", "deepseek4v")
      .String("clip.audio.projector_type", "qwen2a")
      .Key("clip.has_vision_encoder", 7, ByteWriter().U8(1))
      .Key("clip.has_audio_encoder", 7, ByteWriter().U8(1))
      .Tensor("mm.a.fc.weight", {4, 8}, 0);
  EXPECT_EQ(why(both), "");
  EXPECT_THAT(Against(&base, both), ElementsAre(HasSubstr("projector-width-of-base: not checked")));
  // Models without tokens cannot be compared as drafts.
  EXPECT_EQ(why(Base()), "the model or the base has no known vocabulary");
  EXPECT_EQ(why(Lora().Tensor("w.lora_a", {8, 2}, 0)), "");
  EXPECT_FALSE(ReportAgainst(nullptr, projector).with_base);
}

}  // namespace
}  // namespace gguf
