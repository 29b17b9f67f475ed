// Fixes every case of the corpus in memory: rules that can be fixed are silent afterwards, tensors
// keep their bytes, and nothing else is changed.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/fix/plan.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"
#include "parser/parse.h"

namespace gguf {
namespace {

FixOptions Options() {
  FixOptions options;
  options.is_unsafe = true;
  options.profile = *Profile::Find("pedantic");
  options.profile.EnablePreview();
  options.check.limits.seconds = 10;
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
    if (!tensor.bytes || !IsInFile(file, tensor) || *tensor.bytes == 0) continue;
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

TEST(FixTest, TensorsKeepTheirBytesInEveryCase) {
  std::map<std::string, std::pair<int, int>> by_rule;
  const char* const filter = std::getenv("FIX_CASE");
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : ids) {
    if (filter != nullptr && !absl::StrContains(id, filter)) continue;
    const CaseFiles files = FilesOf(id);
    const std::vector<Source> sources = SourcesOf(files);
    const FixOptions options = Options();
    const auto plan = MakePlan(sources, options);
    if (!plan.ok()) continue;
    std::set<std::string> before, after;
    bool changed = false;
    std::vector<Source> fixed;
    for (size_t i = 0; i < sources.size(); ++i) {
      const PlannedFile& file = (*plan)[i];
      before.merge(RulesOf(file.before));
      after.merge(RulesOf(file.after));
      fixed.push_back(file.result != nullptr ? file.result->source() : sources[i]);
      if (file.result == nullptr) continue;
      changed = true;
      EXPECT_EQ(DataOf(sources[i]), DataOf(file.result->source())) << id;
    }
    for (const std::string& rule : before) {
      const FixKind kind = FixOf(*FindRule(rule)).fix;
      if (kind != FixKind::kSafe && kind != FixKind::kDerived) continue;
      ++by_rule[rule].first;
      if (after.count(rule) == 0) {
        ++by_rule[rule].second;
      } else if (filter != nullptr || std::getenv("FIX_VERBOSE") != nullptr) {
        for (const PlannedFile& f : *plan) {
          for (const Finding& finding : f.after.findings) {
            if (finding.diagnostic.rule->id != rule) continue;
            std::cout << "LEFT\t" << rule << "\t" << id << "\t" << finding.diagnostic.subject << " "
                      << finding.diagnostic.message << "\n";
            break;
          }
        }
      }
    }
    if (filter != nullptr) {
      for (const PlannedFile& f : *plan) {
        for (const Change& c : f.changes) {
          std::cout << id << " " << c.subject << ": " << c.from << " -> " << c.to << " ["
                    << (c.rule ? c.rule->id : "") << "]\n";
        }
      }
    }
    if (!changed) continue;
    const auto again = MakePlan(fixed, options);
    ASSERT_TRUE(again.ok()) << id << again.status();
    for (const PlannedFile& file : *again) EXPECT_EQ(file.result, nullptr) << id;
  }
  for (const auto& [rule, counts] : by_rule) {
    std::cout << "RULE\t" << rule << "\t" << counts.second << "/" << counts.first << "\n";
  }
}

}  // namespace
}  // namespace gguf
