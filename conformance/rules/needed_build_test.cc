// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/build.h"
#include "conformance/tables/file_types.h"
#include "conformance/testing/tiny_model.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// Returns Words(), or nothing.
std::string NeedsOf(const std::string& bytes) {
  const FileReport report = Validate(AsBytes(bytes), *Profile::Find("upload"), {});
  return report.needs ? report.needs->Words() : "";
}

GgufBuilder Llama() {
  GgufBuilder b;
  b.String("general.architecture", "llama");
  return b;
}

TEST(NeededBuildTest, TheNewestThingDecides) {
  EXPECT_EQ(NeedsOf(MakeTinyModel("qwen35").Build()),
            "llama.cpp of February 2026 or newer (b7990) for architecture qwen35");
  TinyModel model = MakeTinyModel("qwen35");
  model.Tensor("blk.0.ffn_down.weight").type = static_cast<uint32_t>(TensorType::kQ2_0);
  EXPECT_EQ(NeedsOf(model.Build()), "llama.cpp of July 2026 or newer (b9913) for tensor type Q2_0");
  // All of the first loader of GGUF files, but for the version.
  EXPECT_EQ(NeedsOf(Llama().Build()),
            "llama.cpp of August 2023 or newer (b1087) for GGUF version 3");
}

TEST(NeededBuildTest, ATensorMayBeNewerThanItsArchitecture) {
  TinyModel model = MakeTinyModel("gpt2");
  const std::string before = NeedsOf(model.Build());
  model.tensors.push_back({"output.bias", {10}});
  EXPECT_EQ(NeedsOf(model.Build()),
            "llama.cpp of November 2026 or newer (b12211) for tensor output.bias");
  EXPECT_NE(before, NeedsOf(model.Build()));
}

TEST(NeededBuildTest, NoBuildReadsTypesOfAnotherProgram) {
  const auto with = [](uint64_t second) {
    return NeedsOf(Llama()
                       .Tensor("w", {128, 16}, 42, 0)
                       .Tensor("v", {128, 16}, 42, second)
                       .Tensor("end", {8}, 0, 2 * second)
                       .Build());
  };
  EXPECT_EQ(with(576), "llama.cpp of July 2026 or newer (b9913) for tensor type Q2_0");
  // Blocks of PrismML's fork.
  EXPECT_EQ(with(544), "");
}

TEST(NeededBuildTest, ATokenizerCountsIfItsBuildIsKnown) {
  EXPECT_EQ(NeedsOf(Llama().String("tokenizer.ggml.model", "plamo3").Build()),
            "llama.cpp of October 2026 or newer (b11669) for tokenizer plamo3");
  EXPECT_EQ(NeedsOf(Llama().String("tokenizer.ggml.model", "plamo2").Build()),
            "llama.cpp of August 2023 or newer (b1087) for GGUF version 3");
}

TEST(NeededBuildTest, APreTokenizerCountsWhereItIsRead) {
  EXPECT_EQ(NeedsOf(Llama()
                        .String("tokenizer.ggml.model", "gpt2")
                        .String("tokenizer.ggml.pre", "gemma4")
                        .Build()),
            "llama.cpp of April 2026 or newer (b8647) for pre-tokenizer gemma4");
  EXPECT_EQ(NeedsOf(Llama()
                        .String("tokenizer.ggml.model", "llama")
                        .String("tokenizer.ggml.pre", "gemma4")
                        .Build()),
            "llama.cpp of August 2023 or newer (b1087) for GGUF version 3");
}

TEST(NeededBuildTest, AProjectorNeedsItsTypes) {
  const auto projector = [](const char* type) {
    return GgufBuilder()
        .String("general.architecture", "clip")
        .Key("clip.has_vision_encoder", 7, ByteWriter().U8(1))
        .String("clip.projector_type", type)
        .Build();
  };
  EXPECT_EQ(NeedsOf(projector("gemma4v")),
            "llama.cpp of April 2026 or newer (b8637) for projector type gemma4v");
  EXPECT_EQ(NeedsOf(projector("dots3note_v")),
            "llama.cpp of September 2026 or newer (v0.4.0) for projector type dots3note_v");
  EXPECT_EQ(NeedsOf(projector("unheard_of")), "");
}

TEST(NeededBuildTest, NothingIsKnownOfWhatIsInNoTable) {
  EXPECT_EQ(NeedsOf(GgufBuilder().Build()), "");
  EXPECT_EQ(NeedsOf(GgufBuilder().String("general.architecture", "unheard-of").Build()), "");
  EXPECT_EQ(NeedsOf(GgufBuilder()  // Known, but never loaded.
                        .String("general.architecture", "gptj")
                        .Build()),
            "");
  EXPECT_EQ(NeedsOf(Llama().Tensor("w", {32}, 0x7FFFFFFF, 0).Build()), "");
  EXPECT_EQ(NeedsOf(Llama()
                        .String("tokenizer.ggml.model", "gpt2")
                        .String("tokenizer.ggml.pre", "unheard-of")
                        .Build()),
            "");
  // Files that llama.cpp does not load as a model or with one.
  EXPECT_EQ(NeedsOf(Llama().String("general.type", "imatrix").Build()), "");
  GgufBuilder first(1);
  first.String("general.architecture", "llama");
  EXPECT_EQ(NeedsOf(first.Build()), "");
}

TEST(NeededBuildTest, OnlyTypesThatWereNotRemovedHaveAFirstBuild) {
  for (const TensorTypeInfo& type : AllTensorTypes()) {
    const auto build = ParseBuild(type.llama_cpp);
    ASSERT_TRUE(build) << type.name;
    EXPECT_EQ(*build == kNoBuild, type.removed != nullptr) << type.name;
  }
  for (const FileType& type : kFileTypes) {
    EXPECT_TRUE(type.first == kNoBuild || type.status != FileTypeStatus::kRemoved) << type.name;
  }
}

}  // namespace
}  // namespace gguf
