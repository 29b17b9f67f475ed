// Tests of a file against its recorded digests.
//
// SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/bytes.h"
#include "conformance/model/digest.h"
#include "conformance/model/tensor_data.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/parse.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint32_t kI8 = 24;

FileDigest DigestOf(const std::string& bytes) {
  Diagnostics found(1);
  const File file = Parse(AsBytes(bytes), Limits(), &found);
  return *DigestFile(file, DataRanges(file), DigestOptions());
}

FileReport Check(const std::string& bytes, const FileDigest* wanted) {
  Profile profile = *Profile::Find("spec");
  for (const Rule* rule : RulesAgainst(Against::kDigests)) {
    profile.Override(*rule, Severity::kError);
  }
  CheckOptions options;
  options.digest = "a manifest";
  Expected expected;
  expected.digest = wanted;
  return Validate({AsBytes(bytes), "a.gguf"}, profile, options, expected);
}

// Returns the findings of the rules about digests: "rule: subject message".
std::vector<std::string> Found(const std::string& bytes, const FileDigest* wanted) {
  std::vector<std::string> found;
  for (const Finding& finding : Check(bytes, wanted).findings) {
    const Diagnostic& d = finding.diagnostic;
    for (const Rule* rule : RulesAgainst(Against::kDigests)) {
      if (d.rule != rule) continue;
      found.push_back(absl::StrCat(rule->id, ": ", d.subject, " ", d.message));
    }
  }
  return found;
}

std::string TwoTensors() {
  return GgufBuilder().Tensor("a", {3}, kI8).Tensor("b", {3}, kI8).Build();
}

TEST(DigestChecksTest, TheSameFileHasNoFinding) {
  const FileDigest wanted = DigestOf(TwoTensors());
  EXPECT_THAT(Found(TwoTensors(), &wanted), IsEmpty());
}

TEST(DigestChecksTest, TensorsOfOneNameAreComparedInOrder) {
  const auto file = [](int tensors) {
    GgufBuilder builder;
    while (tensors-- > 0) builder.Tensor("a", {3}, kI8);
    std::string bytes = builder.Build();
    bytes[bytes.size() - 32] = 7;
    return bytes;
  };
  const FileDigest wanted = DigestOf(file(2));
  EXPECT_THAT(Found(file(2), &wanted), IsEmpty());
  EXPECT_THAT(Found(file(3), &wanted), Contains(HasSubstr("is not in the manifest")));
  EXPECT_THAT(Found(file(1), &wanted), Contains(HasSubstr("does not have tensor \"a\"")));
}

TEST(DigestChecksTest, ChangedWeightsNameTheirTensor) {
  const FileDigest wanted = DigestOf(TwoTensors());
  std::string changed = TwoTensors();
  changed[changed.size() - 30] = 1;
  EXPECT_THAT(Found(changed, &wanted),
              ElementsAre(HasSubstr("digest-tensor-equal: tensor[b].data")));
}

TEST(DigestChecksTest, ChangedPaddingIsChangedMetadata) {
  const FileDigest wanted = DigestOf(TwoTensors());
  std::string changed = TwoTensors();
  changed.back() = 1;
  EXPECT_THAT(Found(changed, &wanted), ElementsAre(HasSubstr("digest-metadata-equal: file")));
}

TEST(DigestChecksTest, TensorsThatAreMissingOrNew) {
  const FileDigest wanted = DigestOf(TwoTensors());
  const std::string other = GgufBuilder().Tensor("a", {3}, kI8).Tensor("c", {3}, kI8).Build();
  EXPECT_THAT(Found(other, &wanted), ElementsAre(HasSubstr("digest-metadata-equal"),
                                                 HasSubstr("does not have tensor \"b\""),
                                                 HasSubstr("tensor[c] is not in the manifest")));
}

TEST(DigestChecksTest, AFileThatIsNotListed) {
  EXPECT_THAT(Found(TwoTensors(), nullptr), ElementsAre(HasSubstr("digest-file-listed: file")));
}

TEST(DigestChecksTest, AFileWithoutDigestsIsNotPassedOver) {
  const FileDigest wanted = DigestOf(TwoTensors());
  const FileReport report = Check(GgufBuilder().Tensor("a", {3}, kI8, 7).Build(), &wanted);
  int not_checked = 0;
  for (const FileReport::NotChecked& rule : report.not_checked) {
    not_checked += absl::string_view(rule.rule->id).substr(0, 7) == "digest-";
  }
  EXPECT_EQ(not_checked, 2);
}

// Returns the findings of the rules about whole files.
std::vector<std::string> FoundWhole(const std::string& bytes,
                                    const std::optional<ExpectedSha256>& wanted) {
  Profile profile = *Profile::Find("spec");
  for (const Rule* rule : RulesAgainst(Against::kSha256)) {
    profile.Override(*rule, Severity::kError);
  }
  CheckOptions options;
  options.sha256 = "a list";
  Expected expected;
  expected.sha256 = wanted;
  const FileReport report = Validate({AsBytes(bytes), "a.gguf"}, profile, options, expected);
  std::vector<std::string> found;
  for (const Finding& finding : report.findings) {
    const Diagnostic& d = finding.diagnostic;
    if (!absl::StartsWith(d.rule->id, "digest-sha256-")) continue;
    found.push_back(absl::StrCat(d.rule->id, ": ", d.message));
  }
  return found;
}

TEST(DigestChecksTest, WholeFile) {
  // Also bytes that are no model.
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  const std::string other(64, '0');
  EXPECT_THAT(FoundWhole("abc", ExpectedSha256{abc, std::nullopt}), IsEmpty());
  EXPECT_THAT(FoundWhole("abc", ExpectedSha256{abc, 3}), IsEmpty());
  EXPECT_THAT(
      FoundWhole("abc", ExpectedSha256{other, std::nullopt}),
      ElementsAre("digest-sha256-equal: has SHA-256 " + abc + ", but " + other + " is stated"));
  EXPECT_THAT(FoundWhole("abc", ExpectedSha256{other, 3}),
              ElementsAre("digest-sha256-equal: has the stated size, but SHA-256 " + abc + "; " +
                          other + " is stated"));
  EXPECT_THAT(FoundWhole("abc", ExpectedSha256{abc, 4}),
              ElementsAre("digest-sha256-equal: has 3 bytes, but 4 are stated"));
  EXPECT_THAT(FoundWhole("abc", std::nullopt),
              ElementsAre("digest-sha256-stated: has no stated SHA-256"));
}

}  // namespace
}  // namespace gguf
