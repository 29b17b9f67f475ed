// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/log_file.h"

#include <fstream>
#include <iterator>
#include <string>

#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

RunLog LogAt(const std::string& path) {
  std::ifstream file(path);
  return ReadRunLog(std::string(std::istreambuf_iterator<char>(file), {}))
      .value();
}

CaseRecord Case(const char* id) {
  CaseRecord record;
  record.id = id;
  return record;
}

TEST(LogFileTest, GrowsAndIsReplacedByTheWholeLog) {
  const std::string path = testing::TempDir() + "/log";
  auto file = LogFile::Create(path, {}).value();
  EXPECT_FALSE(std::ifstream(path).is_open());
  RunLog log;
  ASSERT_TRUE(file->Begin(log.header).ok());
  EXPECT_EQ(LogAt(path).cases.size(), 0u);
  file->Add(Case("b/b"));
  file->Add(Case("a/a"));
  const RunLog growing = LogAt(path);
  ASSERT_EQ(growing.cases.size(), 2u);
  EXPECT_EQ(growing.cases[0].id, "b/b");
  EXPECT_FALSE(growing.footer.has_value());

  log.cases = {Case("a/a"), Case("b/b"), Case("c/c")};
  log.footer = RunFooter{true, 3, 1, ""};
  ASSERT_TRUE(file->Finish(log).ok());
  EXPECT_EQ(LogAt(path).cases.size(), 3u);
  EXPECT_EQ(LogAt(path).cases[0].id, "a/a");
  EXPECT_TRUE(LogAt(path).footer.has_value());
}

TEST(LogFileTest, WhatWasWrittenStaysWithoutFinish) {
  const std::string path = testing::TempDir() + "/killed";
  std::ofstream(path) << "an older log";
  auto file = LogFile::Create(path, {}).value();
  ASSERT_TRUE(file->Begin({}).ok());
  file->Add(Case("a/a"));
  file.reset();
  EXPECT_EQ(LogAt(path).cases.size(), 1u);
}

TEST(LogFileTest, ADeviceGetsOnlyTheWholeLog) {
  auto file = LogFile::Create("/dev/full", {}).value();
  RunLog log;
  ASSERT_TRUE(file->Begin(log.header).ok());
  file->Add(Case("a/a"));
  EXPECT_EQ(file->Finish(log).message(),
            "cannot write /dev/full: No space left on device");
}

TEST(LogFileTest, AnInputIsRefused) {
  const std::string path = testing::TempDir() + "/input";
  std::ofstream(path) << "x";
  InputFiles inputs;
  inputs.Add(path, "a case");
  EXPECT_FALSE(LogFile::Create(path, inputs).ok());
}

}  // namespace
}  // namespace gguf::readers
