// What the validator says about mutants, and what makes a group.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/fuzz/judge.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/readers/fuzz/mutants.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf::readers {
namespace {

using testing::Contains;

constexpr char kCases[] = "corpus/cases";

std::string FileOf(const std::string& id) {
  return corpus::Assemble(corpus::LoadCase(kCases, id).value().document).value().ToString();
}

const std::vector<std::string>& Ids() {
  static const auto& ids = *new std::vector<std::string>(corpus::ListCases(kCases).value());
  return ids;
}

Observation Verdict(OutcomeKind kind, const std::string& text = "") {
  Observation seen;
  seen.outcome = {kind, 0, "killed by SIGSEGV"};
  seen.answer.verdict =
      kind == OutcomeKind::kAccept ? AnswerVerdict::kAccept : AnswerVerdict::kReject;
  seen.answer.reject_class = "syntax";
  seen.answer.text = text;
  return seen;
}

// Returns "kind|key", or "".
std::string Judge(const Observation& seen, const std::string& file, const Caps& caps = {}) {
  const auto signature = SignatureOf({&seen, caps}, file, OpinionOf(file));
  return signature ? signature->key : "";
}

TEST(OpinionTest, OfEachCaseOfTheCorpus) {
  std::vector<std::string> wrong;
  for (const std::string& id : Ids()) {
    const corpus::Case a_case = corpus::LoadCase(kCases, id).value();
    const auto image = corpus::Assemble(a_case.document);
    if (!image.ok() || image->size() > kMostMutant || a_case.section == "legacy") continue;
    const Opinion opinion = OpinionOf(image->ToString());
    // Only invalid cases that every reader rejects break one of these rules.
    const bool must = a_case.verdict == corpus::Verdict::kInvalid && a_case.level == "must";
    if (!opinion.must.empty() && !must) wrong.push_back(id + " must " + opinion.must);
    // Whatever is plain, a reader of containers accepts.
    const bool invalid = a_case.verdict == corpus::Verdict::kInvalid && a_case.scope == "container";
    if (opinion.plain && invalid) wrong.push_back(id + " plain");
  }
  EXPECT_THAT(wrong, testing::IsEmpty());
}

TEST(OpinionTest, EachMustRuleIsBrokenByACase) {
  std::vector<std::string> broken;
  for (const std::string& id : Ids()) {
    if (!absl::StrContains(id, "/invalid-")) continue;
    const corpus::Case a_case = corpus::LoadCase(kCases, id).value();
    for (const corpus::Expectation& expectation : a_case.expectations) {
      for (const auto& finding : expectation.findings) broken.push_back(finding.rule);
    }
  }
  for (const absl::string_view rule : MustRules()) {
    EXPECT_THAT(broken, Contains(std::string(rule)));
  }
}

TEST(OpinionTest, SeedsArePlain) {
  for (const std::string& seed : BuiltInSeeds()) {
    const Opinion opinion = OpinionOf(seed);
    EXPECT_EQ(opinion.must, "");
    EXPECT_EQ(opinion.first, "");
  }
  EXPECT_TRUE(OpinionOf(FileOf("header/valid-one-key")).plain);
  EXPECT_FALSE(OpinionOf(FileOf("header/either-big-endian")).plain);
  EXPECT_FALSE(OpinionOf("").plain);
}

TEST(SignatureTest, WrongVerdicts) {
  const std::string good = FileOf("header/valid-one-key");
  const std::string bad = FileOf("layout/invalid-alignment-0");
  EXPECT_EQ(Judge(Verdict(OutcomeKind::kAccept), good), "");
  EXPECT_EQ(Judge(Verdict(OutcomeKind::kReject), bad), "");
  EXPECT_EQ(Judge(Verdict(OutcomeKind::kAccept), bad), "false-accept|alignment-nonzero");
  EXPECT_EQ(Judge(Verdict(OutcomeKind::kReject, "at 12"), good), "false-reject|syntax|at #");
  Caps models;
  models.models = true;
  EXPECT_EQ(Judge(Verdict(OutcomeKind::kReject, "no model"), good, models), "");
}

TEST(SignatureTest, WrongValues) {
  Caps caps;
  caps.kv = true;
  Observation seen = Verdict(OutcomeKind::kAccept);
  const std::string good = FileOf("header/valid-one-key");
  EXPECT_THAT(Judge(seen, good, caps), testing::StartsWith("wrong-values|L2|"));
  seen.answer.kv.push_back({"general.architecture", "str 74657374"});
  EXPECT_EQ(Judge(seen, good, caps), "");
}

TEST(SignatureTest, AnotherReaderIsTheJudge) {
  const Observation accepts = Verdict(OutcomeKind::kAccept),
                    rejects = Verdict(OutcomeKind::kReject, "5 no");
  const std::string bad = FileOf("layout/invalid-alignment-0");
  const Opinion opinion = OpinionOf(bad);
  EXPECT_EQ(SignatureOf({&accepts, {}, &accepts, {}}, bad, opinion), std::nullopt);
  EXPECT_EQ(SignatureOf({&accepts, {}, &rejects, {}}, bad, opinion)->key, "false-accept|# no");
  EXPECT_EQ(SignatureOf({&rejects, {}, &accepts, {}}, bad, opinion)->key, "false-reject|# no");
}

TEST(SignatureTest, ACrashIsGroupedByItsStackOrByTheRule) {
  Observation seen = Verdict(OutcomeKind::kCrash);
  EXPECT_EQ(Judge(seen, FileOf("layout/invalid-alignment-0")),
            "crash|killed by SIGSEGV|alignment-nonzero");
  EXPECT_EQ(Judge(seen, FileOf("header/valid-one-key")),
            "crash|killed by SIGSEGV|a valid container");
  seen.failure = {"SEGV", "", {"read_text", "main"}, false};
  EXPECT_EQ(Judge(seen, FileOf("header/valid-one-key")), "access|read_text|main");
  seen.outcome.kind = OutcomeKind::kHang;  // Its stack is where it was killed.
  EXPECT_EQ(Judge(seen, FileOf("header/valid-one-key")), "hang|a valid container");
}

TEST(FeaturesTest, APairOfRuleAndOutcomeIsNew) {
  const Opinion opinion = OpinionOf(FileOf("layout/invalid-alignment-0"));
  MutantPool pool({"x"});
  EXPECT_TRUE(pool.Consider("a", FeaturesOf(Verdict(OutcomeKind::kReject, "at 1"), opinion)));
  EXPECT_FALSE(pool.Consider("b", FeaturesOf(Verdict(OutcomeKind::kReject, "at 2"), opinion)));
  EXPECT_TRUE(pool.Consider("b", FeaturesOf(Verdict(OutcomeKind::kReject, "in 2"), opinion)));
  EXPECT_TRUE(pool.Consider("c", FeaturesOf(Verdict(OutcomeKind::kReject, "at 2"), Opinion())) ||
              pool.features() > 0);
}

}  // namespace

}  // namespace gguf::readers
