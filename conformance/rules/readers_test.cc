// Tests that the tables of readers are complete, agree with the catalogue, and
// predict what the readers did when they were run.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/readers.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/tables/load_steps.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/tiny_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/tensor_type.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

TEST(ReaderConditionTest, EachAsksWhatItsNameSays) {
  const struct {
    Condition is;
    const char* value;
    const char* text;
    bool holds;
  } cases[] = {
      {Condition::kAlways, "", "anything", true},
      {Condition::kEquals, "FUGG", "FUGG", true},
      {Condition::kEquals, "FUGG", "FUGGG", false},
      {Condition::kContains, "\\x00", "a\\x00b", true},
      {Condition::kContains, "\\x00", "ab", false},
      {Condition::kEnds, ".a, .b", "k.b", true},
      {Condition::kEnds, ".a, .b", "k.b.c", false},
      {Condition::kAmong, "F32, F16", "F16, F32", true},
      {Condition::kAmong, "F32, F16", "", true},
      {Condition::kAmong, "F32, F16", "F32, F1", false},
      {Condition::kAbove, "8", "8", false},
      {Condition::kAbove, "8", "9", true},
      {Condition::kAbove, "8", "[1, 9, 2]", true},
      {Condition::kAbove, "8", "unknown", false},
      {Condition::kAbove, "18446744073709551614", "18446744073709551615", true},
      {Condition::kWraps, "", "[4294967296, 4294967296]", true},
      {Condition::kWraps, "", "[4294967296, 4294967295]", false},
      {Condition::kWraps, "", "[3, 0]", true},
  };
  for (const auto& [is, value, text, holds] : cases) {
    EXPECT_EQ(Holds("of", is, value, {{"other", "9"}, {"of", text}, {"of", "no"}}), holds)
        << WordOf(is) << " " << value << " " << text;
  }
}

TEST(ReaderConditionTest, NothingHoldsForANameThatIsNotThere) {
  EXPECT_FALSE(Holds("of", Condition::kAmong, "F32", {}));
  EXPECT_FALSE(Holds("of", Condition::kAbove, "0", {}));
  EXPECT_TRUE(Holds("-", Condition::kAlways, "", {}));
}

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<const ReaderEffectRow*> RowsOf(absl::string_view rule) {
  std::vector<const ReaderEffectRow*> rows;
  for (const ReaderEffectRow& row : kReaderEffects) {
    if (row.rule == rule) rows.push_back(&row);
  }
  return rows;
}

TEST(ReadersTableTest, ARuleAboutTheContainerIsDecidedForAllReadersOrNone) {
  for (const Rule* rule : Catalogue()) {
    const std::string id = rule->id;
    const auto rows = RowsOf(id);
    if (rows.empty()) continue;
    for (const Reader& reader : kReaders) {
      // One row that always holds, and no row after it.
      std::vector<bool> always;
      for (const ReaderEffectRow* row : rows) {
        if (!IsAbout(row->readers, reader)) continue;
        always.push_back(row->is == Condition::kAlways);
      }
      if (always.empty() && rule->scope == Scope::kModel) continue;
      ASSERT_FALSE(always.empty()) << id << ", " << reader.name;
      EXPECT_TRUE(always.back()) << id << ", " << reader.name;
      EXPECT_EQ(std::count(always.begin(), always.end(), true), 1) << id << ", " << reader.name;
    }
  }
}

TEST(ReadersTableTest, EachRowIsOfARuleThatThereIs) {
  for (const ReaderEffectRow& row : kReaderEffects) {
    const absl::string_view rule = row.rule;
    EXPECT_TRUE(rule == "file" || rule == "model" || FindRule(rule) != nullptr)
        << "there is no rule " << rule;
    uint64_t number;
    EXPECT_TRUE(row.is != Condition::kAbove || absl::SimpleAtoi(row.value, &number))
        << rule << ": " << row.value << " is no number";
  }
}

TEST(ReadersTableTest, EachStepHasARuleThatThereIs) {
  std::set<std::string> used,
      all(std::begin(EnumWords<LoadStep>::kWords), std::end(EnumWords<LoadStep>::kWords));
  for (const LoadStepRow& row : kLoadSteps) {
    const absl::string_view rule = row.rule;
    EXPECT_TRUE(rule == "*" || rule == "model" || FindRule(rule) != nullptr)
        << "there is no rule " << rule;
    used.insert(WordOf(row.step));
  }
  EXPECT_EQ(used, all);
}

TEST(ReadersTableTest, AReaderNeedsOrIsLikeReadersThatThereAre) {
  for (const Reader& reader : kReaders) {
    for (const absl::string_view other : {reader.also, reader.like}) {
      // Not itself, which would never end.
      EXPECT_TRUE(other.empty() || (FindReader(other) != nullptr && other != reader.name))
          << reader.name << ": " << other;
    }
  }
}

// The profile answers the same question for people, with these exceptions.
TEST(ReadersTableTest, TheProfileLlamaCppAgrees) {
  const std::set<std::string> exempt = {
      // Errors only if the weights are checked; llama.cpp loads them unchecked.
      "weights-scale-finite", "weights-index-in-range", "weights-type-checked",
      // graph-hparams-consistent tells where it matters.
      "head-count-kv-divides",
      // The library loads the model; its programs refuse the template.
      "template-names-known", "template-names-of-llama-cpp", "template-syntax-of-llama-cpp",
      // No fault of the file.
      "reader-computes-architecture"};
  std::set<std::string> excused;
  for (const Rule* rule : Catalogue()) {
    const std::string id = rule->id;
    const auto rows = RowsOf(id);
    if (rows.empty()) continue;
    const bool refuses = std::any_of(rows.begin(), rows.end(), [](const ReaderEffectRow* row) {
      return IsAbout(row->readers, *FindReader("llama.cpp")) && row->effect >= ReaderEffect::kNewer;
    });
    const bool error = rule->severities.llama_cpp == Severity::kError;
    if (error == refuses) continue;
    if (exempt.count(id) > 0) {
      excused.insert(id);
    } else {
      ADD_FAILURE() << id << (error ? ": the profile" : ": the table")
                    << " alone predicts that llama.cpp rejects the file";
    }
  }
  EXPECT_EQ(excused, exempt);  // No obsolete exemptions.
}

FileReport CheckAll(const std::string& bytes, const Limits& limits = {},
                    const Profile& profile = *Profile::Find("upload")) {
  CheckOptions options;
  options.limits = limits;
  options.readers = true;
  return Validate(AsBytes(bytes), profile, options);
}

// "rejects because of tensor-type-known" of the reader of this name.
std::string Of(const FileReport& report, absl::string_view reader) {
  for (const ReaderVerdict& verdict : JudgeReaders(report)) {
    if (verdict.reader->name != reader) continue;
    std::string text = WordOf(verdict.effect);
    const char* separator = " because of ";
    for (const Diagnostic& diagnostic : verdict.because) {
      absl::StrAppend(&text, separator, diagnostic.rule->id);
      separator = ", ";
    }
    if (!verdict.why.empty()) absl::StrAppend(&text, "; ", verdict.why);
    return text;
  }
  return "there is no such reader";
}

// The verdicts of these eight readers, without reasons.
std::vector<std::string> Verdicts(const FileReport& report) {
  std::vector<std::string> verdicts;
  for (const absl::string_view name : {"llama.cpp", "ggml", "ollama", "@huggingface/gguf", "candle",
                                       "gguf-py", "stable-diffusion.cpp", "ComfyUI-GGUF"}) {
    for (const ReaderVerdict& verdict : JudgeReaders(report)) {
      if (verdict.reader->name == name) verdicts.push_back(WordOf(verdict.effect));
    }
  }
  return verdicts;
}

TEST(ReadersTest, AllTakeASoundModel) {
  const FileReport report = CheckAll(MakeTinyModel("llama").Build());
  EXPECT_THAT(Verdicts(report), ElementsAre("accepts", "accepts", "accepts", "accepts", "accepts",
                                            "accepts", "unknown", "unknown"));
  EXPECT_EQ(Of(report, "llama.cpp"), "accepts");
}

// "crashes at context: loads it and dies when it makes a context" of the reader of this name.
std::string StageOf(const std::string& bytes, absl::string_view reader) {
  for (const ReaderVerdict& verdict : JudgeReaders(CheckAll(bytes))) {
    if (verdict.reader->name != reader) continue;
    return absl::StrCat(WordOf(verdict.effect), " at ", verdict.stage, ": ", verdict.Story());
  }
  return "there is no such reader";
}

TEST(ReadersTest, ALoadedModelMayNotRun) {
  const auto with = [](absl::string_view architecture, const TinyValues& values) {
    return StageOf(MakeTinyModel(architecture, values).Build(), "llama.cpp");
  };
  EXPECT_EQ(with("qwen2", {}), "accepts at : ");
  EXPECT_EQ(with("qwen2", {{"{arch}.rope.dimension_count", "u32 2"}}),
            "crashes at context: loads it and dies when it makes a context");
  EXPECT_EQ(with("phi2", {{"{arch}.rope.dimension_count", "u32 3"}}),
            "crashes at run: makes a context and dies when it computes");
  EXPECT_EQ(with("lfm2", {{"{arch}.shortconv.l_cache", "u32 1"}}),
            "rejects at context: loads it and refuses to make a context");
  // Another fault is met before.
  TinyModel model = MakeTinyModel("qwen2", {{"{arch}.rope.dimension_count", "u32 2"}});
  model.Remove("output_norm.weight");
  EXPECT_EQ(StageOf(model.Build(), "llama.cpp"), "rejects at load: ");
  // Programs that are llama.cpp die like it; others only read the container.
  const std::string bytes =
      MakeTinyModel("qwen2", {{"{arch}.rope.dimension_count", "u32 2"}}).Build();
  EXPECT_EQ(StageOf(bytes, "ollama"),
            "crashes at context: loads it and dies when it makes a context");
  EXPECT_EQ(StageOf(bytes, "ggml"), "accepts at : ");
}

TEST(ReadersTest, ImageModelsAreForOthers) {
  GgufBuilder flux;
  flux.String("general.architecture", "flux")
      .Tensor("img_in.weight", {32}, 0)
      .Tensor("txt_in.weight", {32}, 0)
      .Tensor("final_layer.linear.weight", {32}, 0);
  const FileReport whole = CheckAll(flux.Build());
  EXPECT_EQ(Of(whole, "stable-diffusion.cpp"), "accepts");
  EXPECT_EQ(Of(whole, "ComfyUI-GGUF"), "accepts");
}

TEST(ReadersTest, ModelsAreJudgedByWhoLoadsModels) {
  TinyModel model = MakeTinyModel("llama");
  model.Remove("output_norm.weight");
  const FileReport report = CheckAll(model.Build());
  EXPECT_EQ(Of(report, "llama.cpp"), "rejects because of model-tensors-present");
  EXPECT_EQ(Of(report, "ollama"), "rejects because of model-tensors-present");
  EXPECT_EQ(Of(report, "ggml"), "accepts");
  EXPECT_EQ(Of(report, "candle"), "accepts");

  const FileReport vocabulary =
      CheckAll(PlainFile().String("k.x", "tensors are for others").Build());
  EXPECT_EQ(Of(vocabulary, "ggml"), "accepts");
  EXPECT_THAT(Of(vocabulary, "llama.cpp"), testing::HasSubstr("rejects"));
}

TEST(ReadersTest, AnOlderBuildRejectsWhatItDoesNotKnowYet) {
  const auto with_build = [](const FileReport& report, const char* build) {
    const ReaderVerdict verdict = JudgeReaders(report, *ParseBuild(build)).front();
    return absl::StrCat(verdict.Name(), " ", WordOf(verdict.effect),
                        verdict.why.empty() ? "" : "; ", verdict.why);
  };
  FileReport report = CheckAll(MakeTinyModel("qwen35").Build());
  EXPECT_EQ(with_build(report, "b7989"),
            "llama.cpp b7989 rejects; needs llama.cpp of February 2026 or newer (b7990) for "
            "architecture qwen35");
  EXPECT_EQ(with_build(report, "b7990"), "llama.cpp b7990 accepts");
  EXPECT_EQ(with_build(report, "v0.1.0"), "llama.cpp v0.1.0 accepts");
  EXPECT_EQ(with_build(report, "-"), "llama.cpp accepts");
  EXPECT_EQ(JudgeReaders(report, 1)[2].effect, ReaderEffect::kAccepts)
      << "ollama has a llama.cpp of its own";

  // A build of unknown age may be newer than the release, or older.
  report.needs->build = *ParseBuild("v0.4.0");
  EXPECT_EQ(with_build(report, "v0.3.9"),
            "llama.cpp v0.3.9 rejects; needs llama.cpp of September 2026 or newer (v0.4.0) for "
            "architecture qwen35");
  EXPECT_EQ(with_build(report, "b7990"),
            "llama.cpp b7990 rejects; needs llama.cpp of September 2026 or newer (v0.4.0) for "
            "architecture qwen35");
  EXPECT_EQ(with_build(report, "b11000"),
            "llama.cpp b11000 unknown; needs llama.cpp of September 2026 or newer (v0.4.0) for "
            "architecture qwen35");
  EXPECT_EQ(with_build(report, "b11669"), "llama.cpp b11669 accepts");
}

TEST(ReadersTest, AnOlderBuildDoesNotReadKeysThatItDoesNotKnowYet) {
  const auto with_key = [](const char* key, const char* build) {
    TinyModel model = MakeTinyModel("qwen35");
    model.keys.push_back({key, static_cast<uint32_t>(ValueType::kU8), ByteWriter().U8(1).bytes()});
    const FileReport report = CheckAll(model.Build());
    return std::string(WordOf(JudgeReaders(report, *ParseBuild(build)).front().effect));
  };
  for (const char* key : {"prism.hadamard.version", "qwen35.classifier.pooling_type"}) {
    EXPECT_EQ(with_key(key, "v0.5.0"), "accepts") << key;
  }
  EXPECT_EQ(with_key("prism.hadamard.version", "b12211"), "rejects");
  EXPECT_EQ(with_key("qwen35.attention.causal", "v0.5.0"), "rejects");
}

TEST(ReadersTest, ConditionsLookAtWhatTheRuleFound) {
  const auto aligned = [](uint32_t alignment) {
    return CheckAll(GgufBuilder().U32("general.alignment", alignment).Build());
  };
  EXPECT_EQ(Of(aligned(4), "ggml"), "accepts");
  EXPECT_EQ(Of(aligned(24), "ggml"), "rejects because of alignment-power-of-two");
  EXPECT_EQ(Of(aligned(24), "@huggingface/gguf"), "degrades because of alignment-power-of-two");
  EXPECT_EQ(Of(aligned(24), "candle"), "accepts");
  EXPECT_EQ(Of(aligned(0), "candle"), "crashes because of alignment-nonzero");
  EXPECT_EQ(Of(aligned(1 << 30), "@huggingface/gguf"), "accepts");
  EXPECT_EQ(Of(aligned(1u << 31), "@huggingface/gguf"), "degrades because of alignment-plausible");

  const auto shaped = [](const std::vector<uint64_t>& dims) {
    GgufBuilder b;
    b.data_bytes = 0;
    return CheckAll(b.Tensor("w", dims, 0, 0).Build());
  };
  EXPECT_EQ(Of(shaped({1, 1, 1, 1, 0}), "ggml"), "rejects because of tensor-dimension-count");
  EXPECT_THAT(Of(shaped(std::vector<uint64_t>(9, 1)), "@huggingface/gguf"),
              "rejects because of tensor-dimension-count");
  // 2^64 elements are none to ggml, and 2^64 - 2^32 are too many.
  const uint64_t two_32 = uint64_t{1} << 32;
  EXPECT_THAT(Of(shaped({two_32, two_32}), "ggml"),
              "unknown; tensor-bytes-representable was not checked");
  EXPECT_EQ(Of(shaped({two_32, two_32 - 1}), "ggml"),
            "rejects because of tensor-elements-representable");
}

constexpr uint32_t kU16 = 2, kU32 = 4;

TEST(ReadersTest, AnAssertionIsACrash) {
  TinyModel model = MakeTinyModel("llama");
  model.AddKey("llama.expert_group_count", kU32, ByteWriter().U32(2));
  EXPECT_EQ(Of(CheckAll(model.Build()), "llama.cpp"),
            "crashes because of expert-counts-consistent");

  TinyModel none = MakeTinyModel("qwen2moe");
  none.RemoveKey("qwen2moe.expert_count");
  none.RemoveKey("qwen2moe.expert_used_count");
  none.AddKey("qwen2moe.expert_count", kU32, ByteWriter().U32(0));
  EXPECT_THAT(Of(CheckAll(none.Build()), "llama.cpp"), testing::StartsWith("rejects"));

  const auto aligned = [](uint32_t alignment, size_t padding) {
    TinyModel tiny = MakeTinyModel("llama");
    tiny.AddKey("general.alignment", kU32, ByteWriter().U32(alignment));
    tiny.AddKey("general.name", 8, ByteWriter().String(std::string(padding, 'x')));
    return Of(CheckAll(tiny.Build()), "llama.cpp");
  };
  int crashes = 0;
  for (size_t padding = 0; padding < 32; ++padding) {
    crashes += aligned(8, padding) == "crashes because of model-data-start-aligned";
    EXPECT_EQ(aligned(32, padding), "accepts");
  }
  EXPECT_EQ(crashes, 24);  // An aligned start is one of 4.
}

// Returns a model of this architecture with other keys; an empty value removes
// one.
TinyModel With(const std::string& architecture, const std::vector<TinyKey>& keys) {
  TinyModel model = MakeTinyModel(architecture);
  for (const TinyKey& key : keys) {
    model.RemoveKey(key.name);
    if (!key.value.empty()) model.keys.push_back(key);
  }
  return model;
}

TEST(ReadersTest, AnEarlierRejectionIsPredictedRatherThanALaterCrash) {
  const auto of = [](const std::vector<TinyKey>& keys) {
    return Of(CheckAll(With("llama", keys).Build()), "llama.cpp");
  };
  const TinyKey no_blocks = {"llama.block_count", kU32, ByteWriter().U32(0).bytes()};
  const TinyKey no_context = {"llama.context_length", kU32, ""};
  const TinyKey experts = {"llama.expert_used_count", kU32, ByteWriter().U32(3).bytes()};
  const TinyKey no_epsilon = {"llama.attention.layer_norm_rms_epsilon", kU32, ""};
  const TinyKey scaling = {"llama.rope.scaling.type", 8, ByteWriter().String("huge").bytes()};
  EXPECT_EQ(of({no_blocks}), "crashes because of block-count-in-range");
  EXPECT_EQ(of({experts}), "crashes because of expert-counts-consistent");
  EXPECT_EQ(of({scaling}), "crashes because of rope-scaling-type-known");
  // A key is read before the check of a value.
  EXPECT_EQ(of({no_blocks, no_context}), "rejects because of llama-cpp-keys-present");
  EXPECT_EQ(of({{"llama.block_count", kU16, ByteWriter().U16(0).bytes()}}),
            "rejects because of key-type-loaded");
  // Or after it.
  EXPECT_EQ(of({no_blocks, no_epsilon}), "crashes because of block-count-in-range");
  EXPECT_EQ(of({experts, no_epsilon}), "crashes because of expert-counts-consistent");
  EXPECT_EQ(of({scaling, no_epsilon}), "crashes because of rope-scaling-type-known");
  EXPECT_EQ(of({scaling, no_context}), "rejects because of llama-cpp-keys-present");

  // All keys come before the tokens, and these before the tensors.
  const auto tokens = [&](const std::vector<TinyKey>& keys, bool has_tensors) {
    TinyModel model = With("llama", keys);
    model.RemoveKey("tokenizer.ggml.model");
    model.AddKey("tokenizer.ggml.model", 8, ByteWriter().String("llama"));
    model.AddKey("tokenizer.ggml.tokens", 9,
                 ByteWriter().U32(8).U64(3).String("a").String("a").String("b"));
    if (!has_tensors) model.tensors.clear();
    return Of(CheckAll(model.Build()), "llama.cpp");
  };
  EXPECT_EQ(tokens({}, true), "crashes because of tokens-unique");
  EXPECT_EQ(tokens({}, false), "crashes because of tokens-unique");
  EXPECT_EQ(tokens({no_epsilon}, true), "rejects because of llama-cpp-keys-present");
}

TEST(ReadersTest, ItsOwnReaderRejectsBeforeLlamaCppCrashes) {
  TinyModel model = With("llama", {{"llama.block_count", kU32, ByteWriter().U32(0).bytes()}});
  model.AddKey("k.nest", 9, ByteWriter().U32(9).U64(0));
  EXPECT_EQ(Of(CheckAll(model.Build()), "ollama"), "rejects because of array-not-nested");
}

TEST(ReadersTest, CandleReadsTheTableBeforeItDividesByTheAlignment) {
  GgufBuilder b = PlainFile();
  b.U32("general.alignment", 0);
  EXPECT_EQ(Of(CheckAll(b.Build()), "candle"), "crashes because of alignment-nonzero");
  b.Tensor("w", {32}, static_cast<uint32_t>(TensorType::kI8));
  EXPECT_EQ(Of(CheckAll(b.Build()), "candle"), "rejects; types: I8");
}

// llama.cpp takes absent head counts for 0, with which Q, K and V of this
// architecture are as wide as the embedding.
TEST(ReadersTest, ModelsWithoutHeadCountLoadIfTheirShapesFit) {
  const auto of = [](uint64_t rows) {
    TinyModel model = With("qwen2", {{"qwen2.attention.head_count", kU32, ""},
                                     {"qwen2.attention.head_count_kv", kU32, ""}});
    std::vector<TinyTensor> fused;
    for (const TinyTensor& tensor : model.tensors) {
      if (absl::StrContains(tensor.name, ".attn_q.")) {
        fused.push_back(tensor);
        fused.back().name = absl::StrReplaceAll(tensor.name, {{"attn_q", "attn_qkv"}});
        fused.back().dims[1] = rows;
      } else if (!absl::StrContains(tensor.name, ".attn_k.") &&
                 !absl::StrContains(tensor.name, ".attn_v.")) {
        fused.push_back(tensor);
      }
    }
    model.tensors = fused;
    return Of(CheckAll(model.Build()), "llama.cpp");
  };
  EXPECT_EQ(of(8), "rejects because of graph-hparams-consistent");  // There is nothing to cache.
  EXPECT_EQ(of(24), "rejects because of llama-cpp-keys-present");
}

TEST(ReadersTest, RulesThatDoNotApplyAreNotUnknown) {
  const auto with_tokens = [](const char* tokenizer) {
    TinyModel model = MakeTinyModel("llama");
    model.RemoveKey("tokenizer.ggml.model");
    model.AddKey("tokenizer.ggml.model", 8, ByteWriter().String(tokenizer));
    model.AddKey("tokenizer.ggml.tokens", 9, ByteWriter().U32(8).U64(2).String("a").String("a"));
    return Of(CheckAll(model.Build()), "llama.cpp");
  };
  EXPECT_EQ(with_tokens("none"), "accepts");
  EXPECT_EQ(with_tokens("no_vocab"), "accepts");

  TinyModel charsmap = MakeTinyModel("llama");
  charsmap.AddKey("tokenizer.ggml.precompiled_charsmap", 9, ByteWriter().U32(0).U64(1).U8(9));
  EXPECT_EQ(Of(CheckAll(charsmap.Build()), "llama.cpp"), "accepts");

  GgufBuilder imatrix;
  imatrix.String("general.type", "imatrix");
  EXPECT_THAT(Of(CheckAll(imatrix.Build()), "llama.cpp"),
              testing::Not(testing::StartsWith("unknown")));
}

TEST(ReadersTest, ANameInNoTableMayBeNewer) {
  const auto of = [](const GgufBuilder& file, int32_t build) {
    std::vector<std::string> verdicts;
    for (const ReaderVerdict& verdict : JudgeReaders(CheckAll(file.Build()), build)) {
      for (const char* const name : {"llama.cpp", "ggml", "ollama"}) {
        if (verdict.reader->name == absl::string_view(name)) {
          verdicts.push_back(WordOf(verdict.effect));
        }
      }
    }
    return verdicts;
  };
  const auto with_type = [](uint32_t type) {
    return GgufBuilder().String("general.architecture", "llama").Tensor("w", {32}, type);
  };
  using testing::ElementsAre;
  const GgufBuilder unknown = GgufBuilder().String("general.architecture", "kolibri9");
  for (const int32_t newest : {kNoBuild, NewestBuild()}) {
    EXPECT_THAT(of(unknown, newest), ElementsAre("newer", "accepts", "rejects"));
    EXPECT_THAT(of(with_type(63), newest), ElementsAre("newer", "rejects", "rejects"));
  }
  // An older version is known to lack it.
  EXPECT_THAT(of(unknown, 9000), ElementsAre("rejects", "accepts", "rejects"));
  EXPECT_THAT(of(with_type(63), 9000), ElementsAre("rejects", "rejects", "rejects"));
  // What nobody will define, and what a fork defines.
  EXPECT_THAT(of(with_type(4711), kNoBuild), ElementsAre("rejects", "rejects", "rejects"));
  EXPECT_THAT(of(with_type(230), kNoBuild), ElementsAre("rejects", "rejects", "rejects"));
  // An earlier fault is met as well, but not a later one.
  EXPECT_THAT(of(GgufBuilder(unknown).U32("general.alignment", 3), kNoBuild),
              ElementsAre("rejects", "rejects", "rejects"));
  EXPECT_THAT(of(GgufBuilder(unknown).U32("general.alignment", 1), kNoBuild),
              ElementsAre("newer", "accepts", "rejects"));
}

TEST(ReadersTest, AShardMayBeWithoutTensors) {
  TinyModel model = MakeTinyModel("llama");
  model.tensors.clear();
  FileReport report = CheckAll(model.Build());
  EXPECT_EQ(Of(report, "llama.cpp"), "rejects; model_tensors: 0");
  report.shard = FileReport::Shard{1, 2};
  EXPECT_EQ(Of(report, "llama.cpp"), "accepts");
}

TEST(ReadersTest, OfASetsShardsWhatStopsTheReaderFirstDecides) {
  const auto set = [](ReaderEffect first, LoadStep first_step, ReaderEffect second,
                      LoadStep second_step) {
    std::vector<FileReport> reports(2);
    reports[0].readers.push_back({FindReader("llama.cpp"), "", first, first_step});
    reports[1].readers.push_back({FindReader("llama.cpp"), "", second, second_step});
    reports[1].readers[0].stage = "run";
    JudgeSet(&reports);
    EXPECT_EQ(reports[0].readers[0].stage == "run", !reports[0].readers[0].why.empty());
    return reports[0].readers[0].effect;
  };
  constexpr auto kRejects = ReaderEffect::kRejects, kCrashes = ReaderEffect::kCrashes;
  // The other shards' tables are read before the hyperparameters.
  EXPECT_EQ(set(kCrashes, LoadStep::kTensors, kRejects, LoadStep::kContainer), kRejects);
  EXPECT_EQ(set(kRejects, LoadStep::kContainer, kCrashes, LoadStep::kContainer), kRejects);
  EXPECT_EQ(set(kRejects, LoadStep::kTensors, kCrashes, LoadStep::kData), kRejects);
  EXPECT_EQ(set(kRejects, LoadStep::kTensors, kCrashes, LoadStep::kTensors), kCrashes);
  EXPECT_EQ(set(ReaderEffect::kAccepts, LoadStep::kData, kRejects, LoadStep::kData), kRejects);
}

TEST(ReadersTest, EndiannessAndVersionAreRulesLikeAnyOther) {
  EXPECT_THAT(Verdicts(CheckAll(GgufBuilder(3, true).Build())),
              ElementsAre("rejects", "rejects", "rejects", "accepts", "rejects", "accepts",
                          "rejects", "rejects"));
  EXPECT_THAT(Verdicts(CheckAll(GgufBuilder(1).Build())),
              ElementsAre("rejects", "rejects", "rejects", "accepts", "accepts", "rejects",
                          "rejects", "rejects"));
  GgufBuilder four;
  four.header_version = 4;
  EXPECT_THAT(Verdicts(CheckAll(four.Build())),
              ElementsAre("rejects", "rejects", "rejects", "rejects", "rejects", "rejects",
                          "unknown", "rejects"));
  // No reader accepts a file of another format as GGUF.
  EXPECT_THAT(Verdicts(CheckAll(std::string("tjgg\3\0\0\0rest", 12))),
              ElementsAre("rejects", "rejects", "rejects", "rejects", "rejects", "rejects",
                          "rejects", "rejects"));
}

TEST(ReadersTest, LimitsOfTheirOwnNeedNoFinding) {
  const auto typed = [](TensorType type) {
    GgufBuilder b = PlainFile();
    b.U32("general.quantization_version", 2);
    return CheckAll(b.Tensor("w", {256}, static_cast<uint32_t>(type)).Build());
  };
  EXPECT_EQ(Of(typed(TensorType::kQ4_K), "candle"), "accepts");
  EXPECT_EQ(Of(typed(TensorType::kIQ2_XXS), "candle"), "rejects; types: IQ2_XXS");
  EXPECT_EQ(Of(typed(TensorType::kIQ2_XXS), "gguf-py"), "accepts");
  EXPECT_EQ(Of(typed(TensorType::kQ2_0), "gguf-py"), "rejects; types: Q2_0");
  EXPECT_EQ(Of(typed(TensorType::kQ2_0), "ggml"), "accepts");

  const auto with_array = [](uint64_t length) {
    return CheckAll(
        PlainFile().Key("k.a", 9, ByteWriter().U32(0).U64(length).Zeros(length)).Build());
  };
  EXPECT_EQ(Of(with_array(1000000), "@huggingface/gguf"), "accepts");
  EXPECT_EQ(Of(with_array(1000001), "@huggingface/gguf"), "rejects; longest_array: 1000001");
  EXPECT_EQ(Of(with_array(1000001), "gguf-py"), "accepts");
}

TEST(ReadersTest, TheFirstTwoOfTheWorstAreTheReason) {
  GgufBuilder b = PlainFile();
  b.Key("k.flag", 7, ByteWriter().U8(2)).Key("k.flag", 7, ByteWriter().U8(1));
  b.Key("k.list", 9, ByteWriter().U32(9).U64(0)).Key("", 0, ByteWriter().U8(0));
  const FileReport report = CheckAll(b.Build());
  EXPECT_EQ(Of(report, "ggml"), "rejects because of key-unique, array-not-nested");
  EXPECT_EQ(Of(report, "candle"), "rejects because of bool-zero-or-one");
  EXPECT_EQ(Of(report, "@huggingface/gguf"), "degrades because of key-unique");
}

TEST(ReadersTest, TheProfileOfTheCheckDoesNotMatter) {
  const std::string bytes = PlainFile().Key("k.list", 9, ByteWriter().U32(9).U64(0)).Build();
  Profile little = *Profile::Find("safety");  // Keeps one rule.
  for (const Rule* rule : Catalogue()) {
    if (rule->id == absl::string_view("header-magic")) continue;
    little.Override(*rule, Severity::kOff);
  }
  const FileReport report = CheckAll(bytes, {}, little);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(Of(report, "ggml"), "rejects because of array-not-nested");
  EXPECT_EQ(Verdicts(report), Verdicts(CheckAll(bytes)));

  // This holds even if it stops the parser and makes the check incomplete.
  const std::string cut = bytes.substr(0, 50);
  const FileReport stopped = CheckAll(cut, {}, little);
  EXPECT_NE(stopped.incomplete, "");
  EXPECT_EQ(Of(stopped, "@huggingface/gguf"), "degrades because of file-complete");
  EXPECT_EQ(Verdicts(stopped), Verdicts(CheckAll(cut)));
}

TEST(ReadersTest, WhatWasNotCheckedIsNotTakenForGranted) {
  const std::string bytes = MakeTinyModel("llama").Build();
  Limits few_keys;
  few_keys.keys = 2;
  const FileReport stopped = CheckAll(bytes, few_keys);
  for (const std::string& verdict : Verdicts(stopped)) {
    EXPECT_EQ(verdict, "unknown");
  }
  EXPECT_THAT(Of(stopped, "candle"), testing::HasSubstr("the limit of 2 keys"));

  const FileReport missing = Unchecked("cannot open", *Profile::Find("upload"));
  EXPECT_EQ(Of(missing, "gguf-py"), "unknown; cannot open");

  // A finding that was counted and not kept.
  Limits keep_none;
  keep_none.findings_per_rule = 0;
  const std::string nested = PlainFile().Key("k.list", 9, ByteWriter().U32(9).U64(0)).Build();
  EXPECT_EQ(Of(CheckAll(nested, keep_none), "ggml"),
            "unknown; not all findings of array-not-nested were kept");
  EXPECT_EQ(Of(CheckAll(nested, keep_none), "gguf-py"), "accepts");
}

}  // namespace

}  // namespace gguf
