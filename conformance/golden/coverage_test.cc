// Checks that each rule of the catalogue has a case that violates only this
// rule, one edit away from a valid case.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "conformance/base/project.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/causes/causes.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using corpus::Case;
using corpus::Expectation;

bool Reports(const Expectation& expectation, absl::string_view rule) {
  return std::any_of(expectation.findings.begin(), expectation.findings.end(),
                     [&](const auto& finding) { return finding.rule == rule; });
}

bool ReportsNothingBut(const Expectation& expectation, absl::string_view rule) {
  return Reports(expectation, rule) &&
         std::all_of(expectation.findings.begin(), expectation.findings.end(),
                     [&](const auto& finding) { return finding.rule == rule; });
}

// Rules that no case can violate alone, with reasons.
constexpr std::pair<absl::string_view, absl::string_view> kNotAlone[] = {
    {"file-not-converted", "only files that break another rule are examined"},
    {"format-gguf", "no valid GGUF is one edit away from another format"},
    {"architecture-grammar", "it speaks of unknown architectures only, as architecture-known does"},
    {"model-blocks-named", "a tensor with another name breaks model-tensors-known, too"},
    {"tensor-layout-of-type", "another type number breaks rules about sizes, too"},
    {"layout-of-upstream", "its marks are tensors and keys that no table knows"},
    {"weights-nvfp4-scale-number",
     "files with NVFP4 are not valid for all readers: the type is too new"},
    {"charsmap-newline-readable",
     "what leads a newline astray breaks a rule of the whole charsmap, too"},
    {"empty-tensor-dimensions-bounded", "an empty tensor breaks tensor-dimensions-nonzero, too"},
    {"template-names-of-llama-cpp", "a name that llama.cpp lacks is not portable, too"},
    {"reader-computes-architecture", "each model of the architecture has the finding"},
    {"imatrix-covers-base", "sums and counts are two tensors"},
    {"model-matrices-not-empty", "an empty dimension is a finding of its own"},
};

class CoverageTest : public testing::Test {
 protected:
  CoverageTest() {
    const corpus::Loader load = corpus::FolderLoader(CasesFolder());
    const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
    for (const std::string& id : ids) {
      cases_.emplace(id, corpus::ReadCase(id, load(id).value(), load).value());
    }
  }

  // Whether the case's base is valid, does not violate the rule, and differs in
  // one thing: a statement, or the name, the set or the flags of the check.
  bool HasNeighbour(const Case& a_case, const std::string& profile, absl::string_view rule) const {
    const auto base = cases_.find(a_case.base);
    if (base == cases_.end() || a_case.edits > 1 ||
        base->second.verdict != corpus::Verdict::kValid) {
      return false;
    }
    const CaseFiles files =
        CaseFiles::Make(base->second, corpus::FolderLoader(CasesFolder())).value();
    return !Reports(Observe(base->second, files, profile), rule);
  }

  bool IsShown(absl::string_view rule) const {
    for (const auto& [id, a_case] : cases_) {
      for (const Expectation& expectation : a_case.expectations) {
        if (ReportsNothingBut(expectation, rule) &&
            HasNeighbour(a_case, expectation.profile, rule)) {
          return true;
        }
      }
    }
    return false;
  }

  bool IsReported(absl::string_view rule) const {
    return std::any_of(cases_.begin(), cases_.end(), [&](const auto& entry) {
      const auto& expectations = entry.second.expectations;
      return std::any_of(expectations.begin(), expectations.end(),
                         [&](const Expectation& e) { return Reports(e, rule); });
    });
  }

  std::map<std::string, Case> cases_;
};

TEST_F(CoverageTest, EachCauseHasACase) {
  for (const CauseKind& kind : CauseKinds()) {
    EXPECT_TRUE(std::any_of(cases_.begin(), cases_.end(), [&](const auto& entry) {
      const auto& expectations = entry.second.expectations;
      return !expectations.empty() &&
             std::count(expectations[0].causes.begin(), expectations[0].causes.end(), kind.id) > 0;
    })) << kind.id;
  }
}

using Version = std::tuple<int, int, int>;

Version ParseVersion(const std::string& text) {
  int major = -1, minor = -1, patch = -1;
  std::sscanf(text.c_str(), "%d.%d.%d", &major, &minor, &patch);
  return {major, minor, patch};
}

// `since` is 0.1.0 where a rule does not say it, so one rule too many here is a
// new rule without `since`; a removed rule lowers the number.
TEST(LifeCycleTest, ANewRuleSaysSinceWhichVersion) {
  int first = 0;
  for (const Rule* rule : Catalogue()) {
    if (ParseVersion(rule->since) == ParseVersion("0.1.0")) {
      ++first;
    }
  }
  EXPECT_EQ(first, 257);
}

TEST(LifeCycleTest, NoRuleIsNewerThanTheProgram) {
  for (const Rule* rule : Catalogue()) {
    const Version since = ParseVersion(rule->since);
    EXPECT_GE(since, ParseVersion("0.1.0")) << rule->id;
    EXPECT_LE(since, ParseVersion(kToolVersion)) << rule->id;
  }
}

TEST_F(CoverageTest, EachRuleIsShownAloneOneEditFromAValidCase) {
  for (const Rule* rule : Catalogue()) {
    const absl::string_view id = rule->id;
    // Only a configuration or a manifest of digests turns these on, and cases
    // have neither; policy_checks_test and digest_checks_test cover them.
    if (absl::StartsWith(id, "policy-") || absl::StartsWith(id, "digest-") ||
        absl::StartsWith(id, "compare-")) {
      continue;
    }
    const bool exempt = std::any_of(std::begin(kNotAlone), std::end(kNotAlone),
                                    [&](const auto& row) { return row.first == id; });
    if (exempt) {
      EXPECT_FALSE(IsShown(id)) << id << " is no longer exempt";
      EXPECT_TRUE(IsReported(id)) << id << " is in no case";
      continue;
    }
    EXPECT_TRUE(IsShown(id))
        << rule->id << ": write a case that reports nothing else, with a valid- base and one edit";
  }
}

TEST_F(CoverageTest, CasesNameRulesThatExist) {
  for (const auto& [id, a_case] : cases_) {
    for (const Expectation& expectation : a_case.expectations) {
      for (const auto& finding : expectation.findings) {
        EXPECT_NE(FindRule(finding.rule), nullptr) << id << ": there is no rule " << finding.rule;
      }
    }
  }
}

}  // namespace
}  // namespace gguf
