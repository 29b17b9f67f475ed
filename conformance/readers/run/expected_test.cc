// Expected answers of documents.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/readers/protocol/protocol.h"
#include "conformance/readers/run/judge.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

// Returns the expected lines for a text in the case language.
std::string Lines(const std::string& text, const std::string& caps = "kv,tensors,data,deq") {
  const corpus::Case a_case = corpus::ReadText(text, nullptr).value();
  return ToLines(ExpectedAnswer(a_case.document, ParseCaps(caps).value()).value());
}

TEST(ExpectedTest, ValuesOfAllTypes) {
  EXPECT_EQ(Lines("gguf 3\n"
                  "kv \"a\" u8 255  kv \"b\" i8 -1  kv \"c\" u16 65535\n"
                  "kv \"d\" i16 -2  kv \"e\" u32 7  kv \"f\" i32 -7\n"
                  "kv \"g\" u64 2^64-1  kv \"h\" i64 -1\n"
                  "kv \"i\" f32 0x7f800001  kv \"j\" f64 1\n"
                  "kv \"k\" bool 1  kv \"l\" str x\"00ff\"  kv \"\" str \"\"\n"
                  "kv \"m\" arr arr [u32 [7] u32 [8 9] str []]\n"),
            "@kv 61 u8 255\n@kv 62 i8 -1\n@kv 63 u16 65535\n@kv 64 i16 -2\n"
            "@kv 65 u32 7\n@kv 66 i32 -7\n@kv 67 u64 18446744073709551615\n"
            "@kv 68 i64 -1\n@kv 69 f32 7f800001\n"
            "@kv 6a f64 3ff0000000000000\n@kv 6b bool 1\n@kv 6c str 00ff\n"
            "@kv - str -\n@kv 6d arr arr 3 u32 1 7 u32 2 8 9 str 0\n"
            "@accept\n");
}

constexpr char kTensors[] =
    "gguf 3\n"
    "tensor \"w\" F16 [2 1] data { f16 [1 -2] }\n"
    "tensor \"i\" I32 [1] data { i32 3 }\n";

TEST(ExpectedTest, TensorsWithTheirDataAndWeights) {
  EXPECT_EQ(Lines(kTensors),
            "@t 77 1 0 2 2 1\n@t 69 26 32 1 1\n"
            "@d 77 003c00c0\n@d 69 03000000\n"
            "@q 77 3f800000 c0000000\n@q 69 40400000\n@accept\n");
}

TEST(ExpectedTest, OnlyAnnouncedCapabilities) {
  EXPECT_EQ(Lines(kTensors, "-"), "@accept\n");
  EXPECT_EQ(Lines(kTensors, "kv,data"), "@d 77 003c00c0\n@d 69 03000000\n@accept\n");
  EXPECT_EQ(Lines(kTensors, "deq"), "@q 77 3f800000 c0000000\n@q 69 40400000\n@accept\n");
}

TEST(ExpectedTest, BigEndianDataIsUnchanged) {
  EXPECT_EQ(Lines("gguf 3 big\nkv \"a\" u32 7\n"
                  "tensor \"w\" F32 [1] data { f32 1 }\n"),
            "@kv 61 u32 7\n@t 77 0 0 1 1\n@d 77 3f800000\n@accept\n");
}

TEST(ExpectedTest, MissingDataHasNoLine) {
  EXPECT_EQ(Lines("gguf 3\ntensor \"w\" F32 [1] offset 2^63\n"
                  "tensor \"v\" 99 [1] offset 0\n"),
            absl::StrCat("@t 77 0 9223372036854775808 1 1\n@t 76 99 0 1 1\n", "@accept\n"));
}

TEST(ExpectedTest, LongLinesAreOmitted) {
  const std::string before_text = "@kv 62 str ";
  constexpr size_t kLongest = 4194298;  // 8 MiB minus the words before.
  const std::string lines =
      Lines(absl::StrCat("gguf 3\nkv \"a\" str \"x\"*", kLongest + 1, "\nkv \"b\" str \"x\"*",
                         kLongest, "\nkv \"c\" arr u8 [repeat 2^22 1]\ntensor \"w\" I8 [2^22]\n"));
  const std::string tensor = "@t 77 24 0 1 4194304\n@accept\n";
  EXPECT_EQ(lines.size(), before_text.size() + 2 * kLongest + 1 + tensor.size());
  EXPECT_EQ(lines.substr(0, before_text.size()), before_text);
  EXPECT_EQ(lines.substr(lines.size() - tensor.size()), tensor);
}

TEST(ExpectedTest, RepetitionsInArrays) {
  EXPECT_EQ(Lines("gguf 3\nrepeat 2 { kv \"k\\#\" arr str [\"a\\#\" repeat 3 \"b\\#\"] }\nkv \"c\" "
                  "arr u8 [repeat 2^32 0]\n"),
            "@kv 6b30 arr str 4 6130 6230 6231 6232\n"
            "@kv 6b31 arr str 4 6131 6230 6231 6232\n@accept\n");
}

// A valid case must state what a reader should find, or levels 2 to 5 are not
// tested.  Files in legacy formats are written byte by byte.
TEST(ExpectedTest, EveryValidCaseStatesItsContents) {
  const std::string folder = "corpus/cases";
  const auto ids = corpus::ListCases(folder);
  ASSERT_TRUE(ids.ok());
  const corpus::Loader load = corpus::FolderLoader(folder);
  const Caps caps = ParseCaps("kv,tensors,data,deq").value();
  int valid = 0, weights = 0;
  for (const std::string& id : *ids) {
    if (!absl::StrContains(id, "/valid-")) continue;
    const auto a_case = corpus::ReadCase(id, load(id).value(), load);
    ASSERT_TRUE(a_case.ok()) << a_case.status();
    if (absl::c_linear_search(a_case->flags, "Legacy")) continue;
    const auto answer = ExpectedAnswer(a_case->document, caps);
    ASSERT_TRUE(answer.ok()) << id << ": " << answer.status().message();
    ++valid;
    weights += !answer->weights.empty();
  }
  EXPECT_GT(valid, 700);
  EXPECT_GT(weights, 400);
}

corpus::Case CaseOf(corpus::Verdict verdict, const std::string& scope) {
  corpus::Case a_case;
  a_case.verdict = verdict;
  a_case.scope = scope;
  return a_case;
}

Should ShouldOf(const corpus::Case& a_case, const std::string& caps = "-") {
  return VerdictFor(a_case, ParseCaps(caps).value()).should;
}

TEST(VerdictTest, TheNameDeterminesTheVerdict) {
  using corpus::Verdict;
  EXPECT_EQ(ShouldOf(CaseOf(Verdict::kValid, "container")), Should::kAccept);
  EXPECT_EQ(ShouldOf(CaseOf(Verdict::kInvalid, "container")), Should::kReject);
  EXPECT_EQ(ShouldOf(CaseOf(Verdict::kEither, "container")), Should::kEither);
}

TEST(VerdictTest, ModelsAreJudgedByReadersOfModels) {
  const auto invalid = CaseOf(corpus::Verdict::kInvalid, "model");
  EXPECT_EQ(ShouldOf(invalid), Should::kNotTested);
  EXPECT_EQ(ShouldOf(invalid, "models"), Should::kReject);
  EXPECT_EQ(ShouldOf(CaseOf(corpus::Verdict::kValid, "model")), Should::kAccept);
}

TEST(VerdictTest, LegacyFilesAreRejectedByOtherReaders) {
  auto legacy = CaseOf(corpus::Verdict::kValid, "model");
  legacy.flags = {"Legacy"};
  EXPECT_EQ(ShouldOf(legacy, "models"), Should::kReject);
  EXPECT_EQ(ShouldOf(legacy, "legacy"), Should::kAccept);
  legacy.verdict = corpus::Verdict::kInvalid;
  EXPECT_EQ(ShouldOf(legacy), Should::kReject);
}

TEST(VerdictTest, MissingDataIsNotTestedWithMetaOnly) {
  auto a_case = CaseOf(corpus::Verdict::kInvalid, "container");
  corpus::Expectation upload;
  upload.profile = "upload";
  upload.findings = {{0, 8, "error", "tensor-data-in-file"}, {0, 8, "note", "key-ascii"}};
  a_case.expectations = {upload};
  EXPECT_EQ(ShouldOf(a_case, "meta-only"), Should::kNotTested);
  EXPECT_EQ(ShouldOf(a_case), Should::kReject);
  a_case.expectations[0].findings.push_back({0, 8, "error", "tensor-type-known"});
  EXPECT_EQ(ShouldOf(a_case, "meta-only"), Should::kReject);
}

}  // namespace

}  // namespace gguf::readers
