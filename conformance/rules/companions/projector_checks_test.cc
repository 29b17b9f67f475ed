// The encoders of projectors.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/tables/architectures.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kProjector = {{"projector-type-known", "projector-merge-size-of-type",
                                "projector-block-in-count", "projector-feature-layer-in-range",
                                "projector-widths-equal"}};
// The rules about the rows of tables/projectors.
const FindingsOf kTables = {{"model-tensors-present", "model-blocks-present",
                             "graph-tensors-present", "graph-hparams-consistent",
                             "model-tensor-shapes", "model-norms-f32", "model-weights-computable"}};

constexpr uint32_t kBool = 7, kArray = 9, kI32 = 5;

// Returns an image projector that announces this number of blocks.
GgufBuilder Vision(const char* type, uint32_t blocks) {
  GgufBuilder b;
  b.String("general.architecture", "clip")
      .Key("clip.has_vision_encoder", kBool, ByteWriter().U8(1))
      .String("clip.projector_type", type)
      .U32("clip.vision.block_count", blocks);
  return b;
}

void AddBlock(const std::string& name, GgufBuilder* b) {
  for (const char* tensor : {"attn_out", "ffn_up", "ffn_down"}) {
    b->Tensor(absl::StrCat(name, ".", tensor, ".weight"), {8, 8}, 0);
  }
}

TEST(ProjectorChecksTest, TypeKnown) {
  EXPECT_THAT(kProjector.In(Vision("mlp", 0)), IsEmpty());
  EXPECT_THAT(kProjector.MessagesIn(Vision("mlq", 0)),
              ElementsAre(testing::StartsWith(
                  "kv[clip.projector_type].value is \"mlq\", which llama.cpp ")));
  EXPECT_THAT(kProjector.In(Vision("mlq", 0), "llama.cpp"),
              ElementsAre("error projector-type-known kv[clip.projector_type].value"));
}

// One key for each encoder, if none is for all.
TEST(ProjectorChecksTest, TypeOfEachEncoder) {
  GgufBuilder b;
  b.String("general.architecture", "clip")
      .Key("clip.has_vision_encoder", kBool, ByteWriter().U8(1))
      .Key("clip.has_audio_encoder", kBool, ByteWriter().U8(1))
      .String("clip.vision.projector_type", "gemma4v")
      .String("clip.audio.projector_type", "gemma4x");
  EXPECT_THAT(kProjector.In(b),
              ElementsAre("warning projector-type-known kv[clip.audio.projector_type].value"));
}

TEST(ProjectorChecksTest, MergeSize) {
  for (const uint32_t size : {1, 2, 3}) {
    GgufBuilder b = Vision("qwen2vl_merger", 0);
    b.U32("clip.vision.spatial_merge_size", size);
    GgufBuilder omni = Vision("qwen2.5o", 0);
    omni.U32("clip.vision.spatial_merge_size", size);
    GgufBuilder pixtral = Vision("pixtral", 0);
    pixtral.U32("clip.vision.spatial_merge_size", size);
    EXPECT_EQ(kProjector.In(b, "safety").size(), size == 2 ? 0 : 1) << size;
    EXPECT_EQ(kProjector.In(omni, "safety").size(), size == 2 ? 0 : 1) << size;
    EXPECT_THAT(kProjector.In(pixtral, "safety"), IsEmpty()) << size;
  }
}

TEST(ProjectorChecksTest, Blocks) {
  GgufBuilder b = Vision("mlp", 2);
  AddBlock("v.blk.0", &b);
  AddBlock("v.blk.1", &b);
  EXPECT_THAT(kProjector.In(b), IsEmpty());
  AddBlock("v.blk.2", &b);
  EXPECT_THAT(
      kProjector.MessagesIn(b),
      ElementsAre("tensor[v.blk.2.attn_out.weight] is in block 2, but the number of blocks is 2"));

  // The tensors of this type are not described, and so many blocks are not counted.
  EXPECT_THAT(kProjector.In(Vision("gemma3nv", 30)), IsEmpty());
  EXPECT_THAT(kProjector.In(Vision("mlp", 513)), IsEmpty());
}

// Where only the name of a type is known, no finding is invented, and the report
// says so.
TEST(ProjectorChecksTest, TypesThatAreOnlyNamed) {
  GgufBuilder b = Vision("soprano", 3);
  b.U32("clip.vision.spatial_merge_size", 1).Tensor("v.blk.7.attn_out.weight", {8, 8}, 0);
  EXPECT_THAT(kProjector.In(b), IsEmpty());
  constexpr char kWhy[] = ": the tables do not describe projectors of this type yet";
  EXPECT_THAT(kProjector.NotCheckedIn(b),
              ElementsAre(absl::StrCat("projector-merge-size-of-type", kWhy),
                          absl::StrCat("projector-block-in-count", kWhy)));
  EXPECT_THAT(kProjector.NotCheckedIn(Vision("mlp", 3)), IsEmpty());
}

// Returns a projector of the type gemma3 that llama.cpp loads, without this tensor.
GgufBuilder Gemma3(absl::string_view without = "", uint32_t blocks = 1) {
  struct {
    const char* name;
    std::vector<uint64_t> dims;
  } const tensors[] = {{"v.patch_embd.weight", {4, 4, 3, 8}},  {"v.position_embd.weight", {8, 16}},
                       {"v.blk.0.attn_q.weight", {8, 8}},      {"v.blk.0.attn_k.weight", {8, 8}},
                       {"v.blk.0.attn_v.weight", {8, 8}},      {"v.blk.0.attn_out.weight", {8, 8}},
                       {"v.blk.0.ffn_up.weight", {8, 12}},     {"v.blk.0.ffn_down.weight", {12, 8}},
                       {"mm.input_projection.weight", {8, 8}}, {"mm.soft_emb_norm.weight", {8}}};
  GgufBuilder b = Vision("gemma3", blocks);
  b.U32("clip.vision.embedding_length", 8)
      .U32("clip.vision.attention.head_count", 2)
      .U32("clip.vision.image_size", 16)
      .U32("clip.vision.patch_size", 4);
  for (const auto& tensor : tensors) {
    if (tensor.name != without) b.Tensor(tensor.name, tensor.dims, 0);
  }
  return b;
}

TEST(ProjectorChecksTest, TensorsOfTheType) {
  EXPECT_THAT(kTables.In(Gemma3()), IsEmpty());
  EXPECT_THAT(kTables.MessagesIn(Gemma3("mm.soft_emb_norm.weight")),
              ElementsAre("kv[clip.projector_type].value is \"gemma3\", but the required tensor "
                          "\"mm.soft_emb_norm.weight\" is missing"));
  EXPECT_THAT(kTables.MessagesIn(Gemma3("v.blk.0.attn_k.weight")),
              ElementsAre("kv[clip.projector_type].value is \"gemma3\", but the tensor "
                          "\"v.blk.0.attn_k.weight\" is missing"));
  EXPECT_THAT(
      kTables.MessagesIn(Gemma3("", 3)),
      testing::Contains("kv[clip.vision.block_count].value gives 3 blocks, but there are no "
                        "tensors of v.blk.1 to v.blk.2"));
  // One tensor replaces three.
  GgufBuilder fused = Gemma3("v.blk.0.attn_k.weight");
  fused.Tensor("v.blk.0.attn_qkv.weight", {8, 24}, 0);
  EXPECT_THAT(kTables.In(fused), IsEmpty());
}

TEST(ProjectorChecksTest, ShapesAndTypesOfTensors) {
  GgufBuilder b = Gemma3("v.position_embd.weight");
  b.Tensor("v.position_embd.weight", {8, 17}, 0).Tensor("v.blk.0.ln1.weight", {8}, 1);
  EXPECT_THAT(kTables.MessagesIn(b),
              ElementsAre("tensor[v.position_embd.weight].dims are [8, 17], not [8, 16], which "
                          "follows from clip.vision.image_size (16) and clip.vision.patch_size (4)",
                          "tensor[v.blk.0.ln1.weight].type is F16, not F32"));
  GgufBuilder projection = Gemma3("mm.input_projection.weight");
  projection.Tensor("mm.input_projection.weight", {8, 8}, 26);
  EXPECT_THAT(
      kTables.In(projection, "safety"),
      ElementsAre("error model-weights-computable tensor[mm.input_projection.weight].type"));
}

// The name of a file in tables/projectors is no architecture.
TEST(ProjectorChecksTest, TypesAreNoArchitectures) {
  EXPECT_EQ(FindArchitecture("clip/gemma3"), kArchitectures);
  EXPECT_LT(FindArchitecture("gemma3"), kArchitectures);  // It is also an architecture.
  EXPECT_GT(FindProjector("gemma3"), kArchitectures);
  EXPECT_EQ(FindProjector("gemma"), kArchitectures);
}

TEST(ProjectorChecksTest, FeatureLayers) {
  const auto with_layer = [](uint32_t layer) {
    GgufBuilder b = Vision("gemma3nv", 3);
    b.Key("clip.vision.feature_layer", kArray, ByteWriter().U32(kI32).U64(2).U32(0).U32(layer));
    return b;
  };
  EXPECT_THAT(kProjector.In(with_layer(3)), IsEmpty());
  EXPECT_THAT(kProjector.In(with_layer(0xFFFFFFFF)), IsEmpty());  // Unset.
  EXPECT_THAT(
      kProjector.MessagesIn(with_layer(4)),
      ElementsAre("kv[clip.vision.feature_layer].value[1] is 4, but the encoder has 3 blocks"));
}

// Returns a projector of images and sound whose vectors have these lengths.
GgufBuilder Both(const char* images, uint64_t width, const char* sound, uint64_t length) {
  GgufBuilder b;
  b.String("general.architecture", "clip")
      .Key("clip.has_vision_encoder", kBool, ByteWriter().U8(1))
      .Key("clip.has_audio_encoder", kBool, ByteWriter().U8(1))
      .String("clip.vision.projector_type", images)
      .String("clip.audio.projector_type", sound)
      .Tensor("mm.2.bias", {width}, 0)
      .Tensor("mm.input_projection.weight", {width, 8}, 0)
      .Tensor("mm.a.fc.weight", {4, length}, 0);
  return b;
}

TEST(ProjectorChecksTest, WidthsOfBothEncoders) {
  EXPECT_THAT(kProjector.In(Both("qwen2vl_merger", 8, "qwen2a", 8)), IsEmpty());
  EXPECT_THAT(kProjector.MessagesIn(Both("qwen2vl_merger", 8, "qwen2a", 9)),
              ElementsAre("tensor[mm.a.fc.weight].dims make vectors of length 9 from sound, but "
                          "\"mm.2.bias\" makes vectors of length 8 from images"));
  // The further vectors of an encoder count.
  GgufBuilder more = Both("qwen3vl_merger", 8, "qwen2a", 16);
  EXPECT_THAT(kProjector.MessagesIn(more), testing::SizeIs(1));
  more.Tensor("v.deepstack.5.fc1.weight", {4, 8}, 0);
  EXPECT_THAT(kProjector.In(more), IsEmpty());
}

TEST(ProjectorChecksTest, WidthsThatAreNotCompared) {
  // llama.cpp does not load the sound of a gemma3n.
  EXPECT_THAT(kProjector.In(Both("gemma3nv", 8, "qwen2a", 9)), IsEmpty());
  EXPECT_THAT(kProjector.In(Both("deepseek4v", 8, "qwen2a", 9)), IsEmpty());
}

}  // namespace
}  // namespace gguf
