// Files become small, and keep what matters.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/reduce.h"

#include <string>

#include "absl/strings/match.h"
#include "conformance/readers/fuzz/judge.h"
#include "conformance/readers/fuzz/mutants.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

size_t Faults(const std::string& file) { return OpinionOf(file).found.size(); }

TEST(ReduceTest, KeysAndTensorsThatDoNotMatterGo) {
  const std::string file = BuiltInSeeds().back();
  int tries = 0;
  const auto same = [&](const std::string& candidate) {
    ++tries;
    return absl::StrContains(candidate, "llama.block_count");
  };
  const std::string reduced = Reduce(file, 500, Faults, same, [] { return false; });
  EXPECT_TRUE(absl::StrContains(reduced, "llama.block_count"));
  EXPECT_LT(reduced.size(), file.size() / 10);
  EXPECT_LE(tries, 500);
}

TEST(ReduceTest, AStructureThatMattersStays) {
  const std::string file = BuiltInSeeds().back();
  const auto readable = [](const std::string& candidate) {
    return OpinionOf(candidate).must.empty() && absl::StrContains(candidate, "output_norm");
  };
  const std::string reduced = Reduce(file, 500, Faults, readable, [] { return false; });
  EXPECT_EQ(OpinionOf(reduced).must, "");
  EXPECT_LT(reduced.size(), file.size() / 2);
}

TEST(ReduceTest, NothingThatDoesTheSameLeavesTheFile) {
  EXPECT_EQ(Reduce(
                "abc", 500, Faults, [](const std::string&) { return false; }, [] { return false; }),
            "abc");
  EXPECT_EQ(Reduce(
                "abcd", 500, Faults, [](const std::string&) { return true; }, [] { return true; }),
            "abcd");
  EXPECT_EQ(Reduce(
                "abcd", 0, Faults, [](const std::string&) { return true; }, [] { return false; }),
            "abcd");
}

}  // namespace
}  // namespace gguf::readers
