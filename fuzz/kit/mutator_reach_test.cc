// Tests how far mutants get into a reader, and which rules they break.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <set>
#include <string>

#include "conformance/base/bytes.h"
#include "fuzz/kit/mutator_inputs.h"
#include "fuzz/kit/rules_broken.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::IsEmpty;

// Returns whether magic, version and counts are present, and the counts
// possible.
bool HasReadableHeader(const std::string& file) {
  const std::set<std::string> broken = RulesBroken(AsBytes(file));
  for (const char* rule : {"header-magic", "header-version-known", "header-counts-fit"}) {
    if (broken.count(rule) != 0) return false;
  }
  return file.size() >= 24;
}

TEST(ReachTest, MostMutantsOfValidFilesHaveAReadableHeader) {
  size_t mutants = 0, readable = 0;
  uint32_t seed = 0;
  for (const std::string& file : ValidFiles()) {
    for (int i = 0; i < 20; ++i) {
      readable += HasReadableHeader(Mutant(file, ++seed));
      ++mutants;
    }
  }
  EXPECT_GE(readable, mutants * 60 / 100);
  std::printf("%zu of %zu headers are readable\n", readable, mutants);
}

// Mutants of mutants of a small valid file, eight deep.
TEST(ReachTest, MutationsAloneBreakEveryRuleOfTheContainer) {
  constexpr uint32_t kBudget = 30000;
  constexpr size_t kRoom = 70000;  // The longest key has 65535 bytes.
  std::set<std::string> unbroken = BreakableRules();
  ASSERT_GT(unbroken.size(), 40u);
  const std::string small = SmallValidFile();
  std::string file;
  uint32_t seed = 0;
  for (; seed < kBudget && !unbroken.empty(); ++seed) {
    file = Mutant(seed % 8 == 0 ? small : file, seed, kRoom);
    for (const std::string& rule : RulesBroken(AsBytes(file))) {
      unbroken.erase(rule);
    }
  }
  EXPECT_THAT(unbroken, IsEmpty());
  std::printf("%u mutants break all rules\n", seed);
}

}  // namespace
}  // namespace gguf
