// Compares docs/statements.tsv with the catalogue and the corpus.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/rules/statements.h"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "conformance/golden/golden.h"
#include "conformance/rules/catalogue.h"
#include "conformance/rules/file_report.h"
#include "conformance/tables/statements.h"
#include "corpus/language/case.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "parser/diagnostic.h"
#include "re2/re2.h"

namespace gguf {
namespace {

std::string NameOf(const Statement& statement) {
  return absl::StrCat(statement.document, " ", statement.line, ": ", statement.text);
}

using corpus::Case;
using corpus::Verdict;

// The cases, the rules that they report, and those that one of their variants
// reports: pairs of a case and a rule.
struct Corpus {
  corpus::Loader load = corpus::FolderLoader(CasesFolder());
  std::map<std::string, Case, std::less<>> cases;
  std::set<std::pair<std::string, std::string>> by_case;
  std::set<std::pair<std::string, std::string>> by_neighbour;
};

const Corpus& TheCorpus() {
  static const Corpus& the_corpus = *[] {
    auto* const made = new Corpus;
    const std::vector<std::string> ids = corpus::ListCases(CasesFolder()).value();
    for (const std::string& id : ids) {
      Case a_case = corpus::ReadCase(id, made->load(id).value(), made->load).value();
      for (const corpus::Expectation& expectation : a_case.expectations) {
        for (const auto& finding : expectation.findings) {
          made->by_case.emplace(id, finding.rule);
          made->by_neighbour.emplace(a_case.base, finding.rule);
        }
      }
      made->cases.emplace(id, std::move(a_case));
    }
    return made;
  }();
  return the_corpus;
}

// Whether the case reports one of the rules; a variant of it may do so instead,
// unless it is invalid.
bool ReportsOneOf(const Case& a_case, const Texts& rules) {
  const Corpus& all = TheCorpus();
  return absl::c_any_of(rules, [&](absl::string_view rule) {
    const std::pair<std::string, std::string> of_case(a_case.id, rule);
    return all.by_case.count(of_case) > 0 ||
           (a_case.verdict != Verdict::kInvalid && all.by_neighbour.count(of_case) > 0);
  });
}

// Returns the keys, tensors and values that a statement names: each word with a
// dot or an underscore inside, and each text between backquotes.
std::vector<std::string> NamesIn(absl::string_view text) {
  static const RE2& name =
      *new RE2("`([^`]+)`|([\\w{}\\[\\]-]+(?:\\.[\\w{}\\[\\]-]+)+|\\w*[A-Za-z0-9]_\\w+)");
  std::vector<std::string> names;
  re2::StringPiece rest(text.data(), text.size());
  std::string quoted, word;
  while (RE2::FindAndConsume(&rest, name, &quoted, &word)) {
    names.push_back(quoted.empty() ? word : quoted);
  }
  return names;
}

// Whether the name occurs in the text, and not as a part of another.  [llm]
// stands for an architecture, {id} and the N of blk.N for a number; a tensor
// may have a suffix.
bool Names(absl::string_view text, absl::string_view name) {
  const std::string quoted = absl::StrReplaceAll(
      RE2::QuoteMeta(re2::StringPiece(name.data(), name.size())),
      {{"\\[llm\\]", "[a-z0-9]+"}, {"\\{id\\}", "[0-9]+"}, {"blk\\.N\\.", "blk\\.[0-9]+\\."}});
  const char* const before = absl::StrContains(name, '.') ? "[^\\w.]" : "\\W";
  return RE2::PartialMatch(
      re2::StringPiece(text.data(), text.size()),
      absl::StrCat("(?:^|", before, ")", quoted, "(?:\\.weight|\\.bias)?(?:[^\\w.]|\\.\\s|$)"));
}

// What ggufcheck says about a case and what it reads in it.
struct Seen {
  FileReport report;  // Of the profile that has all rules.
  std::string content;

  // Returns subject and message of each finding of these rules.
  std::string Findings(const Texts& rules) const {
    std::string text;
    for (const Finding& finding : report.findings) {
      const Diagnostic& diagnostic = finding.diagnostic;
      if (!rules.Has(diagnostic.rule->id)) continue;
      absl::StrAppend(&text, diagnostic.subject, " ", diagnostic.message, "\n");
    }
    return text;
  }
};

const Seen& See(const Case& a_case) {
  static auto& all = *new std::map<std::string, Seen>;
  const auto found = all.find(a_case.id);
  if (found != all.end()) return found->second;
  const CaseFiles files = CaseFiles::Make(a_case, TheCorpus().load).value();
  Seen seen;
  seen.report = CheckCase(a_case, files, "pedantic");
  seen.content = absl::StrCat(a_case.file_name, "\n", DumpOf(files.files[0].content.bytes()));
  return all.emplace(a_case.id, std::move(seen)).first->second;
}

// Whether one of the rules was checked in the file of the case.
bool AppliesTo(const Statement& statement, const Case& a_case) {
  const auto& not_checked = See(a_case).report.not_checked;
  return absl::c_any_of(statement.rules, [&](absl::string_view rule) {
    const bool is_in_scope = a_case.scope == "model" || FindRule(rule)->scope == Scope::kContainer;
    return is_in_scope &&
           absl::c_none_of(not_checked, [&](const auto& row) { return row.rule->id == rule; });
  });
}

// If the case violates a rule of the statement, the findings shall name what
// the statement names; values may stand in the file instead.  Otherwise, all
// names shall stand in the file, to which a rule shall apply.
void ExpectNamed(const Statement& statement, const Case& a_case) {
  const std::string findings = See(a_case).Findings(statement.rules);
  if (findings.empty()) {
    EXPECT_NE(a_case.verdict, Verdict::kInvalid)
        << NameOf(statement) << ": " << a_case.id << " reports none of the rules";
    EXPECT_TRUE(AppliesTo(statement, a_case))
        << NameOf(statement) << ": no rule applies to " << a_case.id;
  }
  for (const std::string& name : NamesIn(statement.text)) {
    const bool in_file = findings.empty() || !absl::StrContains(name, '.');
    EXPECT_TRUE(Names(findings, name) || (in_file && Names(See(a_case).content, name)))
        << NameOf(statement) << ": " << a_case.id << " does not show " << name;
  }
}

TEST(StatementsTest, EachHasRulesAndACaseOrAReason) {
  const auto& cases = TheCorpus().cases;
  for (const Statement& statement : kStatements) {
    const std::string name = NameOf(statement);
    EXPECT_STRNE(statement.text, "") << name;
    if (statement.rules.size == 0) {
      EXPECT_STRNE(statement.why, "") << name << " has no rule and no why";
      EXPECT_STREQ(statement.case_id, "") << name;
      continue;
    }
    EXPECT_STREQ(statement.why, "") << name;
    for (const absl::string_view rule : statement.rules) {
      EXPECT_NE(FindRule(rule), nullptr) << name << " names " << rule;
    }
    const auto found = cases.find(statement.case_id);
    if (found == cases.end()) {
      ADD_FAILURE() << name << ": there is no case " << statement.case_id;
    } else if (NamesIn(statement.text).empty()) {
      EXPECT_TRUE(ReportsOneOf(found->second, statement.rules))
          << name << ": neither " << statement.case_id
          << " nor a case that is based on it reports one of the rules";
    } else {
      ExpectNamed(statement, found->second);
    }
  }
}

// A case that shows several statements shows each of them by a name; without
// one, it would be a case that only shows that the rule exists.
TEST(StatementsTest, StatementsThatShareACaseAreNamedOrTheSame) {
  std::map<absl::string_view, std::set<absl::string_view>> texts;
  for (const Statement& statement : kStatements) {
    if (statement.rules.size > 0) {
      texts[statement.case_id].insert(statement.text);
    }
  }
  for (const auto& [id, of_case] : texts) {
    if (of_case.size() == 1) continue;
    for (const absl::string_view text : of_case) {
      EXPECT_FALSE(NamesIn(text).empty())
          << id << " stands for " << of_case.size() << " statements, and \"" << text
          << "\" names nothing by which the test knows that the case "
          << "shows it; give it a case of its own, or put what the file or the "
          << "finding says between backquotes";
    }
  }
}

TEST(StatementsTest, NamesAreFound) {
  using testing::ElementsAre;
  EXPECT_THAT(NamesIn("A name ends with .gguf."), ElementsAre());
  EXPECT_THAT(NamesIn("[llm].rope.scale and token_embd have `a b`."),
              ElementsAre("[llm].rope.scale", "token_embd", "a b"));
  EXPECT_TRUE(Names("kv[llama.rope.scale].key", "[llm].rope.scale"));
  EXPECT_FALSE(Names("kv[llama.rope.scale_linear].key", "[llm].rope.scale"));
  EXPECT_FALSE(Names("kv[general.license.name].type", "general.license"));
  EXPECT_TRUE(Names("tensor[blk.11.ssm_a]", "blk.N.ssm_a"));
  EXPECT_TRUE(Names("tensor[blk.1.ssm_a.weight].dims", "blk.N.ssm_a"));
  EXPECT_FALSE(Names("tensor[enc.blk.1.ssm_a]", "blk.N.ssm_a"));
  EXPECT_FALSE(Names("tensor[blk.11.ssm_a]", "blk.N.ssm"));
}

// Returns whether the citation begins with one of the documents.
bool CitesADocument(const Rule& rule) {
  const absl::string_view citation = rule.citation;
  if (absl::StartsWith(citation, "gguf.md is silent")) return false;
  return absl::StartsWith(citation, "gguf.md") || absl::StartsWith(citation, "rwkv.cpp");
}

TEST(StatementsTest, EachRuleThatCitesADocumentHasAStatement) {
  for (const Rule* rule : Catalogue()) {
    if (!CitesADocument(*rule)) continue;
    EXPECT_FALSE(LinesOf(rule->id).empty())
        << rule->id << " cites a document: add the statement to "
        << "docs/statements.tsv";
  }
}

TEST(StatementsTest, LinesAreListedByDocument) {
  EXPECT_EQ(LinesOf("value-allowed"), "gguf.md 603");
  EXPECT_EQ(LinesOf("key-ascii"), "gguf.md 233; first draft 116");
  EXPECT_EQ(LinesOf("architecture-known"), "gguf.md 343-351; first draft 201-208");
  EXPECT_EQ(LinesOf("key-unique"), "");
}

}  // namespace
}  // namespace gguf
