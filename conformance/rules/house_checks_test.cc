// What somebody asks of model files beyond the format.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/house.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/testing/findings.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/bytes.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// With the rules of `house` on, and no others.
FileReport Check(const HouseRules& house, const std::string& bytes,
                 absl::string_view name = "") {
  Profile profile = *Profile::Find("upload");
  for (const gguf::Check& check : Catalogue()) {
    profile.Override(*check.rule, Severity::kOff);
  }
  for (const Rule* rule : RulesOf(house)) {
    profile.Override(*rule, Severity::kError);
  }
  ValidateOptions options;
  options.house = &house;
  return Validate({AsBytes(bytes), name}, profile, options);
}

std::vector<std::string> Found(const HouseRules& house,
                               const std::string& bytes,
                               absl::string_view name = "") {
  std::vector<std::string> found;
  for (const Finding& finding : Check(house, bytes, name).findings) {
    const Diagnostic& d = finding.diagnostic;
    found.push_back(absl::StrCat(d.rule->id, ": ", d.subject, " ", d.message));
  }
  return found;
}

TEST(HouseChecksTest, FileName) {
  HouseRules house;
  house.file_name = std::make_shared<RE2>("[a-z]+\\.gguf");
  const std::string file = PlainFile().Build();
  EXPECT_THAT(Found(house, file, "good.gguf"), IsEmpty());
  EXPECT_THAT(Found(house, file, "good.gguf.exe"),
              ElementsAre("house-file-name-allowed: file.name "
                          "\"good.gguf.exe\" does not fit "
                          "\"[a-z]+\\\\.gguf\""));
  const FileReport stream = Check(house, file);
  EXPECT_THAT(stream.findings, IsEmpty());
  ASSERT_EQ(stream.not_checked.size(), 1u);
  EXPECT_EQ(stream.not_checked[0].why, "the file has no name");
}

TEST(HouseChecksTest, FileSize) {
  const std::string file = PlainFile().Build();
  HouseRules house;
  house.file_size = file.size();
  EXPECT_THAT(Found(house, file), IsEmpty());
  house.file_size = file.size() - 1;
  EXPECT_THAT(Found(house, file),
              ElementsAre(absl::StrCat("house-file-size-allowed: file.size is ",
                                       file.size(), " bytes, more than ",
                                       file.size() - 1)));
}

TEST(HouseChecksTest, Architecture) {
  HouseRules house;
  house.architectures = {"llama", "qwen3"};
  EXPECT_THAT(Found(house, FileOf("qwen3").Build()), IsEmpty());
  EXPECT_THAT(Found(house, FileOf("bert").Build()),
              ElementsAre("house-architecture-allowed: "
                          "kv[general.architecture].value \"bert\" is none of "
                          "\"llama, qwen3\""));
  // Whichever of two a reader takes.
  EXPECT_THAT(
      Found(house,
            FileOf("llama").String("general.architecture", "bert").Build())
          .size(),
      1u);
  EXPECT_THAT(
      Found(house, GgufBuilder().U32("general.architecture", 1).Build()).size(),
      1u);
  EXPECT_THAT(Found(house, GgufBuilder().Build()),
              ElementsAre("house-architecture-allowed: file names no "
                          "architecture; allowed are \"llama, qwen3\""));
}

TEST(HouseChecksTest, TensorTypes) {
  HouseRules house;
  house.tensor_types = {"F32", "Q8_0"};
  const auto with = [](uint32_t type) {
    return PlainFile().Tensor("w", {32}, 0).Tensor("v", {32}, type).Build();
  };
  EXPECT_THAT(Found(house, with(8)), IsEmpty());
  EXPECT_THAT(Found(house, with(1)),
              ElementsAre("house-tensor-type-allowed: tensor[v].type is F16, "
                          "none of \"F32, Q8_0\""));
  EXPECT_THAT(Found(house, with(999)),
              ElementsAre("house-tensor-type-allowed: tensor[v].type is 999, "
                          "none of \"F32, Q8_0\""));
}

TEST(HouseChecksTest, KeysAndTheirValues) {
  HouseRules house;
  house.keys = {{"general.license", {"mit", "cc-by-*"}},
                {"general.author", {"*"}}};
  const auto with = [](const std::string& license) {
    return PlainFile()
        .String("general.license", license)
        .U32("general.author", 1)
        .Build();
  };
  EXPECT_THAT(Found(house, with("mit")), IsEmpty());
  EXPECT_THAT(Found(house, with("cc-by-4.0")), IsEmpty());
  EXPECT_THAT(Found(house, with("gpl")),
              ElementsAre("house-value-allowed: kv[general.license].value "
                          "\"gpl\" is none of \"mit, cc-by-*\""));
  // Not what a C string would be.
  EXPECT_THAT(Found(house, with(std::string("mit\0", 4))).size(), 1u);
  EXPECT_THAT(
      Found(house, PlainFile().Build()),
      ElementsAre("house-key-present: kv[general.license] is not there",
                  "house-key-present: kv[general.author] is not there"));
}

TEST(HouseChecksTest, ValuesOfOtherTypes) {
  HouseRules house;
  house.keys = {{"k", {"1*"}}};
  EXPECT_THAT(Found(house, PlainFile().U32("k", 12).Build()), IsEmpty());
  EXPECT_THAT(Found(house, PlainFile().U32("k", 21).Build()),
              ElementsAre("house-value-allowed: kv[k].value is 21, none of "
                          "\"1*\""));
  EXPECT_THAT(Found(house, PlainFile().Key("k", 7, ByteWriter().U8(1)).Build()),
              ElementsAre("house-value-allowed: kv[k].value is of type bool, "
                          "so none of \"1*\""));
  const auto list = [](const std::string& second) {
    return PlainFile()
        .Key("k", 9, ByteWriter().U32(8).U64(2).String("11").String(second))
        .Build();
  };
  EXPECT_THAT(Found(house, list("12")), IsEmpty());
  EXPECT_THAT(Found(house, list("2")),
              ElementsAre("house-value-allowed: kv[k].value[1] \"2\" is none "
                          "of \"1*\""));
}

TEST(HouseChecksTest, AncestorsHaveNoKeys) {
  HouseRules house;
  house.keys = {{"general.license", {"*"}}};
  house.architectures = {"llama"};
  // A GGJT file of a model without tokens and tensors.
  ByteWriter ggjt;
  ggjt.Raw("tjgg").U32(3);
  for (const uint32_t hparam : {0, 4, 4, 2, 1, 2, 0}) ggjt.U32(hparam);
  EXPECT_THAT(Found(house, ggjt.bytes()),
              ElementsAre("house-architecture-allowed: file names no "
                          "architecture; allowed are \"llama\"",
                          "house-key-present: kv[general.license] is not "
                          "there"));
}

TEST(HouseChecksTest, KeysThatWereNotReadAreNotMissing) {
  HouseRules house;
  house.keys = {{"general.license", {"*"}}};
  GgufBuilder cut = PlainFile();
  cut.key_count = 7;
  const FileReport report = Check(house, cut.Build());
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.not_checked.size(), 2u);
}

TEST(HouseChecksTest, NoBuiltInProfileHasThemOn) {
  HouseRules house;
  house.file_name = std::make_shared<RE2>(".*");
  house.file_size = 1;
  house.architectures = {"a"};
  house.tensor_types = {"F32"};
  house.keys = {{"k", {"*"}}};
  EXPECT_EQ(RulesOf(house).size(), 6u);
  for (const Rule* rule : RulesOf(house)) {
    for (const Profile& profile : Profile::BuiltIn()) {
      EXPECT_EQ(profile.SeverityOf(*rule), Severity::kOff) << rule->id;
    }
  }
}

TEST(HouseChecksTest, OnWithoutAConfigurationIsNotChecked) {
  HouseRules house;
  house.file_size = 1;
  const Rule& rule = *RulesOf(house)[0];
  Profile profile = *Profile::Find("upload");
  profile.Override(rule, Severity::kError);
  const FileReport report = Validate(AsBytes(PlainFile().Build()), profile, {});
  std::string why;
  for (const auto& row : report.not_checked) {
    if (row.rule == &rule) why = row.why;
  }
  EXPECT_EQ(why, "no configuration says what is allowed");
}

}  // namespace
}  // namespace gguf
