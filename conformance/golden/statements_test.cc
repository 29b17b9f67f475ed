// Compares docs/statements.tsv with the catalogue and the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/engine/statements.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/engine/catalogue.h"
#include "conformance/golden/golden.h"
#include "corpus/language/case.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

std::string NameOf(const Statement& statement) {
  return absl::StrCat(statement.document, " ", statement.line, ": ",
                      statement.text);
}

// The rules that cases report, and those that one of their variants reports:
// pairs of a case and a rule.
struct Shown {
  std::set<std::string> cases;
  std::set<std::pair<std::string, std::string>> by_case;
  std::set<std::pair<std::string, std::string>> by_neighbour;

  bool Shows(absl::string_view id, absl::string_view rule) const {
    const std::pair<std::string, std::string> key(id, rule);
    return by_case.count(key) > 0 || by_neighbour.count(key) > 0;
  }
};

Shown ReadCorpus() {
  Shown shown;
  const corpus::Loader load = corpus::FolderLoader(CasesFolder());
  const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
  for (const std::string& id : ids) {
    const corpus::Case a_case =
        corpus::ReadCase(id, load(id).value(), load).value();
    shown.cases.insert(id);
    for (const corpus::Expectation& expectation : a_case.expectations) {
      for (const auto& finding : expectation.findings) {
        shown.by_case.emplace(id, finding.rule);
        shown.by_neighbour.emplace(a_case.base, finding.rule);
      }
    }
  }
  return shown;
}

TEST(StatementsTest, EachHasRulesAndACaseOrAReason) {
  const Shown shown = ReadCorpus();
  for (const Statement& statement : Statements()) {
    const std::string name = NameOf(statement);
    EXPECT_FALSE(statement.text.empty()) << name;
    if (statement.rules.empty()) {
      EXPECT_FALSE(statement.why.empty()) << name << " has no rule and no why";
      EXPECT_TRUE(statement.case_id.empty()) << name;
      continue;
    }
    EXPECT_TRUE(statement.why.empty()) << name;
    for (const absl::string_view rule : statement.rules) {
      EXPECT_NE(FindRule(rule), nullptr) << name << " names " << rule;
    }
    EXPECT_EQ(shown.cases.count(std::string(statement.case_id)), 1)
        << name << ": there is no case " << statement.case_id;
    EXPECT_TRUE(std::any_of(statement.rules.begin(), statement.rules.end(),
                            [&](absl::string_view rule) {
                              return shown.Shows(statement.case_id, rule);
                            }))
        << name << ": neither " << statement.case_id
        << " nor a case that is based on it reports one of the rules";
  }
}

// Returns whether the citation begins with one of the documents.
bool CitesADocument(const Rule& rule) {
  const absl::string_view citation = rule.citation;
  if (absl::StartsWith(citation, "gguf.md is silent")) return false;
  return absl::StartsWith(citation, "gguf.md") ||
         absl::StartsWith(citation, "rwkv.cpp");
}

TEST(StatementsTest, EachRuleThatCitesADocumentHasAStatement) {
  for (const Check& check : Catalogue()) {
    if (!CitesADocument(*check.rule)) continue;
    EXPECT_FALSE(LinesOf(check.rule->id).empty())
        << check.rule->id << " cites a document: add the statement to "
        << "docs/statements.tsv";
  }
}

TEST(StatementsTest, NoStatementOccursTwice) {
  std::set<std::string> names;
  for (const Statement& statement : Statements()) {
    EXPECT_TRUE(names.insert(NameOf(statement)).second) << NameOf(statement);
  }
}

TEST(StatementsTest, LinesAreListedByDocument) {
  EXPECT_EQ(LinesOf("value-allowed"), "gguf.md 603");
  EXPECT_EQ(LinesOf("key-ascii"), "gguf.md 233; first draft 116");
  EXPECT_EQ(LinesOf("architecture-known"),
            "gguf.md 343-351; first draft 201-208");
  EXPECT_EQ(LinesOf("key-unique"), "");
}

}  // namespace
}  // namespace gguf
