// From options to reports.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/gate.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/option_table.h"
#include "conformance/model/file_name.h"
#include "conformance/testing/shard_sets.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/testing/gguf_builder.h"

namespace gguf {
namespace {

// Writes a file of the test; returns its path.
std::string Written(const std::string& name, const std::string& bytes) {
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::vector<FileReport> Reports(const CheckOptions& options, const CheckInputs& inputs) {
  auto gate = Gate::Open(options, inputs);
  EXPECT_TRUE(gate.ok()) << gate.status();
  std::vector<FileReport> reports;
  gate->Check({[&](FileReport report) {
                 reports.push_back(std::move(report));
                 return true;
               },
               nullptr, nullptr});
  return reports;
}

std::string ErrorOf(CheckOptions options) {
  return std::string(CheckInputs::Open(&options).status().message());
}

TEST(GateTest, AFileThatIsNotReadHasTheRulesOfItsProfile) {
  CheckOptions options;
  options.config = Written("ggufcheck.toml",
                           "profile = 'pedantic'\n"
                           "[per-file-profiles]\n'a.gguf' = 'safety'\n");
  options.origin = Written("base.gguf", GgufBuilder().Tensor("w", {32}, 0).Build());
  options.paths = {"https://127.0.0.1:1/a.gguf"};  // Nothing connects to it.
  const auto inputs = CheckInputs::Open(&options);
  ASSERT_TRUE(inputs.ok()) << inputs.status();

  const std::vector<FileReport> reports = Reports(options, *inputs);

  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].incomplete,
            "only its beginning is read, but its weights are compared: compare a copy on disk");
  EXPECT_EQ(reports[0].profile, "safety");
  EXPECT_FALSE(reports[0].not_checked.empty());
  for (const auto& rule : reports[0].not_checked) {
    EXPECT_NE(inputs->ProfileOf(reports[0]).SeverityOf(*rule.rule), Severity::kOff)
        << rule.rule->id;
  }
}

TEST(GateTest, WeightsOfAUrlAreNotRead) {
  CheckOptions options;
  options.paths = {"https://127.0.0.1:1/a.gguf"};
  options.weights = true;
  const auto inputs = CheckInputs::Open(&options);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ(Reports(options, *inputs)[0].incomplete,
            "only its beginning is read, but \"weights\" and \"stats\" need the whole file: check "
            "a copy on disk");
}

// Writes three shards of a model, the last of them without its last byte; returns the reports.
std::vector<FileReport> ReportsOfSet(const std::string& folder, const std::string& config) {
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/", folder);
  std::filesystem::create_directory(path);
  std::string third = Third().Build();
  third.pop_back();
  uint32_t number = 0;
  for (const std::string& bytes : {First().Build(), Second().Build(), third}) {
    Written(folder + "/m" + ShardSuffix(++number, 3), bytes);
  }
  CheckOptions options;
  options.config = Written(folder + "/ggufcheck.toml", config);
  options.paths = {path};
  options.readers = true;
  const auto inputs = CheckInputs::Open(&options);
  EXPECT_TRUE(inputs.ok()) << inputs.status();
  return Reports(options, *inputs);
}

TEST(GateTest, TheFirstShardHasTheResultOfAll) {
  const std::vector<FileReport> reports = ReportsOfSet("set", "");
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].counts.error, 0u);  // Its own result is kept.
  EXPECT_EQ(reports[2].counts.error, 1u);
  EXPECT_EQ(reports[0].shard->result, "fail");
  EXPECT_EQ(reports[1].shard->result, "");
  EXPECT_EQ(reports[2].shard->result, "");
  const auto with_ignored =
      ReportsOfSet("ignored", "[per-file-ignores]\n'*3-of*' = ['tensor-data-in-file']\n");
  EXPECT_EQ(with_ignored[0].shard->result, "pass");
}

TEST(GateTest, AShardInMemoryHasTheResultThatItsFileHas) {
  const std::string bytes = First().Build();
  CheckOptions options;
  const auto inputs = CheckInputs::Open(&options);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  const std::string name = "m" + ShardSuffix(1, 3);
  const FileReport report = CheckSource({AsBytes(bytes), name}, name, options, *inputs);
  ASSERT_TRUE(report.shard);
  EXPECT_EQ(report.shard->result, ResultName(ResultOf(report, Severity::kError)));
}

TEST(GateTest, ReadersOfTheFirstShardLoadAllOfThem) {
  const std::vector<FileReport> reports = ReportsOfSet("readers", "");
  std::vector<std::string> worse;
  for (size_t i = 0; i < reports[0].readers.size(); ++i) {
    const ReaderVerdict& first = reports[0].readers[i];
    EXPECT_EQ(reports[1].readers[i].because.size(), 0u);
    if (first.because.empty() || first.because[0].rule->id != std::string("tensor-data-in-file")) {
      continue;
    }
    worse.push_back(absl::StrCat(first.Name(), ": ", WordOf(first.effect), ", ", first.why));
    EXPECT_EQ(reports[2].readers[i].effect, ReaderEffect::kRejects);
  }
  // The others read one file.
  EXPECT_THAT(
      worse, testing::ElementsAre("llama.cpp: rejects, in shard 3", "ollama: rejects, in shard 3"));
}

TEST(CheckInputsTest, OptionsThatDisagreeAreRefusedBeforeAFileIsOpened) {
  CheckOptions options;
  options.config = options.digest = options.base = "/no/such/file";
  options.weights = options.header_only = true;
  EXPECT_EQ(ErrorOf(options),
            "\"header-only\" conflicts with \"weights\" and \"stats\", which read tensor data");
  options.is_program = true;
  EXPECT_EQ(ErrorOf(options),
            "--header-only conflicts with --digest, --sha256, --weights and --stats, which read "
            "tensor data");
}

TEST(CheckInputsTest, TheProfileIsFoundBeforeTheOtherInputsAreOpened) {
  CheckOptions options;
  options.digest = options.base = "/no/such/file";
  options.profile = "uplaod";
  EXPECT_THAT(ErrorOf(options), testing::HasSubstr("there is no profile"));
  options.profile = "upload";
  EXPECT_THAT(ErrorOf(options), testing::StartsWith("\"digest\" \"/no/such/file\": cannot open"));
  options.digest.clear();
  EXPECT_THAT(ErrorOf(options), testing::StartsWith("\"base\" \"/no/such/file\": cannot open"));
}

TEST(CheckInputsTest, AnOptionThatWasSetTakesPrecedence) {
  CheckOptions options;
  options.config = Written("limits.toml",
                           "profile = 'spec'\nfail-on = 'note'\n"
                           "[limits]\nkeys = 3\ntensors = 4\nseconds = 5\n"
                           "[types]\nA = { id = 4711, elements = 32, bytes = 20 }\n");
  for (const auto& [name, value] :
       {std::pair("fail-on", "warning"), {"limit-keys", "7"}, {"limit-seconds", "8"}}) {
    EXPECT_TRUE(SetLibraryOption(name, value, &options).ok()) << name;
  }
  EXPECT_TRUE(CheckInputs::Open(&options).ok());
  EXPECT_EQ(options.profile, "spec");
  EXPECT_EQ(options.fail_on, Severity::kWarning);
  EXPECT_EQ(options.limits.keys, 7u);
  EXPECT_EQ(options.limits.tensors, 4u);
  EXPECT_EQ(FindSizedType(options.limits.own_types.get(), 4711)->name, "A");
  EXPECT_EQ(options.limits.seconds, 8);
}

TEST(CheckInputsTest, WithoutAConfigurationTheOptionsStay) {
  CheckOptions options;
  options.fail_on = Severity::kNote;
  options.limits.keys = 7;
  EXPECT_TRUE(CheckInputs::Open(&options).ok());
  EXPECT_EQ(options.profile, "upload");
  EXPECT_EQ(options.fail_on, Severity::kNote);
  EXPECT_EQ(options.limits.keys, 7u);
}

TEST(OptionTableTest, TheRowsKnowWhatReadsData) {
  for (const CheckOption& option : AllCheckOptions()) {
    CheckOptions options;
    const bool has_value = option.kind == CheckOption::kValue || option.kind == CheckOption::kList;
    if (!SetOption(option, has_value ? "1" : "true", &options).ok()) continue;
    EXPECT_EQ(ReadsData(options), option.reads_data) << option.name;
  }
}

}  // namespace
}  // namespace gguf
