// Tests of the layouts of other programs: each row of foreign_layouts.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/readers.h"
#include "conformance/rules/validate.h"
#include "conformance/tables/foreign_layouts.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const FindingsOf kLayout = {{"layout-of-upstream"}};

// Adds a key or a tensor that is a mark of a row.
void AddMark(const ForeignLayout& row, absl::string_view architecture, const std::string& text,
             GgufBuilder* file) {
  const std::string key = absl::StrReplaceAll(text, {{"{arch}", architecture}});
  switch (row.by) {
    case LayoutMark::kName:
      return;
    case LayoutMark::kKey:
      // Of a tokenizer, the condition asks for this value.
      if (text == "tokenizer.ggml.model") {
        file->String(key, "llama");
      } else {
        file->Key(key, 7, ByteWriter().U8(1));
      }
      return;
    case LayoutMark::kStrings:
      file->String("tokenizer.ggml.model", "t5");
      file->Key(key, 9, ByteWriter().U32(8).U64(1).String("A"));
      return;
    case LayoutMark::kTensor:
      file->Tensor(text, {8, 3}, 0, 32);
      return;
    case LayoutMark::kPrefix:
      file->Tensor(absl::StrCat(text, "x"), {8}, 0, 32);
      return;
    case LayoutMark::kSuffix:
      file->Tensor(absl::StrCat("blk.0", text), {8}, 0, 32);
      return;
  }
}

GgufBuilder Base(absl::string_view architecture) {
  return FileOf(architecture).Tensor("token_embd.weight", {8, 1}, 0, 0);
}

TEST(ForeignLayoutTest, EachMarkOfEachRowShowsTheLayout) {
  for (const ForeignLayout& row : kForeignLayouts) {
    for (const char* architecture : row.architectures) {
      for (const char* text : row.texts) {
        SCOPED_TRACE(absl::StrCat(architecture, " ", text));
        GgufBuilder file = Base(architecture);
        AddMark(row, architecture, text, &file);
        EXPECT_THAT(kLayout.MessagesIn(file),
                    ElementsAre(HasSubstr(absl::StrCat("in which ", row.changes, ": ", row.program,
                                                       " translates it"))));
        EXPECT_THAT(kLayout.In(file, "llama.cpp"),
                    ElementsAre("error layout-of-upstream kv[general.architecture].value"));
        if (row.by == LayoutMark::kName) continue;
        EXPECT_THAT(kLayout.In(Base(architecture)), IsEmpty());
        // The same mark in another architecture.
        GgufBuilder other = Base("llama");
        AddMark(row, "llama", text, &other);
        EXPECT_THAT(kLayout.In(other), IsEmpty());
      }
    }
  }
}

TEST(ForeignLayoutTest, ConditionsMustHold) {
  const auto in = [](GgufBuilder file) { return kLayout.In(file); };
  EXPECT_THAT(in(Base("gemma3n").Tensor("per_layer_token_embd.weight", {8, 1}, 0, 32)), IsEmpty());
  EXPECT_THAT(in(Base("lfm2")
                     .Tensor("output_norm.weight", {8}, 0, 32)
                     .Tensor("token_embd_norm.weight", {8}, 0, 64)),
              IsEmpty());
  EXPECT_THAT(in(Base("gemma4").String("tokenizer.ggml.model", "gemma4")), IsEmpty());
  EXPECT_THAT(in(Base("clip")
                     .Key("clip.has_vision_encoder", 7, ByteWriter().U8(1))
                     .String("clip.projector_type", "mlp")),
              IsEmpty());
}

TEST(ForeignLayoutTest, NamesTheMark) {
  EXPECT_THAT(
      kLayout.MessagesIn(Base("llama4").Tensor("v.x", {8}, 0, 32)),
      ElementsAre("kv[general.architecture].value is \"llama4\", and the tensor \"v.x\" is a mark "
                  "of a layout of Ollama, in which the vision tower and the projector are inside "
                  "the model: Ollama translates it, llama.cpp does not; use the upstream file and "
                  "its projector"));
  EXPECT_THAT(kLayout.MessagesIn(Base("gptoss")),
              ElementsAre(HasSubstr("is \"gptoss\", the name of a layout of Ollama, in which")));
}

ReaderEffect EffectOn(absl::string_view name, const GgufBuilder& file) {
  CheckOptions options;
  options.readers = true;
  const FileReport report = Validate(AsBytes(file.Build()), *Profile::Find("upload"), options);
  for (const ReaderVerdict& verdict : JudgeReaders(report)) {
    if (verdict.reader->name == name) return verdict.effect;
  }
  return ReaderEffect::kUnknown;
}

TEST(ForeignLayoutTest, OllamaAcceptsWhatItTranslates) {
  const GgufBuilder layout = Base("gptoss");
  EXPECT_EQ(EffectOn("ollama", layout), ReaderEffect::kAccepts);
  EXPECT_EQ(EffectOn("llama.cpp", layout), ReaderEffect::kRejects);
  // A name that nobody knows, and a file that its own reader rejects.
  EXPECT_EQ(EffectOn("ollama", Base("gptosss")), ReaderEffect::kRejects);
  EXPECT_EQ(EffectOn("ollama", Base("gptoss").Tensor("far", {8}, 0, 1 << 20)),
            ReaderEffect::kRejects);
}

TEST(ForeignLayoutTest, ItIsTheCauseOfWhatFollows) {
  const GgufBuilder file = Base("llama4").Tensor("v.x", {8}, 0, 32);
  const FileReport report = Validate(AsBytes(file.Build()), *Profile::Find("upload"), {});
  ASSERT_EQ(report.causes.size(), 1u);
  EXPECT_EQ(report.causes[0].kind, "foreign-layout");
  EXPECT_GT(report.causes[0].findings, 1u);
}

}  // namespace
}  // namespace gguf
