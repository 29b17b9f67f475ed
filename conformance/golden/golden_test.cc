// Checks that each case of the corpus gives exactly the findings that it
// states, and the predictions about readers of predictions.tsv.
//
//   bazel run //conformance/golden:golden_test -- --update [--filter=GLOB]
//
// writes the observed findings into the cases, the predictions into the table, and an example
// of each rule's message into conformance/tables/rule_examples.tsv, instead; review the changes.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/golden.h"

#include <fnmatch.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/profile.h"
#include "conformance/tables/readers.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using corpus::Case;
using corpus::Expectation;

// The expected and the observed findings of a case.
struct Seen {
  std::string text;
  Case a_case;
  std::vector<Expectation> expectations;
  std::string dump;
  std::string predictions;
  // The rule of the first finding, of the profile upload or else of another one, and its subject
  // and message; whether no other rule has a finding.
  std::string rule, message;
  bool is_alone = false;
  double slowest_ms = 0;  // CPU time of a check.

  std::string Updated() const { return corpus::ReplaceExpectation(text, expectations, dump); }
};

constexpr char kPredictions[] = "conformance/golden/predictions.tsv";
constexpr char kAboutPredictions[] =
    "# What check --readers predicts for each case: a letter for each reader, in the order of\n"
    "# conformance/tables/readers.tsv, with which the effect begins: accepts, degrades, unknown,\n"
    "# rejects, crashes.  golden_test --update writes the rows.\n"
    "#\n"
    "# SPDX-License-Identifier: Apache-2.0\n";
constexpr char kPredictionsHeader[] = "case\teffects";

constexpr char kExamples[] = "conformance/tables/rule_examples.tsv";
constexpr char kAboutExamples[] =
    "# A message of each rule, from a case of the corpus that violates only this rule.\n"
    "# golden_test --update writes the rows.\n"
    "#\n"
    "# SPDX-License-Identifier: Apache-2.0\n";
constexpr char kExamplesHeader[] = "rule!:text\tcase:comment\tmessage:text";

std::string ReaderNames() {
  return absl::StrJoin(kReaders, ", ", [](std::string* out, const Reader& reader) {
    absl::StrAppend(out, reader.name);
  });
}

// All cases state upload, and these profiles where they differ from it.
constexpr const char* kProfiles[] = {"upload", "spec", "llama.cpp", "safety"};

bool IsOurs(const std::string& profile) {
  return std::find(std::begin(kProfiles), std::end(kProfiles), profile) != std::end(kProfiles);
}

std::vector<std::string> ProfilesOf(const Case& a_case) {
  std::vector<std::string> profiles(std::begin(kProfiles), std::end(kProfiles));
  for (const Expectation& expectation : a_case.expectations) {
    if (!IsOurs(expectation.profile)) profiles.push_back(expectation.profile);
  }
  return profiles;
}

bool IsWorthStating(const Seen& seen, const Expectation& expectation) {
  if (seen.expectations.empty() || !IsOurs(expectation.profile)) return true;
  const Expectation& upload = seen.expectations[0];
  return upload.incomplete != expectation.incomplete || upload.findings != expectation.findings;
}

absl::StatusOr<Seen> Look(const std::string& id) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  Seen seen;
  const absl::StatusOr<std::string> text = load(id);
  if (!text.ok()) return text.status();
  seen.text = *text;
  absl::StatusOr<Case> read = corpus::ReadCase(id, *text, load);
  if (!read.ok()) return read.status();
  seen.a_case = *std::move(read);
  const absl::StatusOr<CaseFiles> files = CaseFiles::Make(seen.a_case, load);
  if (!files.ok()) return files.status();

  for (const std::string& profile : ProfilesOf(seen.a_case)) {
    if (Profile::Find(profile) == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("there is no profile ", profile));
    }
    const std::clock_t begin = std::clock();
    const FileReport report = CheckCase(seen.a_case, *files, profile);
    seen.slowest_ms = std::max(seen.slowest_ms, 1000.0 * (std::clock() - begin) / CLOCKS_PER_SEC);
    Expectation seen_with = ExpectationOf(report, profile);
    if (seen.rule.empty() && !report.findings.empty()) {
      const Diagnostic& first = report.findings[0].diagnostic;
      seen.rule = first.rule->id;
      seen.message = absl::StrCat(first.subject, " ", first.message);
      seen.is_alone = std::all_of(report.findings.begin(), report.findings.end(),
                                  [&](const auto& f) { return f.diagnostic.rule == first.rule; });
    }
    if (IsWorthStating(seen, seen_with)) {
      seen.expectations.push_back(std::move(seen_with));
    }
  }
  if (seen.a_case.verdict == corpus::Verdict::kValid) {
    seen.dump = ObserveDump(files->files[0].content.bytes());
  }
  seen.predictions = Predictions(seen.a_case, *files);
  return seen;
}

bool HasError(const Expectation& expectation) {
  return std::any_of(expectation.findings.begin(), expectation.findings.end(),
                     [](const auto& finding) { return finding.severity == "error"; });
}

// What upload allows may still harm a careless reader.
bool IsUnsafe(const Expectation& expectation) {
  return expectation.profile == "safety" && HasError(expectation);
}

using Table = std::map<std::string, std::string>;

// Returns the rows of a table, by their first cell.
Table ReadRows(const char* path, const char* header) {
  Table rows;
  std::ifstream in(ProjectPath(path));
  for (std::string line; std::getline(in, line);) {
    if (line[0] == '#' || line == header) continue;
    rows.insert(
        std::pair<std::string, std::string>(absl::StrSplit(line, absl::MaxSplits('\t', 1))));
  }
  return rows;
}

bool WriteRows(const char* path, const char* about, const char* header, const Table& rows) {
  std::ofstream out(ProjectPath(path));
  out << about << header << "\n";
  for (const auto& [first, rest] : rows) out << first << "\t" << rest << "\n";
  return out.flush().good();
}

Table ReadPredictions() { return ReadRows(kPredictions, kPredictionsHeader); }

// Makes a case the example of its rule, unless a better one is.
void AddExample(const std::string& id, const Seen& seen, Table* examples) {
  if (!seen.is_alone || FindRule(seen.rule)->id != seen.rule) return;
  const auto better = [&](const std::string& other) { return other.size() < id.size(); };
  const auto row = examples->find(seen.rule);
  if (row != examples->end() && better(row->second.substr(0, row->second.find('\t')))) return;
  (*examples)[seen.rule] = absl::StrCat(id, "\t", seen.message);
}

class GoldenTest : public testing::Test {
 public:
  explicit GoldenTest(std::string id) : id_(std::move(id)) {}

  void TestBody() override {
    const absl::StatusOr<Seen> seen = Look(id_);
    ASSERT_TRUE(seen.ok()) << id_ << ".gguft: " << seen.status().message();
    EXPECT_EQ(seen->text, seen->Updated())
        << "bazel run //conformance/golden:golden_test -- --update; then review the difference";
    static const Table& predictions = *new Table(ReadPredictions());
    const auto row = predictions.find(id_);
    EXPECT_EQ(seen->predictions, row == predictions.end() ? "" : row->second)
        << "the predictions for " << ReaderNames() << " are not those of " << kPredictions
        << "; update it in the same way";
    static const Table& examples = *new Table(ReadRows(kExamples, kExamplesHeader));
    const auto example = examples.find(seen->rule);
    if (example != examples.end() && absl::StartsWith(example->second, id_ + "\t")) {
      EXPECT_EQ(example->second, absl::StrCat(id_, "\t", seen->message))
          << "update " << kExamples << " in the same way";
    }
    EXPECT_LE(seen->slowest_ms, seen->a_case.budget_ms);
    const Expectation& upload = seen->expectations[0];
    switch (seen->a_case.verdict) {
      case corpus::Verdict::kValid:
        EXPECT_FALSE(HasError(upload)) << "a valid- case has an error";
        break;
      case corpus::Verdict::kInvalid:
        EXPECT_TRUE(upload.incomplete || HasError(upload) ||
                    std::any_of(seen->expectations.begin(), seen->expectations.end(), IsUnsafe))
            << "an invalid- case has no error under upload or safety";
        break;
      case corpus::Verdict::kEither:
        break;
    }
  }

 private:
  const std::string id_;
};

TEST(PredictionsTest, EachRowHasACase) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  for (const auto& [id, effects] : ReadPredictions()) EXPECT_TRUE(load(id).ok()) << id;
}

TEST(RuleExamplesTest, EachHasItsCase) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  for (const auto& [rule, example] : ReadRows(kExamples, kExamplesHeader)) {
    EXPECT_NE(FindRule(rule), nullptr) << rule;
    EXPECT_TRUE(load(example.substr(0, example.find('\t'))).ok()) << example;
  }
}

// Returns the number of cases that could not be read.
int Update(const std::vector<std::string>& ids, bool all) {
  int failed = 0;
  Table predictions = ReadPredictions();
  Table examples = ReadRows(kExamples, kExamplesHeader);
  if (all) {
    predictions.clear();
    examples.clear();
  }
  for (const std::string& id : ids) {
    const absl::StatusOr<Seen> seen = Look(id);
    if (!seen.ok()) {
      std::cerr << id << ".gguft: " << seen.status().message() << "\n";
      ++failed;
      continue;
    }
    predictions[id] = seen->predictions;
    AddExample(id, *seen, &examples);
    if (seen->text == seen->Updated()) continue;
    std::ofstream file(absl::StrCat(CasesFolder(), "/", id, ".gguft"));
    if (!(file << seen->Updated()).flush()) {
      std::cerr << "cannot write " << id << ".gguft\n";
      ++failed;
      continue;
    }
    std::cout << "updated " << id << "\n";
  }
  if (!WriteRows(kPredictions, kAboutPredictions, kPredictionsHeader, predictions) ||
      !WriteRows(kExamples, kAboutExamples, kExamplesHeader, examples)) {
    std::cerr << "cannot write " << kPredictions << " or " << kExamples << "\n";
    ++failed;
  }
  return failed;
}

int Run(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bool update = false;
  std::string filter = "*";
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    if (arg == "--update") {
      update = true;
    } else if (absl::ConsumePrefix(&arg, "--filter=")) {
      filter = std::string(arg);
    } else {
      std::cerr << "no such flag: " << arg << "\n";
      return 2;
    }
  }
  absl::StatusOr<std::vector<std::string>> ids = corpus::ListCases(CasesFolder());
  if (!ids.ok()) {
    std::cerr << ids.status().message() << "\n";
    return 1;
  }
  ids->erase(std::remove_if(ids->begin(), ids->end(),
                            [&](const std::string& id) {
                              return fnmatch(filter.c_str(), id.c_str(), 0) != 0;
                            }),
             ids->end());
  if (ids->empty()) {
    std::cerr << "no case matches " << filter << "\n";
    return 1;
  }
  if (update) return Update(*ids, filter == "*");
  for (const std::string& id : *ids) {
    testing::RegisterTest("GoldenTest", id.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [id] { return new GoldenTest(id); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) { return gguf::Run(argc, argv); }
