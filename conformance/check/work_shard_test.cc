// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/work_shard.h"

#include <map>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using Environment = std::map<std::string, std::string>;

// Returns "2 of 5 by NAME", or the error.
std::string Chosen(absl::string_view flag, const Environment& environment) {
  const auto chosen =
      ChooseWorkShard(flag, [&](const std::string& name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        if (found == environment.end()) return std::nullopt;
        return found->second;
      });
  if (!chosen.ok()) return std::string(chosen.status().message());
  return absl::StrCat(chosen->shard.index, " of ", chosen->shard.count,
                      chosen->from.empty() ? "" : " by ", chosen->from);
}

TEST(WorkShardTest, TheFlagCountsFromOne) {
  EXPECT_EQ(Chosen("", {}), "0 of 1");
  EXPECT_EQ(Chosen("1/1", {}), "0 of 1");
  EXPECT_EQ(Chosen("3/5", {}), "2 of 5");
  EXPECT_EQ(Chosen("5/5", {}), "4 of 5");
  for (const char* bad : {"1", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/2", "Auto", "/"}) {
    EXPECT_EQ(Chosen(bad, {}),
              absl::StrCat("invalid shard \"", bad, "\": expected K/N, such as 1/4 or 4/4"));
  }
}

TEST(WorkShardTest, SchedulersSayWhichShardOnRequest) {
  const Environment bazel = {{"TEST_SHARD_INDEX", "0"}, {"TEST_TOTAL_SHARDS", "3"}};
  EXPECT_EQ(Chosen("", bazel), "0 of 1");
  EXPECT_EQ(Chosen("2/2", bazel), "1 of 2");
  EXPECT_EQ(Chosen("auto", bazel), "0 of 3 by TEST_SHARD_INDEX");
  EXPECT_EQ(Chosen("auto", {{"SLURM_ARRAY_TASK_ID", "12"},
                            {"SLURM_ARRAY_TASK_MIN", "10"},
                            {"SLURM_ARRAY_TASK_COUNT", "4"}}),
            "2 of 4 by SLURM_ARRAY_TASK_ID");
  EXPECT_EQ(Chosen("auto", {{"JOB_COMPLETION_INDEX", "6"}, {"JOB_COMPLETIONS", "7"}}),
            "6 of 7 by JOB_COMPLETION_INDEX");
}

TEST(WorkShardTest, AnEnvironmentThatSaysNoShardIsAnError) {
  EXPECT_EQ(
      Chosen("auto", {}),
      "--shard auto: none of TEST_SHARD_INDEX, SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX is set");
  EXPECT_EQ(Chosen("auto", {{"TEST_SHARD_INDEX", "3"}, {"TEST_TOTAL_SHARDS", "3"}}),
            "TEST_SHARD_INDEX is 3, but TEST_TOTAL_SHARDS is 3");
  EXPECT_EQ(Chosen("auto", {{"TEST_SHARD_INDEX", "x"}}), "TEST_SHARD_INDEX is \"x\", not a number");
  EXPECT_EQ(Chosen("auto", {{"TEST_SHARD_INDEX", "-1"}}),
            "TEST_SHARD_INDEX is \"-1\", not a number");
  EXPECT_EQ(Chosen("auto", {{"JOB_COMPLETION_INDEX", "0"}}),
            "JOB_COMPLETION_INDEX is 0, but JOB_COMPLETIONS is not set");
  EXPECT_EQ(Chosen("auto", {{"SLURM_ARRAY_TASK_ID", "1"}, {"SLURM_ARRAY_TASK_MIN", "2"}}),
            "SLURM_ARRAY_TASK_ID is 1, but SLURM_ARRAY_TASK_MIN is missing or larger");
}

TEST(WorkShardTest, SharesAreDisjointAndEvenAndCoverAll) {
  std::vector<FileGroup> groups;
  for (int i = 0; i < 7; ++i) {
    groups.push_back({i == 2, {{absl::StrCat(i), absl::OkStatus()}}});
  }
  std::vector<std::string> shares;
  for (uint64_t index = 0; index < 3; ++index) {
    std::string paths;
    for (const FileGroup& group : ShareOf(groups, {index, 3})) {
      absl::StrAppend(&paths, group.files[0].path, group.is_set ? "s" : "");
    }
    shares.push_back(paths);
  }
  EXPECT_THAT(shares, testing::ElementsAre("036", "14", "2s5"));
  EXPECT_TRUE(ShareOf(groups, {7, 8}).empty());
}

TEST(WorkShardTest, TheDigestTellsListsOfFilesApart) {
  const auto digest = [](const std::vector<std::string>& paths) {
    std::vector<FileGroup> groups;
    for (const std::string& path : paths) {
      groups.push_back({false, {{path, absl::OkStatus()}}});
    }
    EXPECT_EQ(InputsOf(groups).files, paths.size());
    return InputsOf(groups).digest;
  };
  EXPECT_EQ(digest({"a", "b"}), digest({"a", "b"}));
  EXPECT_NE(digest({"a", "b"}), digest({"b", "a"}));
  EXPECT_NE(digest({"a", "b"}), digest({"ab"}));
  EXPECT_NE(digest({"a"}), digest({"a", "b"}));
}

}  // namespace
}  // namespace gguf
