// Tests of what files other than language models need, and what they do not.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/tables/architectures.h"
#include "conformance/tables/kind_keys.h"
#include "conformance/tables/required_keys.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

const FindingsOf kKind = {{"kind-agrees-with-tensors", "kind-tensors-present", "kind-keys-present",
                           "kind-keys-usual", "lora-type-stated", "projector-encoder-stated"}};
const FindingsOf kSizes = {{"projector-sizes-in-range", "projector-image-whole-patches",
                            "projector-image-channels", "projector-pinpoints-paired",
                            "projector-one-activation"}};

constexpr uint32_t kBool = 7, kF32 = 6, kArray = 9;

GgufBuilder File(const char* type, const char* architecture) {
  GgufBuilder b;
  if (*type != 0) b.String("general.type", type);
  if (*architecture != 0) b.String("general.architecture", architecture);
  return b;
}

TEST(KindChecksTest, KeysAndTensorsAgree) {
  EXPECT_THAT(kKind.MessagesIn(File("model", "llama").Tensor("w.lora_a", {8, 2}, 0)),
              ElementsAre("kv[general.type] states that the file is a language model, but its "
                          "tensors are those of a LoRA adapter"));
  EXPECT_THAT(kKind.In(File("", "clip").Tensor("direction.1", {8}, 0)),
              ElementsAre("error kind-agrees-with-tensors kv[general.architecture]"));
}

TEST(KindChecksTest, ModelsStateThatTheyAreModels) {
  const FindingsOf stated = {{"model-type-stated"}};
  GgufBuilder b = File("mmproj", "llama");
  b.Tensor("token_embd.weight", {8, 2}, 0);
  EXPECT_THAT(
      stated.MessagesIn(b),
      ElementsAre(
          "kv[general.type] states that the file is a projector, but it is a language model"));
  EXPECT_THAT(stated.In(b, "llama.cpp"), ElementsAre("warning model-type-stated kv[general.type]"));
  GgufBuilder model = File("model", "llama");
  model.Tensor("token_embd.weight", {8, 2}, 0);
  EXPECT_THAT(stated.In(model), IsEmpty());
}

TEST(KindChecksTest, Lora) {
  EXPECT_THAT(
      kKind.MessagesIn(File("adapter", "llama")),
      ElementsAre("kv[general.type] is that of a LoRA adapter, but the key adapter.type (str), "
                  "which llama.cpp requires, is missing",
                  "kv[general.type] is that of a LoRA adapter, but the key adapter.lora.alpha "
                  "(f32), which such files usually have, is missing"));
  GgufBuilder b = File("", "llama").String("adapter.type", "dora");
  b.Key("adapter.lora.alpha", kF32, ByteWriter().U32(0)).Tensor("w.lora_a", {8, 2}, 0);
  EXPECT_THAT(kKind.In(b), ElementsAre("error kind-keys-present kv[general.architecture]",
                                       "error lora-type-stated kv[adapter.type].value"));
}

TEST(KindChecksTest, TensorsPresent) {
  EXPECT_THAT(kKind.In(File("", "controlvector").String("controlvector.model_hint", "llama")),
              ElementsAre("error kind-tensors-present header.tensor_count"));
  EXPECT_THAT(kKind.In(File("", "controlvector")
                           .String("controlvector.model_hint", "llama")
                           .Tensor("direction.1", {8}, 0)),
              IsEmpty());
}

// An importance matrix without any key is known by its tensors.
TEST(KindChecksTest, ImportanceMatrix) {
  GgufBuilder b;
  b.Tensor("w.in_sum2", {8}, 0).Tensor("w.counts", {1}, 0);
  EXPECT_THAT(kKind.In(b), ElementsAre("error kind-keys-present kv[imatrix.datasets]",
                                       "error kind-keys-present kv[imatrix.chunk_count]",
                                       "error kind-keys-present kv[imatrix.chunk_size]",
                                       "warning kind-keys-usual kv[general.type]"));
  EXPECT_THAT(
      kKind.MessagesIn(b),
      Contains("kv[imatrix.chunk_size] is missing, a key (u32) of an importance matrix that "
               "llama.cpp requires"));
}

GgufBuilder Projector(const char* encoder, const char* type) {
  GgufBuilder b = File("mmproj", "clip");
  b.Key(encoder, kBool, ByteWriter().U8(1)).String("clip.projector_type", type);
  return b;
}

TEST(KindChecksTest, KeysOfProjectors) {
  const auto messages = [](const char* encoder, const char* type) {
    return kKind.MessagesIn(Projector(encoder, type));
  };
  const auto missing = [](const std::string& key, const std::string& type) {
    return "kv[general.type] is that of a projector, but the key " + key + " (" + type +
           "), which llama.cpp requires, is missing";
  };
  const auto mlp = messages("clip.has_vision_encoder", "mlp");
  EXPECT_EQ(mlp.size(), 10);
  EXPECT_THAT(mlp, Contains(missing("clip.vision.image_mean", "arr[f32]")));
  // Each type has keys of its own.
  EXPECT_EQ(messages("clip.has_vision_encoder", "phi4").size(), 12);
  EXPECT_THAT(messages("clip.has_vision_encoder", "phi4"),
              Contains(missing("clip.vision.image_max_pixels", "u32")));
  EXPECT_EQ(messages("clip.has_audio_encoder", "qwen2a").size(), 7);
  EXPECT_THAT(messages("clip.has_audio_encoder", "ultravox"),
              Contains(missing("clip.audio.projector.stack_factor", "u32")));
  EXPECT_EQ(messages("clip.has_gen_audio_encoder", "qwen3tts_gen").size(), 6);
  // The type of the one encoder may stand under a key of its own.
  GgufBuilder b = File("mmproj", "clip");
  b.Key("clip.has_vision_encoder", kBool, ByteWriter().U8(1))
      .String("clip.vision.projector_type", "mlp");
  EXPECT_EQ(kKind.In(b).size(), 10);
}

// Returns the keys that a projector lacks beside its encoder and these keys.
std::vector<std::string> MissingIn(const char* encoder, const std::string& type,
                                   const std::vector<std::string>& keys) {
  GgufBuilder b = Projector(encoder, type.c_str());
  for (const std::string& key : keys) b.U32(key, 1);
  std::vector<std::string> missing;
  for (const std::string& message : kKind.MessagesIn(b)) {
    const std::vector<std::string> words = absl::StrSplit(message, ' ');
    missing.push_back(words.at(9));
  }
  return missing;
}

TEST(KindChecksTest, EachKeyOfEachProjectorIsFoundMissing) {
  std::set<std::string> types(kProjectorNames, kProjectorNames + kProjectors), required, found;
  for (const KindKey& row : kKindKeys) {
    if (row.kind == GgufKind::kProjector) required.insert(row.key);
  }
  for (const std::string& type : types) {
    for (const RequiredKey& row : kRequiredKeys.Of(FindProjector(type))) {
      if (row.by == RequiredBy::kLoader || row.by == RequiredBy::kTensors) required.insert(row.key);
    }
  }
  for (const char* encoder :
       {"clip.has_vision_encoder", "clip.has_audio_encoder", "clip.has_gen_audio_encoder"}) {
    for (const std::string& type : types) {
      const std::vector<std::string> all = MissingIn(encoder, type, {});
      found.insert(all.begin(), all.end());
      EXPECT_THAT(MissingIn(encoder, type, all), IsEmpty()) << type;
      for (const std::string& key : all) {
        std::vector<std::string> others = all;
        others.erase(std::find(others.begin(), others.end(), key));
        EXPECT_THAT(MissingIn(encoder, type, others), ElementsAre(key)) << type;
      }
    }
  }
  // Projector() has these.
  required.erase("clip.has_vision_encoder");
  required.erase("clip.projector_type");
  EXPECT_EQ(found, required);
}

TEST(KindChecksTest, EncoderStated) {
  GgufBuilder b = File("mmproj", "clip").String("clip.projector_type", "mlp");
  b.Key("clip.has_vision_encoder", kBool, ByteWriter().U8(0));
  EXPECT_THAT(kKind.In(b),
              ElementsAre("error projector-encoder-stated kv[clip.has_vision_encoder].value"));
  EXPECT_THAT(
      kKind.MessagesIn(File("mmproj", "clip").String("clip.projector_type", "mlp")),
      ElementsAre("kv[general.type] is that of a projector, but the key clip.has_vision_encoder "
                  "(bool), which llama.cpp requires, is missing"));
}

// The key, the value, and whether it is too much or too little.
TEST(KindChecksTest, SizesOfProjectors) {
  struct {
    const char* key;
    uint32_t right, wrong;
  } const rows[] = {
      {"clip.vision.embedding_length", 1, 0},
      {"clip.vision.embedding_length", 1, 0x80000000},
      {"clip.vision.attention.head_count", 1, 0},
      {"clip.vision.block_count", 512, 513},
      {"clip.vision.image_size", 8192, 8193},
      {"clip.vision.patch_size", 1, 0},
      {"clip.vision.patch_size", 65535, 65536},
      {"clip.vision.spatial_merge_size", 1, 0},
      {"clip.vision.projector.scale_factor", 1, 0},
      {"clip.vision.window_size", 4096, 4097},
      {"clip.vision.image_max_pixels", 1 << 26, (1 << 26) + 1},
      {"clip.vision.image_min_pixels", 1 << 26, 46340 * 46340},
      {"clip.audio.attention.head_count", 1, 0},
      {"clip.audio.num_mel_bins", 256, 257},
      {"clip.audio.num_mel_bins", 1, 0},
      {"clip.audio.chunk_size", 8192, 8193},
      {"clip.audio.chunk_size", 1, 0},
  };
  for (const auto& row : rows) {
    GgufBuilder right = Projector("clip.has_vision_encoder", "mlp");
    EXPECT_THAT(kSizes.In(right.U32(row.key, row.right), "safety"), IsEmpty()) << row.key;
    GgufBuilder wrong = Projector("clip.has_vision_encoder", "mlp");
    EXPECT_THAT(
        kSizes.In(wrong.U32(row.key, row.wrong), "safety"),
        ElementsAre("error projector-sizes-in-range kv[" + std::string(row.key) + "].value"))
        << row.key << " " << row.wrong;
  }
  // llama.cpp also reads the keys of a type as u32, and refuses values above INT32_MAX; it does not
  // read those of other types.
  GgufBuilder lfm2 = Projector("clip.has_vision_encoder", "lfm2");
  lfm2.U32("clip.vision.projector.scale_factor", 0x80000000);
  EXPECT_THAT(
      kSizes.MessagesIn(lfm2),
      ElementsAre("kv[clip.vision.projector.scale_factor].value is 2147483648, not 1 to 65535",
                  "kv[clip.vision.projector.scale_factor].value is 2147483648, more than "
                  "2147483647"));
  // It reads the raw waveform, 640 samples at a time.
  GgufBuilder raw = Projector("clip.has_audio_encoder", "gemma4ua");
  EXPECT_THAT(kSizes.In(raw.U32("clip.audio.num_mel_bins", 640)), IsEmpty());
}

TEST(KindChecksTest, SizesToEachOther) {
  const auto with = [](const char* a, uint32_t x, const char* b, uint32_t y) {
    GgufBuilder file = Projector("clip.has_vision_encoder", "mlp");
    return kSizes.MessagesIn(
        file.U32(std::string("clip.vision.") + a, x).U32(std::string("clip.vision.") + b, y));
  };
  EXPECT_THAT(
      with("image_size", 384, "patch_size", 14),
      ElementsAre("kv[clip.vision.image_size].value is 384, not a multiple of the patch size, 14"));
  EXPECT_THAT(with("image_size", 1025, "patch_size", 1),
              ElementsAre("kv[clip.vision.image_size].value is 1025, more than 1024 patches of 1"));
  EXPECT_THAT(
      with("image_min_pixels", 2, "image_max_pixels", 1),
      ElementsAre(
          "kv[clip.vision.image_min_pixels].value is 2, but clip.vision.image_max_pixels is 1"));
  EXPECT_THAT(
      with("preproc_min_tiles", 2, "preproc_max_tiles", 1),
      ElementsAre(
          "kv[clip.vision.preproc_min_tiles].value is 2, but clip.vision.preproc_max_tiles is 1"));
}

TEST(KindChecksTest, ArraysOfProjectors) {
  const auto with = [](const char* key, uint64_t length) {
    ByteWriter value;
    value.U32(kF32).U64(length).Zeros(4 * length);
    GgufBuilder file = Projector("clip.has_vision_encoder", "mlp");
    return kSizes.In(file.Key(key, kArray, value), "safety");
  };
  EXPECT_THAT(with("clip.vision.image_mean", 3), IsEmpty());
  EXPECT_THAT(with("clip.vision.image_mean", 2),
              ElementsAre("error projector-image-channels kv[clip.vision.image_mean].value"));
  EXPECT_THAT(with("clip.vision.image_std", 0),
              ElementsAre("error projector-image-channels kv[clip.vision.image_std].value"));
  EXPECT_THAT(with("clip.vision.image_grid_pinpoints", 4), IsEmpty());
  EXPECT_THAT(
      with("clip.vision.image_grid_pinpoints", 5),
      ElementsAre("error projector-pinpoints-paired kv[clip.vision.image_grid_pinpoints].value"));
}

TEST(KindChecksTest, OneActivation) {
  GgufBuilder b = Projector("clip.has_vision_encoder", "mlp");
  b.Key("clip.use_gelu", kBool, ByteWriter().U8(1));
  EXPECT_THAT(kSizes.In(b), IsEmpty());
  b.Key("clip.use_silu", kBool, ByteWriter().U8(1));
  EXPECT_THAT(kSizes.In(b), ElementsAre("error projector-one-activation kv[clip.use_gelu].value"));
}

// None of the rules about language models reports other files.
TEST(KindChecksTest, RulesOfModelsAreNotForOtherKinds) {
  const FindingsOf models = {{"llama-cpp-keys-present", "spec-keys-present",
                              "model-tensors-present", "model-tensors-known",
                              "model-blocks-present", "architecture-known", "architecture-present",
                              "architecture-loadable", "key-known"}};
  GgufBuilder image = File("", "flux").Tensor("double_blocks.0.x", {8}, 0);
  GgufBuilder matrix = File("imatrix", "").Tensor("w.in_sum2", {8}, 0);
  GgufBuilder vector = File("", "controlvector").Tensor("direction.1", {8}, 0);
  GgufBuilder adapter = File("adapter", "llama").Tensor("w.lora_a", {8}, 0);
  GgufBuilder projector = File("mmproj", "clip").Tensor("v.blk.0.x", {8}, 0);
  for (const char* profile : {"upload", "spec", "safety"}) {
    for (const GgufBuilder* file : {&image, &vector, &adapter, &projector}) {
      EXPECT_THAT(models.In(*file, profile), IsEmpty()) << profile;
    }
    EXPECT_THAT(models.In(matrix, profile), IsEmpty()) << profile;
  }
  const FindingsOf image_rule = {{"architecture-of-language-model"}};
  EXPECT_THAT(
      image_rule.MessagesIn(image, "llama.cpp"),
      ElementsAre("kv[general.architecture].value is \"flux\", the architecture of an image "
                  "model"));
}

}  // namespace
}  // namespace gguf
