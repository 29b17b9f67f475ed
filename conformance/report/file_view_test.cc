// What reports show of a file, and the vulnerabilities of its readers.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/report/file_view.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "conformance/base/escape.h"
#include "conformance/rules/catalogue.h"
#include "conformance/tables/vulnerabilities.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace gguf {
namespace {

using testing::ElementsAre;

Diagnostic Of(const char* rule, const char* name, const char* value) {
  Diagnostic diagnostic;
  diagnostic.rule = FindRule(rule);
  diagnostic.args = {{name, value}};
  return diagnostic;
}

Finding At(uint64_t offset, Severity severity, const char* rule) {
  Diagnostic diagnostic;
  diagnostic.rule = FindRule(rule);
  diagnostic.where = {offset, offset + 1};
  diagnostic.subject = "kv[<a>]";
  diagnostic.message = "is odd";
  return {severity, diagnostic};
}

TEST(FileViewTest, GroupsFindingsByRuleAndSortsThemBySeverity) {
  FileReport file;
  file.findings = {At(1, Severity::kNote, "key-namespaced"), At(2, Severity::kError, "key-unique"),
                   At(16, Severity::kError, "key-unique")};
  file.more = {{FindRule("key-unique"), Severity::kError, 5},
               {FindRule("string-utf8"), Severity::kError, 7}};
  const FileView view(file, "", HtmlText);

  std::vector<std::string> found;
  for (const FindingView& finding : view.findings) {
    found.push_back(absl::StrCat(finding.at, " ", finding.what, " ", finding.rule->rule->id, " ",
                                 finding.index));
  }
  EXPECT_THAT(found, ElementsAre("0x2 kv[&lt;a&gt;] is odd key-unique 0",
                                 "0x10 kv[&lt;a&gt;] is odd key-unique 1",
                                 "0x1 kv[&lt;a&gt;] is odd key-namespaced 0"));

  std::vector<std::string> rules;
  for (const RuleView& rule : view.rules) {
    rules.push_back(absl::StrCat(rule.rule->id, " ", rule.count, " ", rule.kept.size()));
  }
  EXPECT_THAT(rules, ElementsAre("key-namespaced 1 1", "key-unique 7 2", "string-utf8 7 0"));
}

TEST(FileViewTest, EscapesTextsButLeavesEmptyOnesEmpty) {
  FileReport file;
  file.path = "<b>\n";
  const FileView plain(file);
  EXPECT_EQ(plain.path, "<b>\\n");
  EXPECT_EQ(plain.description, "unknown format");
  const FileView code(file, "", MarkdownCode, 2);
  EXPECT_EQ(code.path, "` <b... (4 bytes) `");
  EXPECT_EQ(code.incomplete, "");
  file.incomplete = "a limit";
  const FileView not_opened(file, "", MarkdownCode);
  EXPECT_EQ(not_opened.incomplete, "` a limit `");
  EXPECT_EQ(not_opened.description, "");
}

TEST(FileViewTest, UncheckedRulesAreListedByReason) {
  FileReport file;
  file.not_checked = {{FindRule("key-unique"), SharedText("a<b"), Reason::kUnjudged},
                      {FindRule("string-utf8"), SharedText("c"), Reason::kNotRequested},
                      {FindRule("key-namespaced"), SharedText("a<b"), Reason::kUnjudged}};
  const FileView view(file, "", HtmlText);
  ASSERT_EQ(view.unchecked.size(), 1u);
  EXPECT_EQ(view.unchecked[0].why, "a&lt;b");
  EXPECT_EQ(view.unchecked[0].List(), "key-unique, key-namespaced");
  EXPECT_EQ(view.unchecked[0].List(1), "key-unique and 1 more");
}

TEST(VulnerabilitiesTest, ByRuleAndNumber) {
  EXPECT_EQ(VulnerabilitiesOf(Of("tensor-data-in-file", "offset", "64")), "CVE-2026-7482 (ollama)");
  EXPECT_EQ(VulnerabilitiesOf(Of("tensor-data-in-file", "offset", "1099511627776")),
            "CVE-2026-7482 (ollama), CVE-2025-62609 (mlx), CVE-2026-108955 (PowerInfer)");
  EXPECT_EQ(VulnerabilitiesOf(Of("file-complete", "length", "100")), "");
  EXPECT_EQ(VulnerabilitiesOf(Of("file-complete", "size", "9999999999")), "");
  EXPECT_EQ(VulnerabilitiesOf(Of("architecture-known", "name", "x")), "");
}

TEST(VulnerabilitiesTest, OfAllFindingsOfARule) {
  const Diagnostic near = Of("tensor-data-in-file", "offset", "64");
  const Diagnostic far = Of("tensor-data-in-file", "offset", "1099511627776");
  EXPECT_EQ(VulnerableReaders({&near, &far}),
            "Readers that lacked this check: CVE-2026-7482 (ollama), CVE-2025-62609 (mlx), "
            "CVE-2026-108955 (PowerInfer).");
  EXPECT_EQ(VulnerableReaders({}), "");
}

TEST(VulnerabilitiesTest, EachRowIsOfARule) {
  for (const VulnerabilityRow& row : kVulnerabilities) {
    EXPECT_NE(FindRule(row.rule), nullptr) << row.rule;
  }
}

}  // namespace
}  // namespace gguf
