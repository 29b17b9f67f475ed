// Tests of a policy: requirements on model files beyond the format.
//
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "conformance/testing/findings.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Validates with the rules of `policy` on, and no others.
FileReport Check(const Policy& policy, const std::string& bytes, absl::string_view name = "") {
  Profile profile = *Profile::Find("upload");
  for (const Rule* rule : Catalogue()) {
    profile.Override(*rule, Severity::kOff);
  }
  for (const Rule* rule : RulesOf(policy)) {
    profile.Override(*rule, Severity::kError);
  }
  Expected expected;
  expected.policy = &policy;
  return Validate({AsBytes(bytes), name}, profile, {}, expected);
}

std::vector<std::string> Found(const Policy& policy, const std::string& bytes,
                               absl::string_view name = "") {
  std::vector<std::string> found;
  for (const Finding& finding : Check(policy, bytes, name).findings) {
    const Diagnostic& d = finding.diagnostic;
    found.push_back(absl::StrCat(d.rule->id, ": ", d.subject, " ", d.message));
  }
  return found;
}

TEST(PolicyChecksTest, FileName) {
  Policy policy;
  policy.file_name = std::make_shared<RE2>("[a-z]+\\.gguf");
  const std::string file = PlainFile().Build();
  EXPECT_THAT(Found(policy, file, "good.gguf"), IsEmpty());
  EXPECT_THAT(Found(policy, file, "good.gguf.exe"),
              ElementsAre("policy-file-name-allowed: file.name \"good.gguf.exe\" does not match "
                          "\"[a-z]+\\\\.gguf\""));
  const FileReport stream = Check(policy, file);
  EXPECT_THAT(stream.findings, IsEmpty());
  ASSERT_EQ(stream.not_checked.size(), 1u);
  EXPECT_EQ(stream.not_checked[0].why.view(), "the file has no name");
}

TEST(PolicyChecksTest, FileSize) {
  const std::string file = PlainFile().Build();
  Policy policy;
  policy.file_size = file.size();
  EXPECT_THAT(Found(policy, file), IsEmpty());
  policy.file_size = file.size() - 1;
  EXPECT_THAT(Found(policy, file),
              ElementsAre(absl::StrCat("policy-file-size-allowed: file.size is ", file.size(),
                                       " bytes, but your policy allows ", file.size() - 1)));
}

TEST(PolicyChecksTest, Architecture) {
  Policy policy;
  policy.architectures = {"llama", "qwen3"};
  EXPECT_THAT(Found(policy, FileOf("qwen3").Build()), IsEmpty());
  EXPECT_THAT(Found(policy, FileOf("bert").Build()),
              ElementsAre("policy-architecture-allowed: kv[general.architecture].value is "
                          "\"bert\", not one of \"llama, qwen3\""));
  // Whichever of the two a reader uses.
  EXPECT_THAT(Found(policy, FileOf("llama").String("general.architecture", "bert").Build()).size(),
              1u);
  EXPECT_THAT(Found(policy, GgufBuilder().U32("general.architecture", 1).Build()).size(), 1u);
  EXPECT_THAT(Found(policy, GgufBuilder().Build()),
              ElementsAre("policy-architecture-allowed: file has no general.architecture; your "
                          "policy allows \"llama, qwen3\""));
}

TEST(PolicyChecksTest, TensorTypes) {
  Policy policy;
  policy.tensor_types = {"F32", "Q8_0"};
  const auto with = [](uint32_t type) {
    return PlainFile().Tensor("w", {32}, 0).Tensor("v", {32}, type).Build();
  };
  EXPECT_THAT(Found(policy, with(8)), IsEmpty());
  EXPECT_THAT(
      Found(policy, with(1)),
      ElementsAre("policy-tensor-type-allowed: tensor[v].type is F16, not one of \"F32, Q8_0\""));
  EXPECT_THAT(
      Found(policy, with(0x7FFFFFFF)),
      ElementsAre(
          "policy-tensor-type-allowed: tensor[v].type is 2147483647, not one of \"F32, Q8_0\""));
}

TEST(PolicyChecksTest, KeysAndTheirValues) {
  Policy policy;
  policy.keys = {{"general.license", {"mit", "cc-by-*"}}, {"general.author", {"*"}}};
  const auto with = [](const std::string& license) {
    return PlainFile().String("general.license", license).U32("general.author", 1).Build();
  };
  EXPECT_THAT(Found(policy, with("mit")), IsEmpty());
  EXPECT_THAT(Found(policy, with("cc-by-4.0")), IsEmpty());
  EXPECT_THAT(Found(policy, with("MIT")), IsEmpty());
  EXPECT_THAT(Found(policy, with("CC-BY-4.0")), IsEmpty());
  EXPECT_THAT(Found(policy, with("gpl")),
              ElementsAre("policy-value-allowed: kv[general.license].value is \"gpl\", not one of "
                          "\"mit, cc-by-*\""));
  // Not what a C string would be.
  EXPECT_THAT(Found(policy, with(std::string("mit\0", 4))).size(), 1u);
  EXPECT_THAT(Found(policy, PlainFile().Build()),
              ElementsAre("policy-key-present: kv[general.license] is missing",
                          "policy-key-present: kv[general.author] is missing"));
}

TEST(PolicyChecksTest, ValuesOfOtherTypes) {
  Policy policy;
  policy.keys = {{"k", {"1*"}}};
  EXPECT_THAT(Found(policy, PlainFile().U32("k", 12).Build()), IsEmpty());
  EXPECT_THAT(Found(policy, PlainFile().U32("k", 21).Build()),
              ElementsAre("policy-value-allowed: kv[k].value is 21, not one of \"1*\""));
  EXPECT_THAT(
      Found(policy, PlainFile().Key("k", 7, ByteWriter().U8(1)).Build()),
      ElementsAre("policy-value-allowed: kv[k].value is of type bool, so it is not one of \"1*\""));
  const auto list = [](const std::string& second) {
    return PlainFile().Key("k", 9, ByteWriter().U32(8).U64(2).String("11").String(second)).Build();
  };
  EXPECT_THAT(Found(policy, list("12")), IsEmpty());
  EXPECT_THAT(Found(policy, list("2")),
              ElementsAre("policy-value-allowed: kv[k].value[1] is \"2\", not one of \"1*\""));
}

TEST(PolicyChecksTest, LegacyFilesHaveNoKeys) {
  Policy policy;
  policy.keys = {{"general.license", {"*"}}};
  policy.architectures = {"llama"};
  // A GGJT file of a model without tokens and tensors.
  ByteWriter ggjt;
  ggjt.Raw("tjgg").U32(3);
  for (const uint32_t hparam : {0, 4, 4, 2, 1, 2, 0}) ggjt.U32(hparam);
  EXPECT_THAT(Found(policy, ggjt.bytes()),
              ElementsAre("policy-architecture-allowed: file has no general.architecture; your "
                          "policy allows \"llama\"",
                          "policy-key-present: kv[general.license] is missing"));
}

TEST(PolicyChecksTest, KeysThatWereNotReadAreNotMissing) {
  Policy policy;
  policy.keys = {{"general.license", {"*"}}};
  GgufBuilder cut = PlainFile();
  cut.key_count = 7;
  const FileReport report = Check(policy, cut.Build());
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.not_checked.size(), 2u);
}

TEST(PolicyChecksTest, NoBuiltInProfileHasThemOn) {
  Policy policy;
  policy.file_name = std::make_shared<RE2>(".*");
  policy.file_size = 1;
  policy.architectures = {"a"};
  policy.tensor_types = {"F32"};
  policy.keys = {{"k", {"*"}}};
  EXPECT_EQ(RulesOf(policy).size(), 6u);
  for (const Rule* rule : RulesOf(policy)) {
    for (const Profile& profile : Profile::BuiltIn()) {
      EXPECT_EQ(profile.SeverityOf(*rule), Severity::kOff) << rule->id;
    }
  }
}

TEST(PolicyChecksTest, OnWithoutAConfigurationIsNotChecked) {
  Policy policy;
  policy.file_size = 1;
  const Rule& rule = *RulesOf(policy)[0];
  Profile profile = *Profile::Find("upload");
  profile.Override(rule, Severity::kError);
  const FileReport report = Validate(AsBytes(PlainFile().Build()), profile, {});
  std::string why;
  for (const auto& row : report.not_checked) {
    if (row.rule == &rule) why = std::string(row.why.view());
  }
  EXPECT_EQ(why, "your policy does not limit it");
}

}  // namespace
}  // namespace gguf
