// SPDX-License-Identifier: Apache-2.0

#include "conformance/tables/build.h"

#include <string>
#include <utility>

#include "conformance/tables/builds.h"
#include "conformance/tables/readers.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

TEST(BuildTest, TextsAndNumbersAreInverse) {
  for (const char* text :
       {"-", "b1", "b7990", "b999999999", "v0.0.0", "v0.5.0", "v1.2.3", "v999.999.999"}) {
    const std::optional<int32_t> build = ParseBuild(text);
    ASSERT_TRUE(build) << text;
    EXPECT_EQ(BuildText(*build), text);
    EXPECT_EQ(IsRelease(*build), text[0] == 'v') << text;
  }
}

TEST(BuildTest, LaterReleasesAreGreater) {
  const char* const rising[] = {"-", "v0.4.0", "v0.4.1", "v0.10.0", "v1.0.0"};
  for (size_t i = 1; i < std::size(rising); ++i) {
    EXPECT_LT(*ParseBuild(rising[i - 1]), *ParseBuild(rising[i])) << rising[i];
  }
}

TEST(BuildTest, ReleasesLieBetweenBuilds) {
  const auto includes = [](const char* version, const char* first) {
    return Includes(*ParseBuild(version), *ParseBuild(first));
  };
  EXPECT_EQ(includes("b7990", "b7990"), true);
  EXPECT_EQ(includes("b7989", "b7990"), false);
  EXPECT_EQ(includes("v0.4.0", "v0.5.0"), false);
  EXPECT_EQ(includes("v0.5.0", "v0.5.0"), true);
  // The history that was counted ends at b10547, before both.
  EXPECT_EQ(includes("v0.5.0", "b10547"), true);
  EXPECT_EQ(includes("b10547", "v0.4.0"), false);
  EXPECT_EQ(includes("b10548", "v0.4.0"), std::nullopt);
  EXPECT_EQ(includes("v0.4.0", "b10548"), std::nullopt);
  // v0.7.0 is b11669, so that releases before it are before b11669.
  EXPECT_EQ(includes("v0.5.0", "b11669"), false);
  EXPECT_EQ(includes("b11668", "v0.5.0"), true);
}

TEST(BuildTest, MonthsAreThoseOfTheNextKnownVersion) {
  EXPECT_EQ(MonthOf(*ParseBuild("b7899")), "2026-01");
  EXPECT_EQ(MonthOf(*ParseBuild("b7900")), "2026-02");
  EXPECT_EQ(MonthOf(*ParseBuild("v0.5.0")), "2026-09");
  EXPECT_EQ(MonthOf(*ParseBuild("v99.0.0")), "");
}

TEST(BuildTest, RowsAreInTheOrderOfTime) {
  int32_t build = 0, release = 0;
  std::string month;
  for (const BuildRow& row : kBuilds) {
    EXPECT_TRUE(row.build != kNoBuild || row.release != kNoBuild);
    EXPECT_TRUE(row.build == kNoBuild || row.build > std::exchange(build, row.build));
    EXPECT_TRUE(row.release == kNoBuild || row.release > std::exchange(release, row.release));
    EXPECT_TRUE(row.month[0] == '-' || row.month >= std::exchange(month, row.month));
  }
}

TEST(BuildTest, PredictionsAreAboutTheNewestVersion) {
  const std::string version = kReaders[static_cast<size_t>(ReaderId::kLlamaCpp)].version;
  EXPECT_EQ(version.substr(0, version.find(' ')), BuildText(NewestBuild()));
}

TEST(BuildTest, UsersNameVersionsThatTheTablesCover) {
  EXPECT_EQ(FindVersion("b9000"), ParseBuild("b9000"));
  EXPECT_EQ(FindVersion("v0.5.0"), ParseBuild("v0.5.0"));
  EXPECT_EQ(FindVersion("0.5.0"), ParseBuild("v0.5.0"));
  const std::string newest = BuildText(NewestBuild());
  EXPECT_EQ(FindVersion(newest), NewestBuild());
  for (const char* text : {"", "-", "9000", "v", "v99.0.0", "99.0.0", "vv0.5.0", "b0"}) {
    EXPECT_EQ(FindVersion(text), std::nullopt) << text;
  }
}

TEST(BuildTest, OtherTextsAreNoVersion) {
  for (const char* text : {"", "b", "b0", "b01", "b-1", "b+1", "b1 ", "b1000000000", "B1", "1", "v",
                           "v1", "v1.2", "v1.2.3.4", "v1.2.1000", "v1..3", "v01.2.3", "--"}) {
    EXPECT_FALSE(ParseBuild(text)) << text;
  }
}

}  // namespace
}  // namespace gguf
