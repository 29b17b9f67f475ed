// Types of the standardized keys, in each profile.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr uint32_t kU16 = 2, kI32 = 5, kF32 = 6, kBool = 7, kArr = 9, kU64 = 10;

const FindingsOf kTypes = {{"key-type-specified", "count-type-specified", "key-type-loaded",
                            "count-type-loaded", "key-type-unread", "key-type-written",
                            "key-array-length"}};

// Returns the findings of the three profiles, in one line.
std::string Verdict(const GgufBuilder& file) {
  std::string verdict;
  for (const char* profile : {"upload", "spec", "llama.cpp"}) {
    const auto found = kTypes.In(file, profile);
    EXPECT_LE(found.size(), 1u) << profile;
    const std::string line = found.empty() ? "-" : found[0];
    verdict += (verdict.empty() ? "" : " | ") + line.substr(0, line.rfind(' '));
  }
  return verdict;
}

GgufBuilder With(absl::string_view key, uint32_t type, const ByteWriter& value,
                 absl::string_view architecture = "llama") {
  GgufBuilder b;
  b.String("general.architecture", architecture).Key(key, type, value);
  return b;
}

ByteWriter U32(uint32_t value) { return ByteWriter().U32(value); }
ByteWriter U64(uint64_t value) { return ByteWriter().U64(value); }
ByteWriter Array(uint32_t type, std::vector<uint32_t> values) {
  ByteWriter writer;
  writer.U32(type).Length(values.size());
  for (const uint32_t value : values) writer.U32(value);
  return writer;
}

constexpr char kFine[] = "- | - | -";

TEST(StandardKeyChecksTest, Counts) {
  constexpr char kKey[] = "llama.block_count";
  EXPECT_EQ(Verdict(With(kKey, 4, U32(2))), kFine);
  EXPECT_EQ(Verdict(With(kKey, kU64, U64(2))),
            "warning count-type-loaded | - | error count-type-loaded");
  EXPECT_EQ(Verdict(With(kKey, kI32, U32(2))),
            "error key-type-loaded | warning count-type-specified | error key-type-loaded");
  EXPECT_EQ(Verdict(With(kKey, 8, ByteWriter().String("2"))),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
  EXPECT_EQ(Verdict(With(kKey, kF32, U32(0x40000000))),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
  EXPECT_EQ(Verdict(With(kKey, kArr, Array(4, {2}))),
            "error key-type-loaded | warning count-type-specified | error key-type-loaded");
}

TEST(StandardKeyChecksTest, CountsForEachBlock) {
  constexpr char kKey[] = "llama.attention.head_count";
  for (const uint32_t type : {4, 5}) {
    EXPECT_EQ(Verdict(With(kKey, kArr, Array(type, {2, 2}))),
              "- | warning count-type-specified | -");
  }
  EXPECT_EQ(Verdict(With(kKey, kArr, Array(kF32, {0, 0}))),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
}

TEST(StandardKeyChecksTest, KeysThatTheSpecificationTypes) {
  EXPECT_EQ(Verdict(With("llama.expert_count", kU64, U64(8))),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
  EXPECT_EQ(Verdict(With("general.author", 4, U32(1))),
            "warning key-type-unread | error key-type-specified | -");
  EXPECT_EQ(Verdict(With("general.name", 4, U32(1))),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
  EXPECT_EQ(Verdict(With("general.tags", kArr, Array(4, {1}))),
            "warning key-type-unread | error key-type-specified | -");
  EXPECT_EQ(Verdict(With("general.base_model.7.name", 4, U32(1))),
            "warning key-type-unread | error key-type-specified | -");
}

TEST(StandardKeyChecksTest, OnlyKeysThatTheArchitectureReadsAreRefused) {
  constexpr char kKey[] = "{arch}.ssm.conv_kernel";
  const auto of = [&](const std::string& architecture) {
    return Verdict(With(architecture + std::string(kKey).substr(6), kF32, U32(0), architecture));
  };
  EXPECT_EQ(of("mamba"),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
  EXPECT_EQ(of("llama"), "warning key-type-unread | error key-type-specified | -");
  EXPECT_EQ(of("unknown"), "warning key-type-unread | error key-type-specified | -");
  // All but some: falcon is one of those with another epsilon.
  constexpr char kEpsilon[] = ".attention.layer_norm_rms_epsilon";
  EXPECT_EQ(Verdict(With(std::string("falcon") + kEpsilon, 4, U32(0), "falcon")),
            "warning key-type-unread | error key-type-specified | -");
  EXPECT_EQ(Verdict(With(std::string("qwen2") + kEpsilon, 4, U32(0), "qwen2")),
            "error key-type-loaded | error key-type-specified | error key-type-loaded");
}

TEST(StandardKeyChecksTest, KeysOfAnotherArchitectureAreNotJudged) {
  EXPECT_EQ(Verdict(With("gpt2.block_count", kF32, U32(0))), kFine);
}

TEST(StandardKeyChecksTest, ProgramsKeys) {
  EXPECT_EQ(Verdict(With("general.sampling.top_k", 4, U32(40))),
            "note key-type-written | - | note key-type-written");
  EXPECT_EQ(Verdict(With("general.sampling.top_k", kI32, U32(40))), kFine);
  for (const uint32_t type : {4, 5}) {
    EXPECT_EQ(Verdict(With("quantize.imatrix.entries_count", type, U32(1))), kFine);
  }
  EXPECT_EQ(Verdict(With("llama.pooling_type", kI32, U32(0))),
            "error key-type-loaded | - | error key-type-loaded");
}

TEST(StandardKeyChecksTest, Shards) {
  EXPECT_EQ(Verdict(With("split.count", 4, U32(3))),
            "error key-type-loaded | - | error key-type-loaded");
  GgufBuilder b = With("split.count", kU16, ByteWriter().U16(3));
  b.Key("split.no", 4, U32(0));
  EXPECT_EQ(Verdict(b), "error key-type-loaded | - | error key-type-loaded");
  // A later shard has no architecture.
  GgufBuilder later;
  later.Key("split.count", kU16, ByteWriter().U16(3)).Key("split.no", 4, U32(1));
  EXPECT_EQ(Verdict(later), "error key-type-loaded | - | error key-type-loaded");
  // Without its set, none of its keys are read.
  GgufBuilder merged = With("split.count", kU16, ByteWriter().U16(0));
  merged.Key("split.no", 4, U32(0));
  EXPECT_EQ(Verdict(merged), "note key-type-written | - | note key-type-written");
}

TEST(StandardKeyChecksTest, Vocabulary) {
  const auto of = [](absl::string_view model, absl::string_view key, uint32_t type,
                     const ByteWriter& value) {
    GgufBuilder b = With(key, type, value);
    b.String("tokenizer.ggml.model", model);
    return Verdict(b);
  };
  const std::string refused =
      "error key-type-loaded | error key-type-specified | error key-type-loaded";
  const std::string unread = "warning key-type-unread | error key-type-specified | -";
  const ByteWriter ints = Array(4, {1});
  EXPECT_EQ(of("gpt2", "tokenizer.ggml.merges", kArr, ints), refused);
  EXPECT_EQ(of("llama", "tokenizer.ggml.merges", kArr, ints), unread);
  EXPECT_EQ(of("llama", "tokenizer.ggml.tokens", kArr, ints), refused);
  EXPECT_EQ(of("none", "tokenizer.ggml.tokens", kArr, ints), unread);
  EXPECT_EQ(of("llama", "tokenizer.ggml.bos_token_id", kI32, U32(1)), refused);
  EXPECT_EQ(of("llama", "tokenizer.ggml.scores", kArr, Array(kI32, {1})),
            "- | error key-type-specified | -");
  EXPECT_EQ(of("llama", "tokenizer.ggml.add_bos_token", 4, U32(1)),
            "error key-type-loaded | - | error key-type-loaded");
  EXPECT_EQ(of("llama", "tokenizer.ggml.add_bos_token", kBool, ByteWriter().U8(1)), kFine);
}

TEST(StandardKeyChecksTest, FixedLengths) {
  constexpr char kKey[] = "qwen2vl.rope.dimension_sections";
  EXPECT_EQ(Verdict(With(kKey, kArr, Array(kI32, {1, 2, 3, 0}), "qwen2vl")), kFine);
  for (const std::vector<uint32_t>& values :
       {std::vector<uint32_t>{}, {1, 2, 3}, {1, 2, 3, 4, 5}}) {
    EXPECT_EQ(Verdict(With(kKey, kArr, Array(kI32, values), "qwen2vl")),
              "error key-array-length | - | error key-array-length");
  }
}

TEST(StandardKeyChecksTest, MessagesNameBothTypes) {
  EXPECT_THAT(
      kTypes.MessagesIn(With("llama.attention.head_count", 8, ByteWriter().String("x"))),
      ElementsAre(
          "kv[llama.attention.head_count].type is str, not u32, arr[u32], arr[i32] or arr[bool]"));
  EXPECT_THAT(
      kTypes.MessagesIn(With("llama.classifier.output_labels", kArr, Array(4, {1}))),
      ElementsAre("kv[llama.classifier.output_labels].type is arr[u32], not a scalar or arr[str]"));
}

TEST(StandardKeyChecksTest, AFileThatIsNoModelIsNotJudgedAsOne) {
  const GgufBuilder image = With("flux.block_count", kU64, U64(2), "flux");
  const std::string why = "the file is an image model, not a language model";
  EXPECT_THAT(kTypes.In(image, "llama.cpp"), IsEmpty());
  EXPECT_THAT(kTypes.NotCheckedIn(image, "llama.cpp"),
              ElementsAre("key-type-loaded: " + why, "count-type-loaded: " + why,
                          "key-array-length: " + why));
  GgufBuilder adapter = With("llama.block_count", kU64, U64(2));
  adapter.String("general.type", "adapter");
  EXPECT_THAT(kTypes.In(adapter, "llama.cpp"), IsEmpty());
  EXPECT_THAT(kTypes.NotCheckedIn(With("x.y", 4, U32(1), "unknown"), "llama.cpp"),
              testing::Contains("key-type-loaded: llama.cpp cannot load the architecture"));
}

// Files that llama.cpp loads as something else have keys of their own.
TEST(StandardKeyChecksTest, KeysThatOtherLoadersRead) {
  const auto found = [](const char* architecture, const char* type, const char* key) {
    GgufBuilder b = With(key, kU64, U64(2), architecture);
    if (*type != 0) b.String("general.type", type);
    return !kTypes.In(b, "upload").empty() && kTypes.In(b, "upload")[0].substr(0, 5) == "error";
  };
  EXPECT_TRUE(found("llama", "adapter", "adapter.lora.alpha"));
  EXPECT_FALSE(found("llama", "", "adapter.lora.alpha"));
  EXPECT_TRUE(found("llama", "imatrix", "imatrix.chunk_size"));
  EXPECT_FALSE(found("llama", "adapter", "imatrix.chunk_size"));
  EXPECT_TRUE(found("clip", "", "clip.has_vision_encoder"));
  EXPECT_FALSE(found("llama", "", "clip.has_vision_encoder"));
  // The keys of an encoder that is not there are not read.
  EXPECT_FALSE(found("clip", "", "clip.vision.patch_size"));
  GgufBuilder b = With("clip.vision.patch_size", kU64, U64(2), "clip");
  b.Key("clip.has_vision_encoder", 7, ByteWriter().U8(1));
  EXPECT_THAT(kTypes.MessagesIn(b), ElementsAre("kv[clip.vision.patch_size].type is u64, not u32"));
  // Of the keys of a type, those of the file's; and general.name.
  GgufBuilder lfm2 = With("clip.vision.projector.scale_factor", kF32, U32(0), "clip");
  lfm2.Key("clip.has_vision_encoder", 7, ByteWriter().U8(1))
      .String("clip.projector_type", "lfm2")
      .Key("clip.vision.expert_used_count", kF32, U32(0))
      .Key("general.name", 4, U32(1));
  const FindingsOf loaded = {{"key-type-loaded"}};
  EXPECT_THAT(loaded.MessagesIn(lfm2),
              ElementsAre("kv[clip.vision.projector.scale_factor].type is f32, not u32",
                          "kv[general.name].type is u32, not str"));
  // An array of one element is read as its element, of two not.
  for (const uint32_t length : {1, 2}) {
    GgufBuilder one =
        With("clip.vision.patch_size", kArr, Array(4, std::vector<uint32_t>(length, 14)), "clip");
    one.Key("clip.has_vision_encoder", 7, ByteWriter().U8(1));
    EXPECT_EQ(kTypes.MessagesIn(one).size(), length - 1);
  }
}

}  // namespace
}  // namespace gguf
