// A file with the fault of each symptom breaks one of the first three rules of the symptom.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/symptoms.h"

#include <algorithm>
#include <set>
#include <string>

#include "conformance/golden/golden.h"
#include "corpus/language/case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

// Returns the rules of the worst findings on a case; those of pedantic where upload has none.
std::set<std::string> WorstRules(const char* id) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const corpus::Case a_case = corpus::ReadCase(id, load(id).value(), load).value();
  const CaseFiles files = CaseFiles::Make(a_case, load).value();
  std::set<std::string> rules;
  for (const char* profile : {"upload", "pedantic"}) {
    Severity worst = Severity::kOff;
    for (const Finding& finding : CheckCase(a_case, files, profile).findings) {
      if (finding.severity > worst) rules.clear();
      worst = std::max(worst, finding.severity);
      if (finding.severity == worst) rules.insert(finding.diagnostic.rule->id);
    }
    if (!rules.empty()) break;
  }
  return rules;
}

TEST(SymptomsTest, AFileWithTheFaultBreaksOneOfTheFirstThreeRules) {
  constexpr size_t kFirst = 3;
  for (const Symptom& symptom : kSymptoms) {
    const std::set<std::string> broken = WorstRules(symptom.file);
    const auto end = symptom.rules.begin() + std::min(kFirst, symptom.rules.size);
    const bool is_named = std::any_of(symptom.rules.begin(), end,
                                      [&](const char* rule) { return broken.count(rule) > 0; });
    EXPECT_TRUE(is_named) << symptom.symptom << ": " << testing::PrintToString(broken);
  }
}

}  // namespace
}  // namespace gguf
