// The conditions on hyperparameters find nothing in those of published models.
//
// SPDX-License-Identifier: Apache-2.0

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/tables/hparam_rules.h"
#include "conformance/testing/findings.h"
#include "conformance/testing/tiny_model.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

bool IsAboutHparams(absl::string_view rule) {
  for (const HparamRow& row : kHparamRules) {
    if (rule == row.rule) return true;
  }
  return false;
}

// The keys alone: the rules about them do not need the tensors.
std::string FileOf(const std::string& architecture, absl::string_view keys) {
  TinyModel model;
  model.AddKey("general.architecture", absl::StrCat("str ", architecture));
  for (const absl::string_view key : absl::StrSplit(keys, "; ")) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(key, absl::MaxSplits(' ', 1));
    model.AddKey(absl::StrCat(architecture, ".", parts.first), parts.second);
  }
  return model.Build();
}

TEST(PublishedConfigurationsTest, HaveNoErrors) {
  std::ifstream file("conformance/model/published_configurations.tsv");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = absl::StrSplit(line, '\t');
    if (cells.size() != 3 || cells[0] == "configuration") continue;
    ++count;
    for (const std::string& finding : ModelFindings(FileOf(cells[1], cells[2]))) {
      const std::vector<std::string> words = absl::StrSplit(finding, ' ');
      EXPECT_FALSE(words[0] == "error" && IsAboutHparams(words[1])) << cells[0] << ": " << finding;
    }
  }
  EXPECT_GE(count, 60);
}

}  // namespace
}  // namespace gguf
