// Checks that the predictions about readers agree with what they did with the
// corpus: observed_readers.tsv.
//
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/readers.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using Line = std::vector<std::string>;

// Returns the lines of a table, its header first.
std::vector<Line> ReadTable(const std::string& path) {
  std::vector<Line> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') {
      lines.push_back(absl::StrSplit(line, '\t'));
    }
  }
  EXPECT_GT(lines.size(), 1u) << path;
  return lines;
}

// Returns case and reader of the predictions that are known to be wrong; rows
// loader/... are about other files.
std::set<std::pair<std::string, std::string>> KnownDifferences() {
  std::set<std::pair<std::string, std::string>> known;
  for (const Line& line : ReadTable("conformance/external/known_differences.tsv")) {
    if (line[0] == "case" || absl::StartsWith(line[0], "loader/")) continue;
    known.emplace(line[0], line[1]);
  }
  return known;
}

// Returns a prediction in the words of the table: takes, refuses-context, dies-run.
std::string Predicted(const ReaderVerdict& verdict) {
  if (verdict.effect < ReaderEffect::kUnknown) return "takes";
  const std::string word = verdict.effect == ReaderEffect::kCrashes ? "dies" : "refuses";
  return verdict.stage == "load" ? word : absl::StrCat(word, "-", verdict.stage);
}

// Whether a prediction agrees with an observation.  Unknown predicts nothing.  Only llama.cpp was
// run beyond its loader; of the others, the table does not tell a refusal from a death for certain.
bool Agrees(const ReaderVerdict& verdict, const std::string& observed) {
  if (verdict.effect == ReaderEffect::kUnknown) return true;
  if (verdict.reader->name == absl::string_view("llama.cpp")) return Predicted(verdict) == observed;
  return (Predicted(verdict) == "takes") == (observed == "takes");
}

// Returns the predictions for the file of a case, if its bytes are those that were read.
std::vector<ReaderVerdict> PredictionsFor(corpus::Case a_case, const std::string& digest,
                                          const corpus::Loader& load) {
  a_case.set.clear();
  const corpus::Image image = corpus::Assemble(a_case.document).value();
  if (!absl::StartsWith(corpus::Sha256(image), digest)) return {};
  return Verdicts(a_case, CaseFiles::Make(a_case, load).value());
}

TEST(ObservedReadersTest, AgreeWithThePredictions) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::vector<Line> lines = ReadTable("conformance/golden/observed_readers.tsv");
  auto known = KnownDifferences();
  size_t compared = 0, unknown = 0;
  std::set<std::string> stale;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::string id = lines[i][0];
    const auto text = load(id);
    std::vector<ReaderVerdict> verdicts;
    if (text.ok()) {
      verdicts = PredictionsFor(corpus::ReadCase(id, *text, load).value(), lines[i][1], load);
    }
    if (verdicts.empty()) stale.insert(id);
    for (const ReaderVerdict& verdict : verdicts) {
      const Line& names = lines[0];
      const std::string reader = verdict.reader->name;
      const size_t column = std::find(names.begin(), names.end(), reader) - names.begin();
      if (column == names.size()) continue;  // Predicted from its source only.
      if (lines[i][column] == "-") continue;
      ++compared;
      unknown += verdict.effect == ReaderEffect::kUnknown;
      const bool agrees = Agrees(verdict, lines[i][column]);
      EXPECT_EQ(agrees, known.erase({id, reader}) == 0)
          << id << ": " << reader << " " << lines[i][column] << " it, but the prediction is "
          << Predicted(verdict);
    }
  }
  for (const auto& [id, reader] : known) {
    EXPECT_EQ(stale.count(id), 1u) << id << ", " << reader << ": known to differ, but not compared";
  }
  std::cout << compared << " compared, " << unknown << " not predicted, " << stale.size()
            << " cases have changed since they were read\n";
  EXPECT_LT(stale.size(), lines.size() / 10) << "run the readers again";
  EXPECT_LT(unknown, compared / 100);
}

}  // namespace
}  // namespace gguf
