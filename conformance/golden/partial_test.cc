// Cuts each case off where its keys, its tensor table and its data end.  What is left must have
// the findings that it had in the whole file, and no others but those about the cut.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/policy/policy.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/validate.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"
#include "parser/file.h"
#include "parser/foreign_type.h"
#include "parser/parse.h"
#include "re2/re2.h"

namespace gguf {
namespace {

constexpr int kParts = 4;
constexpr uint64_t kMostBytes = 1 << 20;

// Rules whose findings depend on where the file ends.
constexpr absl::string_view kAboutTheEnd[] = {
    "array-length-fits", "file-complete", "header-counts-fit", "last-tensor-padded",
    "no-trailing-data", "padding-zero", "tensor-data-contiguous", "tensor-data-disjoint",
    "tensor-data-in-file", "tensor-layout-of-type", "legacy-weights-fit",
    // These look for what follows the data, and at files that break other rules.
    "shards-not-joined", "header-once",
    // A legacy file has no counts, so what is left may be another whole file.
    // A llama without tensors is a vocabulary, for which few hyperparameters matter.
    "legacy-family-certain", "legacy-ftype-matches-tensors", "legacy-heads-divide-width",
    "legacy-hparams-nonzero", "legacy-hparams-plausible", "legacy-records-whole",
    "legacy-tensors-present",
    // Some hyper-parameters are dimensions of tensors.
    "architecture-hparams-consistent"};

// Rules that need the rest of the file, and those that such a finding replaces.
constexpr absl::string_view kAboutTheWhole[] = {"file-holds-no-program", "file-not-converted",
                                                "no-trailing-data"};

bool IsAboutTheWhole(const Rule& rule) {
  return std::find(std::begin(kAboutTheWhole), std::end(kAboutTheWhole), rule.id) !=
         std::end(kAboutTheWhole);
}

bool IsAboutTheEnd(const Rule& rule) {
  return std::find(std::begin(kAboutTheEnd), std::end(kAboutTheEnd), rule.id) !=
         std::end(kAboutTheEnd);
}

// All rules, with a policy that no file obeys.
struct Strictest {
  Strictest() : profile(*Profile::Find("pedantic")) {
    profile.EnablePreview();
    policy.file_name = std::make_shared<RE2>("none");
    policy.file_size = 0;
    policy.architectures = {"none"};
    policy.tensor_types = {"none"};
    policy.keys = {{"general.architecture", {"none"}}, {"no.such.key", {"*"}}};
    for (const Rule* rule : RulesOf(policy)) profile.Override(*rule, Severity::kError);
    expected.policy = &policy;
  }

  FileReport Check(Bytes prefix, uint64_t size) const {
    return Validate({prefix, size, "f.gguf"}, profile, {}, expected);
  }

  Profile profile;
  Policy policy;
  Expected expected;
};

// "rule subject begin end"
std::string Line(const Finding& finding) {
  const Diagnostic& d = finding.diagnostic;
  return absl::StrCat(d.rule->id, " ", d.subject, " ", d.where.begin, " ", d.where.end);
}

std::set<std::string> NotChecked(const FileReport& report) {
  std::set<std::string> ids;
  for (const auto& row : report.not_checked) ids.insert(row.rule->id);
  for (const auto& row : report.more) ids.insert(row.rule->id);
  return ids;
}

std::set<std::string> Lines(const FileReport& report) {
  std::set<std::string> lines;
  for (const Finding& finding : report.findings) lines.insert(Line(finding));
  return lines;
}

// Returns where a whole file is cut: after the keys, in the middle of the tensor table, after it,
// and before the last byte.
std::set<uint64_t> CutsOf(const File& file) {
  std::set<uint64_t> cuts = {file.size - 1};
  if (file.tensors.empty()) return cuts;
  const TensorInfo& last = file.tensors.back();
  if (file.legacy) {
    cuts.insert({file.tensors[0].n_dims.where.begin, last.n_dims.where.begin});
  } else {
    cuts.insert({file.keys.empty() ? 24 : file.keys.back().value.end, last.type.where.begin,
                 file.infos_end, (file.data_begin + file.size) / 2});
  }
  cuts.erase(cuts.lower_bound(file.size), cuts.end());
  return cuts;
}

// Returns whether the distances between the data of all tensors tell the type of one.
bool DependsOnDistances(const File& file) {
  return std::any_of(file.tensors.begin(), file.tensors.end(), [](const TensorInfo& tensor) {
    return !ForeignTypesOf(tensor.type.value).empty();
  });
}

class PartialTest : public testing::TestWithParam<int> {
 protected:
  void Compare(const FileReport& whole, const FileReport& part, uint64_t cut, bool header_only) {
    // Tensors tell the kind of some files.
    const bool is_misstated =
        std::any_of(whole.findings.begin(), whole.findings.end(), [](const Finding& finding) {
          return finding.diagnostic.rule->id == absl::string_view("kind-agrees-with-tensors");
        });
    if (part.kind && (part.kind != whole.kind || is_misstated)) return;
    const std::set<std::string> had = Lines(whole), has = Lines(part);
    const std::set<std::string> unchecked = NotChecked(part), unknown = NotChecked(whole);
    for (const Finding& finding : whole.findings) {
      const Diagnostic& d = finding.diagnostic;
      if ((IsAboutTheEnd(*d.rule) && !header_only) || IsAboutTheWhole(*d.rule) ||
          d.where.end > cut || unchecked.count(d.rule->id) > 0)
        continue;
      EXPECT_EQ(has.count(Line(finding)), 1u) << "lost: " << Line(finding);
    }
    for (const Finding& finding : part.findings) {
      const Rule& rule = *finding.diagnostic.rule;
      if ((IsAboutTheEnd(rule) && !header_only) || IsAboutTheWhole(rule) ||
          unknown.count(rule.id) > 0) {
        continue;
      }
      EXPECT_EQ(had.count(Line(finding)), 1u) << "new: " << Line(finding);
    }
  }

  const Strictest strictest_;
};

TEST_P(PartialTest, WhatIsLeftHasTheFindingsThatItHad) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  size_t cuts = 0;
  for (size_t i = GetParam(); i < ids.size(); i += kParts) {
    const corpus::Case a_case = corpus::ReadCase(ids[i], load(ids[i]).value(), load).value();
    const corpus::Image image = corpus::Assemble(a_case.document).value();
    if (image.size() > kMostBytes || image.size() == 0) continue;
    const CaseBytes content = CaseBytes::Make(image).value();
    const Bytes bytes = content.bytes();
    Diagnostics unused(0);
    const File file = Parse(bytes, Limits(), &unused);
    if (file.progress != Progress::kTensors || DependsOnDistances(file)) continue;
    const FileReport whole = strictest_.Check(bytes, bytes.size());
    for (const uint64_t cut : CutsOf(file)) {
      SCOPED_TRACE(absl::StrCat(ids[i], " cut at ", cut));
      Compare(whole, strictest_.Check(bytes.subspan(0, cut), cut), cut, false);
      ++cuts;
      // The rest exists, but is not read.
      if (file.legacy || cut < file.infos_end) continue;
      Compare(whole, strictest_.Check(bytes.subspan(0, cut), bytes.size()), cut, true);
    }
  }
  EXPECT_GT(cuts, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Parts, PartialTest, testing::Range(0, kParts));

}  // namespace
}  // namespace gguf
