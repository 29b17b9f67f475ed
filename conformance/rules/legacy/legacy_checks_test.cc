// Tests of findings in legacy (pre-GGUF) files, beyond those of the corpus:
// messages, and rules that could not be checked.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

void AddTensor(absl::string_view name, const std::vector<uint32_t>& dims, uint64_t bytes,
               ByteWriter* w, uint32_t type = 0) {
  w->U32(dims.size()).U32(name.size()).U32(type);
  for (const uint32_t dim : dims) w->U32(dim);
  w->Raw(name).Zeros(bytes);
}

// A GGMF llama with no tokens: magic, version, n_vocab n_embd n_mult n_head
// n_layer n_rot ftype.
ByteWriter Llama(uint32_t n_embd, uint32_t n_layer = 1) {
  ByteWriter w(1);
  w.Raw("fmgg").U32(1);
  for (const uint32_t hparam : {0u, n_embd, 256u, 32u, n_layer, 128u, 0u}) {
    w.U32(hparam);
  }
  return w;
}

FileReport ReportOn(const ByteWriter& file, absl::string_view profile) {
  return Validate(AsBytes(file.bytes()), *Profile::Find(profile), {});
}

std::vector<std::string> Messages(const ByteWriter& file, absl::string_view rule,
                                  absl::string_view profile = "upload") {
  std::vector<std::string> messages;
  for (const Finding& finding : ReportOn(file, profile).findings) {
    if (finding.diagnostic.rule->id != rule) continue;
    messages.push_back(absl::StrCat(finding.diagnostic.subject, " ", finding.diagnostic.message));
  }
  return messages;
}

std::vector<std::string> NotChecked(const ByteWriter& file) {
  std::vector<std::string> lines;
  for (const auto& entry : ReportOn(file, "upload").not_checked) {
    if (entry.meaning == Reason::kNotRequested) continue;
    lines.push_back(absl::StrCat(entry.rule->id, ": ", entry.why.view()));
  }
  return lines;
}

TEST(LegacyChecksTest, AReportSaysWhoStillReadsTheFormat) {
  const FileReport report = ReportOn(Llama(4096), "upload");
  EXPECT_EQ(report.format, "ggmf");
  EXPECT_EQ(report.version, 1u);
  EXPECT_EQ(report.keys, std::nullopt);
  EXPECT_THAT(report.about, HasSubstr("family llama"));
  EXPECT_THAT(report.about, HasSubstr("Still read by: KoboldCpp."));
}

TEST(LegacyChecksTest, LlamaCppHasOneErrorForEach) {
  EXPECT_THAT(Messages(Llama(4096), "format-gguf", "llama.cpp"),
              ElementsAre("file.format is ggmf, which llama.cpp stopped loading when GGUF replaced "
                          "it in August 2023"));
  ByteWriter rwkv(1);
  rwkv.Raw("fmgg").U32(101).U32(2).U32(4).U32(1).U32(0);
  EXPECT_THAT(Messages(rwkv, "format-gguf", "llama.cpp"),
              ElementsAre("file.format is rwkv.cpp, which was never a format of llama.cpp"));
  EXPECT_EQ(ReportOn(rwkv, "llama.cpp").counts.error, 1u);
}

// The 13B model was split in two: each file has half of every matrix.
TEST(LegacyChecksTest, OnePartOfSeveralHasOtherShapes) {
  ByteWriter half = Llama(5120);
  AddTensor("tok_embeddings.weight", {2560, 0}, 0, &half);
  EXPECT_THAT(Messages(half, "legacy-tensor-shapes"), IsEmpty());
  EXPECT_THAT(NotChecked(half),
              Contains("legacy-tensor-shapes: one part of a model: its matrices are cut"));
  ByteWriter third = Llama(5120);
  AddTensor("tok_embeddings.weight", {1706, 0}, 0, &third);
  EXPECT_THAT(Messages(third, "legacy-tensor-shapes"),
              ElementsAre("tensor[tok_embeddings.weight].dims are [1706, 0], not [5120, 0]"));
}

TEST(LegacyChecksTest, TheFeedForwardWidthFollowsFromNMult) {
  const auto shapes = [](uint32_t n_mult, uint32_t n_embd, uint32_t width) {
    ByteWriter w(1);
    w.Raw("fmgg").U32(1);
    for (const uint32_t hparam : {0u, n_embd, n_mult, 1u, 1u, 1u, 0u}) {
      w.U32(hparam);
    }
    AddTensor("layers.0.feed_forward.w1.weight", {n_embd, width}, uint64_t{4} * n_embd * width, &w);
    return Messages(w, "legacy-tensor-shapes").size();
  };
  EXPECT_EQ(shapes(8, 24, 64), 0u);   // 2 * 96 / 3
  EXPECT_EQ(shapes(10, 24, 70), 0u);  // Rounded up.
  EXPECT_EQ(shapes(10, 24, 64), 1u);
  EXPECT_EQ(shapes(8, 24, 88), 0u);  // 1.3 times as much, rounded up.
  EXPECT_EQ(shapes(8, 24, 96), 1u);
}

// The magic and the hyperparameters of a parakeet, and the counts after them, all 1 or 0.
TEST(LegacyChecksTest, FamiliesWithoutTablesAreNotJudgedInSilence) {
  ByteWriter w(1);
  w.Raw("lmgg");
  for (const uint32_t hparam : {2, 8, 4, 2, 1, 1, 0, 6, 8, 4, 9, 4, 1, 3, 10}) w.U32(hparam);
  w.U32(1).U32(4).Zeros(16).U32(0).Zeros(12).U32(1).U32(1).Raw("a");
  AddTensor("encoder.x", {4}, 16, &w);
  const std::string why = "the tensors of the family parakeet are not in the tables";
  EXPECT_THAT(NotChecked(w),
              ElementsAre("legacy-tensor-names-known: " + why, "legacy-tensor-types: " + why,
                          "legacy-tensors-present: " + why, "legacy-tensor-shapes: " + why));
}

TEST(LegacyChecksTest, NumbersThatTheReaderDoesNotTakeAreErrors) {
  const auto messages = [](std::vector<uint32_t> layers) {
    ByteWriter w(1);
    w.Raw("lmgg").String("silero-8k");
    for (const uint32_t hparam : {6u, 2u, 0u, 512u, 64u}) w.U32(hparam);
    w.U32(layers.size() / 3);
    for (const uint32_t number : layers) w.U32(number);
    for (const uint32_t number : {128u, 128u, 128u, 1u}) w.U32(number);
    return Messages(w, "legacy-hparams-plausible", "safety");
  };
  EXPECT_THAT(messages({129, 128, 3, 128, 64, 3, 64, 64, 3, 64, 128, 3}), IsEmpty());
  EXPECT_THAT(messages({129, 128, 3, 128, 64, 5, 64, 64, 3, 64, 128, 3}),
              ElementsAre("header.layers[5] is 5, not 3"));
  EXPECT_THAT(messages({129, 128, 3, 128, 64, 3, 64, 64, 3}),
              ElementsAre("header.n_encoder_layers is 3, not 4 to 4"));
}

// llama.cpp had one model with grouped attention, in GGJT 3.
TEST(LegacyChecksTest, KeysMayHaveAnEighthOfTheWidthInGgjt3) {
  const auto messages = [](uint32_t version, uint32_t keys, uint32_t values) {
    ByteWriter w(1);
    w.Raw("tjgg").U32(version);
    for (const uint32_t hparam : {0, 16, 16, 8, 1, 2, 0}) w.U32(hparam);
    w.U32(2).U32(28).U32(0).U32(16).U32(keys).Raw("layers.0.attention.wk.weight");
    w.PadTo(32).Zeros(uint64_t{64} * keys);
    w.U32(2).U32(28).U32(0).U32(16).U32(values).Raw("layers.0.attention.wv.weight");
    w.PadTo(32).Zeros(uint64_t{64} * values);
    return Messages(w, "legacy-tensor-shapes");
  };
  EXPECT_THAT(messages(3, 2, 2), IsEmpty());
  EXPECT_THAT(messages(3, 2, 16),
              ElementsAre("tensor[layers.0.attention.wv.weight].dims are [16, 16], not [16, 2]"));
  EXPECT_THAT(messages(1, 2, 16),
              ElementsAre("tensor[layers.0.attention.wk.weight].dims are [16, 2], not [16, 16]"));
  EXPECT_THAT(messages(3, 8, 16),
              ElementsAre("tensor[layers.0.attention.wk.weight].dims are [16, 8], not [16, 16]"));
}

TEST(LegacyChecksTest, FewHyperparametersMatterForAVocabularyAlone) {
  const auto messages = [](std::vector<uint32_t> hparams, bool has_tensor) {
    ByteWriter w(1);
    w.Raw("fmgg").U32(1);
    for (const uint32_t hparam : hparams) w.U32(hparam);
    w.U32(1).Raw("a").U32(0);
    if (has_tensor) AddTensor("norm.weight", {4}, 16, &w);
    size_t errors = 0;
    for (const Finding& finding : ReportOn(w, "safety").findings) {
      errors += absl::StartsWith(finding.diagnostic.rule->id, "legacy-h");
    }
    return errors;
  };
  EXPECT_EQ(messages({1, 0, 4, 3, 0, 7, 99}, false), 0u);
  EXPECT_EQ(messages({1, 0, 4, 3, 0, 7, 99}, true), 2u);
  EXPECT_EQ(messages({1, 4, 0, 2, 1, 2, 0}, false), 1u);
  EXPECT_EQ(messages({1, 4, 4, 2, 81, 2, 0}, false), 1u);
}

// A GGML gpt-2 with one tensor and no tokens.
TEST(LegacyChecksTest, TheFileHoldsTheModelOfItsHeader) {
  const auto messages = [](uint32_t n_ctx, uint32_t n_layer, uint64_t size) {
    ByteWriter w(1);
    w.Raw("lmgg");
    for (const uint32_t hparam : {10u, n_ctx, 64u, 2u, n_layer, 0u, 0u}) w.U32(hparam);
    AddTensor("model/wte", {64, 10}, 2560, &w);
    const uint64_t rest = size - w.bytes().size() - 19;
    AddTensor("xyz", {static_cast<uint32_t>(rest / 4)}, rest, &w);
    EXPECT_EQ(w.bytes().size(), size);
    return Messages(w, "legacy-weights-fit", "safety");
  };
  // 64 * (10 + 2 * (8 * 64 + 6)) numbers, four in a byte.
  EXPECT_THAT(messages(6, 2, 16736), IsEmpty());
  EXPECT_THAT(messages(7, 2, 16736),
              ElementsAre("header.n_embd is 64, so readers allocate 67072 numbers or more, but the "
                          "file has 16736 bytes"));
}

TEST(LegacyChecksTest, LayersThatTheFileCannotHoldEndTheSearch) {
  ByteWriter w = Llama(4096, 0xFFFFFFFF);
  AddTensor("norm.weight", {4096}, 4 * 4096, &w);
  EXPECT_THAT(Messages(w, "legacy-tensors-present"),
              ElementsAre("file.tensors lack \"tok_embeddings.weight\", for example"));
}

TEST(LegacyChecksTest, TheRulesOfGgufAreNotAboutThem) {
  for (const auto& entry : ReportOn(Llama(4096), "pedantic").not_checked) {
    EXPECT_TRUE(absl::StartsWith(entry.rule->id, "weights-")) << entry.rule->id;
  }
}

TEST(LegacyChecksTest, OldBlocksAreNamedByTheirTime) {
  const auto messages = [](uint32_t version, uint32_t type, uint64_t bytes) {
    ByteWriter w(1);
    w.Raw("tjgg").U32(version);
    for (const uint32_t hparam : {0, 32, 32, 1, 1, 1, 2}) w.U32(hparam);
    w.U32(1).U32(1).U32(type).U32(32).Raw("w").PadTo(32).Zeros(bytes);
    return Messages(w, "legacy-quantization-current");
  };
  EXPECT_THAT(messages(1, 2, 20),
              ElementsAre("tensor[w].type is Q4_0_QNT0, quantization version 0, used before 12 May "
                          "2023; 1 tensor has such blocks"));
  EXPECT_THAT(messages(2, 8, 36),
              ElementsAre("tensor[w].type is Q8_0_QNT0, quantization version 1, used from 12 to 18 "
                          "May 2023; 1 tensor has such blocks"));
  EXPECT_THAT(messages(2, 6, 22), IsEmpty());
  EXPECT_THAT(messages(3, 2, 18), IsEmpty());
}

}  // namespace
}  // namespace gguf
