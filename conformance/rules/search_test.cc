// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/search.h"

#include <string>
#include <vector>

#include "conformance/rules/catalogue.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string FirstSymptom(const std::vector<std::string>& words) {
  const SearchResult found = Search(words);
  return found.symptoms.empty() ? "" : found.symptoms[0]->symptom;
}

TEST(SearchTest, SymptomsAreFoundInOtherWords) {
  EXPECT_EQ(FirstSymptom({"truncated"}), "The file is truncated");
  EXPECT_EQ(FirstSymptom({"garbage"}), "It writes garbage");
  EXPECT_EQ(FirstSymptom({"never", "stops"}), "It never stops");
  EXPECT_EQ(FirstSymptom({"why does it NEVER stop"}), "It never stops");
  EXPECT_EQ(FirstSymptom({"rope base"}), "Long texts become garbage");
  EXPECT_EQ(FirstSymptom({"loops"}), "It repeats itself or loops");
  EXPECT_EQ(FirstSymptom({"wrong", "language"}), "It writes the wrong language or broken letters");
  EXPECT_EQ(FirstSymptom({"crashes", "on", "load"}), "It crashes on load");
  EXPECT_EQ(FirstSymptom({"unknown", "architecture"}), "The architecture is unknown");
  EXPECT_EQ(FirstSymptom({"out of memory"}), "It runs out of memory");
  EXPECT_EQ(FirstSymptom({"xyzzy"}), "");
}

TEST(SearchTest, RulesOfSymptomsComeFirst) {
  const SearchResult found = Search({"never", "stops"});
  EXPECT_EQ(std::string(found.rules.at(0)->id), "end-tokens-end-text");
}

TEST(SearchTest, RulesAreFoundInSummaryReasonAndRepair) {
  EXPECT_THAT(Search({"tokens-unique-before"}).rules,
              ElementsAre(FindRule("tokens-unique-before-nul")));
  const SearchResult by_repair = Search({"lay", "data", "again"});
  EXPECT_THAT(by_repair.rules, testing::Contains(FindRule("tensor-offset-aligned")));
  EXPECT_THAT(Search({"xyzzy"}).rules, IsEmpty());
}

TEST(SearchTest, EveryWordMustBeThere) {
  EXPECT_THAT(Search({"garbage", "xyzzy"}).symptoms, IsEmpty());
}

TEST(SearchTest, NamesInTheTableExist) {
  int count = 0;
  for (const Symptom& symptom : kSymptoms) {
    for (const char* id : symptom.rules) EXPECT_NE(FindRule(id), nullptr) << id;
    EXPECT_GE(symptom.rules.size, 1u) << symptom.symptom;
    ++count;
  }
  EXPECT_GE(count, 40);
}

TEST(SearchTest, TheDocumentHasEverySymptom) {
  const std::string text = TroubleshootingText();
  for (const Symptom& symptom : kSymptoms) EXPECT_THAT(text, HasSubstr(symptom.symptom));
  EXPECT_THAT(text, HasSubstr("[end-tokens-end-text](rules.md#end-tokens-end-text)"));
}

}  // namespace
}  // namespace gguf
