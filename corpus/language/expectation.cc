// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/expectation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/language/lexer.h"
#include "corpus/language/number.h"

namespace gguf::corpus {
namespace {

// Returns the part after a separator line, and removes it from `*text`.
bool SplitAt(absl::string_view line, absl::string_view* text,
             absl::string_view* rest) {
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const size_t next = std::min(end + 1, text->size());
    if (absl::StripSuffix(text->substr(begin, end - begin), "\r") == line) {
      *rest = text->substr(next);
      *text = text->substr(0, begin);
      return true;
    }
    begin = next;
  }
  return false;
}

bool ReadFinding(Lexer* lexer, Expectation* expectation) {
  if (lexer->SkipWord("none") || lexer->SkipWord("?")) return true;
  if (lexer->SkipWord("incomplete")) {
    expectation->incomplete = true;
    return true;
  }
  ExpectedFinding finding;
  const std::pair<absl::string_view, absl::string_view> range =
      absl::StrSplit(lexer->next().word, absl::MaxSplits('+', 1));
  const auto offset = ReadInteger(range.first);
  const auto length = ReadInteger(range.second);
  if (!offset || !length) return lexer->FailExpected("OFFSET+LENGTH");
  finding.offset = static_cast<uint64_t>(*offset);
  finding.length = static_cast<uint64_t>(*length);
  lexer->Advance();
  finding.severity = std::string(lexer->next().word);
  lexer->Advance();
  finding.rule = std::string(lexer->next().word);
  lexer->Advance();
  expectation->findings.push_back(std::move(finding));
  return true;
}

}  // namespace

CaseParts SplitCase(absl::string_view text) {
  CaseParts parts;
  parts.statements = text;
  SplitAt("=== dump", &parts.statements, &parts.dump);
  parts.has_expect = SplitAt("=== expect", &parts.statements, &parts.expect);
  parts.expect_line =
      2 + static_cast<int>(std::count(parts.statements.begin(),
                                      parts.statements.end(), '\n'));
  return parts;
}

absl::Status ReadExpectations(const CaseParts& parts,
                              std::vector<Expectation>* expectations) {
  Lexer lexer(parts.expect, parts.expect_line);
  while (lexer.next().kind != Token::Kind::kEnd) {
    if (lexer.next().kind == Token::Kind::kLineEnd) {
      lexer.Advance();
      continue;
    }
    const std::string profile(lexer.next().word);
    lexer.Advance();
    if (expectations->empty() || expectations->back().profile != profile) {
      expectations->push_back({profile});
    }
    if (!ReadFinding(&lexer, &expectations->back()) || !lexer.EndLine()) break;
  }
  if (lexer.status().ok()) return absl::OkStatus();
  const Position at = lexer.next().at;
  return absl::InvalidArgumentError(
      absl::StrCat("line ", at.line, ", column ", at.column,
                   ": expected PROFILE OFFSET+LENGTH SEVERITY RULE, or "
                   "PROFILE none"));
}

std::string ReplaceExpectation(absl::string_view text,
                               const std::vector<Expectation>& expectations,
                               absl::string_view dump) {
  std::string out(SplitCase(text).statements);
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += "=== expect\n";
  for (const Expectation& expectation : expectations) {
    const std::string& profile = expectation.profile;
    if (expectation.incomplete) absl::StrAppend(&out, profile, " incomplete\n");
    for (const ExpectedFinding& finding : expectation.findings) {
      absl::StrAppendFormat(&out, "%s 0x%x+%u %s %s\n", profile, finding.offset,
                            finding.length, finding.severity, finding.rule);
    }
    if (!expectation.incomplete && expectation.findings.empty()) {
      absl::StrAppend(&out, profile, " none\n");
    }
  }
  if (!dump.empty()) absl::StrAppend(&out, "=== dump\n", dump);
  return out;
}

}  // namespace gguf::corpus
