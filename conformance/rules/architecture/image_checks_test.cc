// Image models.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/tables/image_tensors.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const FindingsOf kImages = {{"image-tensors-present", "original-shape-fits-tensor"}};

GgufBuilder Flux(const std::vector<std::string>& tensors) {
  GgufBuilder b = FileOf("flux");
  for (const std::string& name : tensors) b.Tensor(name, {32}, 0);
  return b;
}

TEST(ImageChecksTest, TensorsPresent) {
  EXPECT_THAT(kImages.In(Flux({"img_in.weight", "txt_in.weight", "final_layer.linear.weight"})),
              IsEmpty());
  EXPECT_THAT(
      kImages.In(Flux({"model.diffusion_model.img_in.weight", "model.diffusion_model.txt_in.weight",
                       "model.diffusion_model.final_layer.linear.weight"})),
      IsEmpty());
  EXPECT_THAT(
      kImages.In(Flux({"img_in_patch.weight", "txt_in.weight", "nerf_final_layer.norm.scale"})),
      IsEmpty());
  EXPECT_THAT(
      kImages.MessagesIn(Flux({"txt_in.weight", "final_layer.linear.weight"})),
      ElementsAre(
          "kv[general.architecture].value is \"flux\", but there is no tensor img_in.weight"));
  EXPECT_THAT(kImages.In(Flux({"double_blocks.0.x"})), SizeIs(3));
}

TEST(ImageChecksTest, EachTensorOfEachArchitectureIsFoundMissing) {
  std::map<std::string, std::vector<std::string>> tensors;
  for (const ImageTensorRow& row : kImageTensors) tensors[row.architecture].push_back(row.name);
  for (const auto& [architecture, names] : tensors) {
    const auto without = [&all = names, &name_of = architecture](absl::string_view left_out) {
      GgufBuilder b = FileOf(name_of);
      for (const std::string& name : all) {
        if (name != left_out) b.Tensor(name, {32}, 0);
      }
      return kImages.MessagesIn(b.Tensor("x", {32}, 0));
    };
    EXPECT_THAT(without(""), IsEmpty()) << architecture;
    for (const std::string& name : names) {
      EXPECT_THAT(without(name), ElementsAre(testing::EndsWith("there is no tensor " + name)))
          << architecture;
    }
  }
}

TEST(ImageChecksTest, TensorsPresentForComfyUi) {
  const auto with = [](const char* architecture, const std::vector<std::string>& tensors) {
    GgufBuilder b = FileOf(architecture);
    for (const std::string& name : tensors) b.Tensor(name, {32}, 0);
    return b;
  };
  // A converter left out the tensor of five dimensions.
  EXPECT_THAT(kImages.MessagesIn(
                  with("hyvid", {"double_blocks.0.img_attn.proj.weight",
                                 "txt_in.input_embedder.weight", "final_layer.linear.weight"})),
              ElementsAre("kv[general.architecture].value is \"hyvid\", but there is no tensor "
                          "img_in.proj.weight"));
  EXPECT_THAT(kImages.In(with("hidream", {"caption_projection.0.linear.weight"})), IsEmpty());
  EXPECT_THAT(kImages.In(with("hidream", {"t_embedder1.mlp.0.weight"})), IsEmpty());
  EXPECT_THAT(kImages.In(with("hidream", {"blocks.0.x"})), SizeIs(1));
  EXPECT_THAT(kImages.In(with("aura", {"x"})), SizeIs(3));
  EXPECT_THAT(kImages.In(with("cosmos", {"x"})), SizeIs(1));
  EXPECT_THAT(kImages.In(with("ltxv", {"x"})), SizeIs(2));
}

TEST(ImageChecksTest, PigIsNoArchitecture) {
  EXPECT_THAT(kImages.In(FileOf("pig").Tensor("decoder.conv_in.weight", {8}, 0)), IsEmpty());
  EXPECT_THAT(kImages.In(FileOf("pig")
                             .Tensor("joint_blocks.0.x", {8}, 0)
                             .Tensor("x_embedder.proj.weight", {8}, 0)
                             .Tensor("final_layer.linear.weight", {8}, 0)),
              ElementsAre("warning image-tensors-present tensor[joint_blocks.0.x]"));
}

TEST(ImageChecksTest, TensorsPresentWithoutArchitecture) {
  const auto keyless = [](const std::vector<std::string>& tensors) {
    GgufBuilder b;
    for (const std::string& name : tensors) b.Tensor(name, {32}, 0);
    return b;
  };
  EXPECT_THAT(
      kImages.MessagesIn(keyless({"model.diffusion_model.double_blocks.0.img_attn.proj.weight",
                                  "model.diffusion_model.txt_in.weight",
                                  "model.diffusion_model.final_layer.linear.weight"})),
      ElementsAre("tensor[model.diffusion_model.double_blocks.0.img_attn.proj.weight] is of the "
                  "architecture flux, but there is no tensor img_in.weight"));
  // A model of another family with such blocks.
  EXPECT_THAT(
      kImages.In(keyless({"double_blocks.0.img_attn.proj.weight", "img_in.proj.weight",
                          "txt_in.c_embedder.in_layer.weight", "final_layer.linear.weight"})),
      IsEmpty());
  // Only a text encoder.
  EXPECT_THAT(kImages.In(keyless({"text_model.embeddings.weight", "-x"})), IsEmpty());
}

TEST(ImageChecksTest, OriginalShape) {
  const auto with = [](uint32_t type, std::vector<int32_t> shape) {
    GgufBuilder b = FileOf("cow");
    ByteWriter array = b.New();
    array.U32(type).U64(shape.size());
    for (const int32_t length : shape) {
      array.U32(static_cast<uint32_t>(length));
    }
    return b.Key("comfy.gguf.orig_shape.w", 9, array).Tensor("w", {256, 2}, 0);
  };
  constexpr uint32_t kU32 = 4, kI32 = 5;
  EXPECT_THAT(kImages.In(with(kI32, {8, 4, 4, 4})), IsEmpty());
  EXPECT_THAT(kImages.MessagesIn(with(kI32, {8, 4, 4, 5})),
              ElementsAre("kv[comfy.gguf.orig_shape.w].value is a shape with a different number of "
                          "elements than \"w\", [256, 2]"));
  EXPECT_THAT(kImages.In(with(kI32, {-512})), SizeIs(1));
  EXPECT_THAT(kImages.In(with(kI32, {65536, 65536, 65536, 65536, 512})), SizeIs(1));
  EXPECT_THAT(kImages.MessagesIn(with(kU32, {8, 4, 4, 4})),
              ElementsAre("kv[comfy.gguf.orig_shape.w].type is not arr[i32]"));
}

}  // namespace
}  // namespace gguf
