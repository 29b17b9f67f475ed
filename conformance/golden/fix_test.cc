// Fixes every case of the corpus in memory: rules that can be fixed are silent afterwards, tensors
// keep their bytes, and nothing else is changed.
//
// SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "conformance/fix/fix_json.h"
#include "conformance/fix/plan.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "conformance/testing/json_schema.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "parser/parse.h"

namespace gguf {
namespace {

FixOptions Options(const char* profile) {
  FixOptions options;
  options.is_unsafe = true;
  options.profile = *Profile::Find(profile);
  options.profile.EnablePreview();
  return options;
}

std::vector<Source> SourcesOf(const CaseFiles& files) {
  std::vector<Source> sources;
  for (const auto& file : files.files) sources.push_back({file.content.bytes(), file.name});
  return sources;
}

CaseFiles FilesOf(const std::string& id) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const corpus::Case a_case = corpus::ReadCase(id, load(id).value(), load).value();
  return CaseFiles::Make(a_case, load).value();
}

// Returns the data of all tensors, those of one file after those of another; names may change.
std::string DataOf(const Source& source) {
  Diagnostics unused(0);
  const File file = Parse(source, Limits(), &unused);
  std::string all;
  for (const TensorInfo& tensor : file.tensors) {
    if (!file.alignment_known || !tensor.bytes || !IsInFile(file, tensor) || *tensor.bytes == 0)
      continue;
    std::string buffer;
    Range range = DataRange(file, tensor);
    range.end = std::min(range.end, range.begin + (1 << 20));
    if (source.data == nullptr) {
      absl::StrAppend(&all, AsText(file.At(range)), "|");
    } else {
      buffer.resize(range.size());
      source.data->Read(range.begin, reinterpret_cast<uint8_t*>(&buffer[0]), buffer.size());
      absl::StrAppend(&all, buffer, "|");
    }
  }
  return all;
}

// Returns all bytes of a source that is not in memory.
std::string BytesOf(const Source& source) {
  std::string bytes(source.size, '\0');
  source.data->Read(0, reinterpret_cast<uint8_t*>(&bytes[0]), bytes.size());
  return bytes;
}

std::set<std::string> RulesOf(const FileReport& report) {
  std::set<std::string> rules;
  for (const Finding& finding : report.findings) rules.insert(finding.diagnostic.rule->id);
  return rules;
}

TEST(FixTest, EveryRuleSaysHowItIsFixed) {
  std::map<FixKind, int> counts;
  for (const Rule* rule : Catalogue()) {
    const FixRow& row = FixOf(*rule);
    ++counts[row.fix];
    EXPECT_EQ(row.fix == FixKind::kNone, row.reason != NoFix::kFixed) << rule->id;
    EXPECT_EQ(row.fix == FixKind::kNone || row.fix == FixKind::kRename,
              row.by == FixMethod::kNothing)
        << rule->id;
  }
  EXPECT_EQ(Catalogue().size(), kFixes.size);
  EXPECT_GE(counts[FixKind::kSafe], 45);
  EXPECT_GE(counts[FixKind::kDerived], 50);
  EXPECT_GE(counts[FixKind::kSource], 30);
}

// What became of the rules of all cases.
struct Tally {
  std::set<std::string> cases, silenced;
};

// Fixes a case with a profile, and tests what must be so whatever is fixed.
void FixCase(const std::string& id, const char* profile, std::map<std::string, Tally>* tallies) {
  const CaseFiles files = FilesOf(id);
  const std::vector<Source> sources = SourcesOf(files);
  const FixOptions options = Options(profile);
  const auto plan = MakePlan(sources, options);
  if (!plan.ok()) return;  // Damaged, or not all shards are there.
  std::set<std::string> before, after;
  std::vector<Source> fixed;
  for (size_t i = 0; i < sources.size(); ++i) {
    const PlannedFile& file = (*plan)[i];
    before.merge(RulesOf(file.before));
    after.merge(RulesOf(file.after));
    fixed.push_back(file.result != nullptr ? file.result->source() : sources[i]);
    EXPECT_EQ(file.changes.empty(), file.result == nullptr) << id;
    if (file.result == nullptr) continue;
    const std::string data = DataOf(sources[i]);
    EXPECT_TRUE(data.empty() || data == DataOf(file.result->source())) << id;
    // The bytes are those of the report.
    const std::string bytes = BytesOf(file.result->source());
    const FileReport again = Validate({AsBytes(bytes), sources[i].name}, options.profile, {});
    if (sources.size() == 1) {
      EXPECT_EQ(RulesOf(again), RulesOf(file.after)) << id;
    }
    for (const Change& change : file.changes) {
      EXPECT_NE(FixOf(*change.rule).by, FixMethod::kNothing) << id;
    }
  }
  for (const std::string& rule : before) {
    const FixKind kind = FixOf(*FindRule(rule)).fix;
    if (kind != FixKind::kSafe && kind != FixKind::kDerived) continue;
    Tally& tally = (*tallies)[rule];
    tally.cases.insert(id);
    if (after.count(rule) == 0) tally.silenced.insert(id);
  }
  if (fixed.empty() || before == after) return;
  const auto again = MakePlan(fixed, options);
  ASSERT_TRUE(again.ok()) << id << again.status();
  for (const PlannedFile& file : *again) EXPECT_EQ(file.result, nullptr) << id;
}

// Rows "rule, silenced, cases": a case is counted if the fix is proven in one of the profiles.
// Other cases have two meanings, or no candidate.
TEST(FixTest, EveryCase) {
  std::map<std::string, Tally> tallies;
  for (const Rule* rule : Catalogue()) {
    const FixKind kind = FixOf(*rule).fix;
    if (kind == FixKind::kSafe || kind == FixKind::kDerived) tallies[rule->id];
  }
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : ids) {
    for (const char* profile : {"upload", "spec", "llama.cpp"}) FixCase(id, profile, &tallies);
  }
  std::string seen;
  for (const auto& [rule, tally] : tallies) {
    absl::StrAppend(&seen, rule, "\t", tally.silenced.size(), "\t", tally.cases.size(), "\n");
  }
  EXPECT_EQ(seen, corpus::ReadFile(ProjectPath("conformance/golden/fixed_cases.tsv")).value());
}

// A version 2 file, whose version is one number.
TEST(FixTest, ReplacementsLieWithinTheFindings) {
  const CaseFiles files = FilesOf("header/either-version-2");
  const Source source = SourcesOf(files)[0];
  FixOptions options;
  FileReport report = Validate(source, options.profile, options.check);
  AddReplacements(source, options, &report);
  std::map<std::string, std::string> replacements;
  for (const Finding& finding : report.findings) {
    if (!finding.replacement.empty()) {
      replacements[finding.diagnostic.rule->id] = finding.replacement;
    }
  }
  EXPECT_THAT(replacements, testing::ElementsAre(testing::Pair("header-version-current",
                                                               std::string("\3\0\0\0", 4))));
}

TEST(FixTest, TheJsonObeysItsSchema) {
  const nlohmann::json schema = JsonFile("conformance/report/schemas/fix.schema.json");
  for (const char* id : {"header/either-version-2", "tensors/valid-f16"}) {
    const CaseFiles files = FilesOf(id);
    const auto plan = MakePlan(SourcesOf(files), Options("pedantic"));
    ASSERT_TRUE(plan.ok());
    for (const std::vector<std::string>& outputs : {std::vector<std::string>{}, {"b\xFF"}}) {
      const Json json = FixJson("pedantic", *plan, {"a"}, outputs);
      EXPECT_THAT(SchemaViolations(schema, nlohmann::json::parse(json.dump())), testing::IsEmpty());
    }
  }
}

}  // namespace
}  // namespace gguf
