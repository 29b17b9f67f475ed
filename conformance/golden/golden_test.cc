// Each case of the corpus gives exactly the findings that it states.
//
//   bazel run //conformance/golden:golden_test -- --update [--filter=GLOB]
//
// writes what the validator says into the cases instead: to be reviewed.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/golden/golden.h"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "conformance/rules/profile.h"
#include "corpus/assemble.h"
#include "corpus/case.h"
#include "corpus/image.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using corpus::Case;
using corpus::Expectation;

// What a case says, and what the validator says of it.
struct Seen {
  std::string text;
  Case a_case;
  std::vector<Expectation> expectations;
  std::string dump;

  std::string Updated() const {
    return corpus::ReplaceExpectation(text, expectations, dump);
  }
};

absl::StatusOr<Seen> Look(const std::string& id) {
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  Seen seen;
  const absl::StatusOr<std::string> text = load(id);
  if (!text.ok()) return text.status();
  seen.text = *text;
  absl::StatusOr<Case> read = corpus::ReadCase(id, *text, load);
  if (!read.ok()) return read.status();
  seen.a_case = *std::move(read);
  const absl::StatusOr<corpus::Image> image =
      corpus::Assemble(seen.a_case.document);
  if (!image.ok()) return image.status();
  const absl::StatusOr<CaseBytes> bytes = CaseBytes::Make(*image);
  if (!bytes.ok()) return bytes.status();

  std::vector<std::string> profiles = {Profile::kDefault};
  for (const Expectation& expectation : seen.a_case.expectations) {
    if (expectation.profile == Profile::kDefault) continue;
    if (Profile::Find(expectation.profile) == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("there is no profile ", expectation.profile));
    }
    profiles.push_back(expectation.profile);
  }
  for (const std::string& profile : profiles) {
    seen.expectations.push_back(Observe(seen.a_case, bytes->bytes(), profile));
  }
  if (seen.a_case.verdict == corpus::Verdict::kValid) {
    seen.dump = ObserveDump(bytes->bytes());
  }
  return seen;
}

bool HasError(const Expectation& expectation) {
  return std::any_of(
      expectation.findings.begin(), expectation.findings.end(),
      [](const auto& finding) { return finding.severity == "error"; });
}

class GoldenTest : public testing::Test {
 public:
  explicit GoldenTest(std::string id) : id_(std::move(id)) {}

  void TestBody() override {
    const absl::StatusOr<Seen> seen = Look(id_);
    ASSERT_TRUE(seen.ok()) << id_ << ".gguft: " << seen.status().message();
    EXPECT_EQ(seen->text, seen->Updated())
        << "bazel run //conformance/golden:golden_test -- --update; then "
           "review the difference";
    const Expectation& upload = seen->expectations[0];
    switch (seen->a_case.verdict) {
      case corpus::Verdict::kValid:
        EXPECT_FALSE(HasError(upload)) << "a valid- case has an error";
        break;
      case corpus::Verdict::kInvalid:
        EXPECT_TRUE(HasError(upload) || upload.incomplete)
            << "an invalid- case has no error under upload";
        break;
      case corpus::Verdict::kEither:
        break;
    }
  }

 private:
  const std::string id_;
};

// Returns the number of cases that could not be read.
int Update(const std::vector<std::string>& ids) {
  int failed = 0;
  for (const std::string& id : ids) {
    const absl::StatusOr<Seen> seen = Look(id);
    if (!seen.ok()) {
      std::cerr << id << ".gguft: " << seen.status().message() << "\n";
      ++failed;
      continue;
    }
    if (seen->text == seen->Updated()) continue;
    std::ofstream(absl::StrCat(CasesFolder(), "/", id, ".gguft"))
        << seen->Updated();
    std::cout << "updated " << id << "\n";
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
    }
  }
  absl::StatusOr<std::vector<std::string>> ids =
      corpus::ListCases(CasesFolder());
  if (!ids.ok()) {
    std::cerr << ids.status().message() << "\n";
    return 1;
  }
  ids->erase(std::remove_if(ids->begin(), ids->end(),
                            [&](const std::string& id) {
                              return fnmatch(filter.c_str(), id.c_str(), 0) !=
                                     0;
                            }),
             ids->end());
  if (update) return Update(*ids);
  for (const std::string& id : *ids) {
    testing::RegisterTest("GoldenTest", id.c_str(), nullptr, nullptr, __FILE__,
                          __LINE__, [id] { return new GoldenTest(id); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace gguf

int main(int argc, char** argv) { return gguf::Run(argc, argv); }
