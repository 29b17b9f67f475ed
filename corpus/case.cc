// SPDX-License-Identifier: Apache-2.0

#include "corpus/case.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "corpus/document_reader.h"
#include "corpus/lexer.h"
#include "corpus/number.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxBases = 8;

// A case's three parts, and the line on which the second begins.
struct Parts {
  absl::string_view statements;
  absl::string_view expect;
  absl::string_view dump;
  bool has_expect = false;
  int expect_line = 1;
};

// The part behind a line of its own, cut off `*text`.
bool SplitAt(absl::string_view line, absl::string_view* text,
             absl::string_view* rest) {
  const size_t at =
      absl::StartsWith(*text, line) ? 0 : text->find(absl::StrCat("\n", line));
  if (at == absl::string_view::npos) return false;
  const size_t begin = at + (at > 0 ? 1 : 0);
  *rest = text->substr(begin + line.size());
  *text = text->substr(0, begin);
  return true;
}

Parts Split(absl::string_view text) {
  Parts parts;
  parts.statements = text;
  SplitAt("=== dump\n", &parts.statements, &parts.dump);
  parts.has_expect = SplitAt("=== expect\n", &parts.statements, &parts.expect);
  parts.expect_line =
      2 + static_cast<int>(std::count(parts.statements.begin(),
                                      parts.statements.end(), '\n'));
  return parts;
}

class CaseReader {
 public:
  CaseReader(absl::string_view text, const Loader& load, int bases)
      : parts_(Split(text)),
        lexer_(parts_.statements),
        load_(load),
        bases_(bases) {}

  absl::StatusOr<Case> Read();
  bool has_expect() const { return parts_.has_expect; }

 private:
  bool ReadFrontMatter(bool* found);
  bool ReadTextOf(std::string* text);
  bool ReadWordOf(std::initializer_list<absl::string_view> allowed,
                  std::string* word);
  bool ReadCount(uint64_t* count);
  bool ReadBase();
  bool ReadExpectations();
  bool ReadFinding(Lexer* lexer, Expectation* expectation);
  bool EndLine(Lexer* lexer);

  const Parts parts_;
  Lexer lexer_;
  const Loader& load_;
  const int bases_;
  absl::Status base_status_;
  Case case_;
};

absl::StatusOr<Case> CaseReader::Read() {
  bool in_front_matter = true;
  while (lexer_.next().kind != Token::Kind::kEnd) {
    if (lexer_.next().kind == Token::Kind::kLineEnd) {
      lexer_.Advance();
      continue;
    }
    if (in_front_matter && !ReadFrontMatter(&in_front_matter)) break;
    if (in_front_matter) {
      if (!EndLine(&lexer_)) break;
      continue;
    }
    DocumentReader reader(&lexer_, &case_.document, !case_.base.empty());
    if (!reader.ReadStatement() || !EndLine(&lexer_)) break;
    ++case_.edits;
  }
  if (!base_status_.ok()) return base_status_;
  if (!lexer_.status().ok()) return lexer_.status();
  if (!ReadExpectations()) return lexer_.status();
  case_.dump = std::string(parts_.dump);
  return std::move(case_);
}

// Front matter ends with the first line that is none: `*found` is false then.
bool CaseReader::ReadFrontMatter(bool* found) {
  Lexer& lexer = lexer_;
  *found = true;
  if (lexer.SkipWord("title")) return ReadTextOf(&case_.title);
  if (lexer.SkipWord("why")) return ReadTextOf(&case_.why);
  if (lexer.SkipWord("clause")) return ReadTextOf(&case_.clause);
  if (lexer.SkipWord("file_name")) return ReadTextOf(&case_.file_name);
  if (lexer.SkipWord("level")) {
    return ReadWordOf({"must", "should", "may"}, &case_.level);
  }
  if (lexer.SkipWord("importance")) {
    return ReadWordOf({"critical", "major", "minor"}, &case_.importance);
  }
  if (lexer.SkipWord("scope")) {
    return ReadWordOf({"container", "model"}, &case_.scope);
  }
  if (lexer.SkipWord("budget")) {
    return ReadCount(&case_.budget_ms) && ReadCount(&case_.budget_mib);
  }
  if (lexer.SkipWord("flags")) {
    while (lexer.next().kind == Token::Kind::kWord) {
      case_.flags.emplace_back(lexer.next().word);
      lexer.Advance();
    }
    return true;
  }
  if (lexer.SkipWord("references")) {
    while (lexer.next().kind == Token::Kind::kText) {
      if (!ReadTextOf(&case_.references.emplace_back())) return false;
    }
    return true;
  }
  if (lexer.SkipWord("options")) {
    const Position at = lexer.next().at;
    std::string options;
    if (!ReadTextOf(&options)) return false;
    case_.weights = options == "--weights";
    return case_.weights || lexer.Fail(at, "the one option is \"--weights\"");
  }
  if (lexer.SkipWord("base")) return ReadBase();
  *found = false;
  return true;
}

bool CaseReader::ReadTextOf(std::string* text) {
  const Text& next = lexer_.next().text;
  if (lexer_.next().kind != Token::Kind::kText || next.pieces.size() > 1 ||
      next.times != 1) {
    return lexer_.FailExpected("a plain text");
  }
  *text = next.pieces[0];
  lexer_.Advance();
  return true;
}

bool CaseReader::ReadWordOf(std::initializer_list<absl::string_view> allowed,
                            std::string* word) {
  const absl::string_view next = lexer_.next().word;
  if (std::find(allowed.begin(), allowed.end(), next) == allowed.end()) {
    return lexer_.FailExpected(absl::StrJoin(allowed, " or "));
  }
  *word = std::string(next);
  lexer_.Advance();
  return true;
}

bool CaseReader::ReadCount(uint64_t* count) {
  if (!absl::SimpleAtoi(lexer_.next().word, count)) {
    return lexer_.FailExpected("a number");
  }
  lexer_.Advance();
  return true;
}

bool CaseReader::ReadBase() {
  const Position at = lexer_.next().at;
  if (!ReadTextOf(&case_.base)) return false;
  if (bases_ == kMaxBases) return lexer_.Fail(at, "too many bases of bases");
  const absl::StatusOr<std::string> text = load_(case_.base);
  if (!text.ok()) return lexer_.Fail(at, text.status().message());
  absl::StatusOr<Case> base = CaseReader(*text, load_, bases_ + 1).Read();
  if (!base.ok()) {
    base_status_ = absl::InvalidArgumentError(
        absl::StrCat(case_.base, ", ", base.status().message()));
    return false;
  }
  case_.document = std::move(base->document);
  return true;
}

bool CaseReader::ReadExpectations() {
  Lexer lexer(parts_.expect, parts_.expect_line);
  while (lexer.next().kind != Token::Kind::kEnd) {
    if (lexer.next().kind == Token::Kind::kLineEnd) {
      lexer.Advance();
      continue;
    }
    const std::string profile(lexer.next().word);
    lexer.Advance();
    if (case_.expectations.empty() ||
        case_.expectations.back().profile != profile) {
      case_.expectations.push_back({profile});
    }
    if (!ReadFinding(&lexer, &case_.expectations.back()) || !EndLine(&lexer)) {
      break;
    }
  }
  return lexer.status().ok() ||
         lexer_.Fail(lexer.next().at,
                     "this is no line of an expectation: "
                     "PROFILE OFFSET+LENGTH SEVERITY RULE, or "
                     "PROFILE none");
}

bool CaseReader::ReadFinding(Lexer* lexer, Expectation* expectation) {
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

bool CaseReader::EndLine(Lexer* lexer) {
  return lexer->at_line_end() || lexer->FailExpected("the end of the line");
}

absl::StatusOr<Verdict> VerdictOf(absl::string_view name) {
  for (const Verdict verdict :
       {Verdict::kValid, Verdict::kInvalid, Verdict::kEither}) {
    if (absl::StartsWith(name, absl::StrCat(VerdictName(verdict), "-"))) {
      return verdict;
    }
  }
  return absl::InvalidArgumentError(
      "the name of a case begins with valid-, invalid- or either-");
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kValid:
      return "valid";
    case Verdict::kInvalid:
      return "invalid";
    case Verdict::kEither:
      break;
  }
  return "either";
}

absl::StatusOr<Case> ReadText(absl::string_view text, const Loader& load) {
  return CaseReader(text, load, 0).Read();
}

absl::StatusOr<Case> ReadCase(absl::string_view id, absl::string_view text,
                              const Loader& load) {
  const std::pair<absl::string_view, absl::string_view> names =
      absl::StrSplit(id, absl::MaxSplits('/', 1));
  const absl::StatusOr<Verdict> verdict = VerdictOf(names.second);
  if (!verdict.ok()) return verdict.status();
  CaseReader reader(text, load, 0);
  absl::StatusOr<Case> result = reader.Read();
  if (!result.ok()) return result;
  if (result->title.empty()) {
    return absl::InvalidArgumentError("line 1, column 1: there is no title");
  }
  if (!reader.has_expect()) {
    return absl::InvalidArgumentError("there is no line === expect");
  }
  result->id = std::string(id);
  result->section = std::string(names.first);
  result->verdict = *verdict;
  return result;
}

std::string ReplaceExpectation(absl::string_view text,
                               const std::vector<Expectation>& expectations,
                               absl::string_view dump) {
  std::string out(Split(text).statements);
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
