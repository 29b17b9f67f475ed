// Reads cases and the tables beside them, from text and from disk.
//
// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/case.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/language/document_reader.h"
#include "corpus/language/image.h"
#include "corpus/language/lexer.h"

namespace gguf::corpus {
namespace {

constexpr int kMaxBases = 8;

// The front matter -----------------------------------------------------------

bool ReadPlainText(Lexer& lexer, std::string* text) {
  const Text& next = lexer.next().text;
  if (lexer.next().kind != Token::Kind::kText || next.pieces.size() > 1 || next.times != 1) {
    return lexer.FailExpected("a plain text");
  }
  *text = next.pieces[0];
  lexer.Advance();
  return true;
}

bool ReadTexts(Lexer& lexer, std::vector<std::string>* texts) {
  while (lexer.next().kind == Token::Kind::kText) {
    if (!ReadPlainText(lexer, &texts->emplace_back())) return false;
  }
  return true;
}

bool ReadWords(Lexer& lexer, std::vector<std::string>* words) {
  for (; lexer.next().kind == Token::Kind::kWord; lexer.Advance()) {
    words->emplace_back(lexer.next().word);
  }
  return true;
}

bool ReadWordOf(Lexer& lexer, std::initializer_list<absl::string_view> allowed, std::string* word) {
  const absl::string_view next = lexer.next().word;
  if (std::find(allowed.begin(), allowed.end(), next) == allowed.end()) {
    return lexer.FailExpected(absl::StrJoin(allowed, " or "));
  }
  *word = std::string(next);
  lexer.Advance();
  return true;
}

bool ReadCount(Lexer& lexer, uint64_t* count) {
  if (!absl::SimpleAtoi(lexer.next().word, count)) {
    return lexer.FailExpected("a number");
  }
  lexer.Advance();
  return true;
}

bool ReadOptions(Lexer& lexer, Case& c) {
  const Position at = lexer.next().at;
  std::vector<std::string> options;
  if (!ReadTexts(lexer, &options)) return false;
  bool known = !options.empty();
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i] == "--weights") {
      c.weights = true;
    } else if (options[i] == "--base" && i + 1 < options.size()) {
      c.base_model = options[++i];
    } else {
      known = false;
    }
  }
  return known || lexer.Fail(at, "the options are \"--weights\" and \"--base\" \"ID\"");
}

// A word that begins a line of the front matter, and the reader of its value.
struct FrontMatter {
  absl::string_view word;
  bool (*read)(Lexer& lexer, Case& c);
};

constexpr FrontMatter kFrontMatter[] = {
    {"title", [](Lexer& l, Case& c) { return ReadPlainText(l, &c.title); }},
    {"why", [](Lexer& l, Case& c) { return ReadPlainText(l, &c.why); }},
    {"level",
     [](Lexer& l, Case& c) {
       return ReadWordOf(l, {"must", "should", "may"}, &c.level);
     }},
    {"importance",
     [](Lexer& l, Case& c) {
       return ReadWordOf(l, {"critical", "major", "minor"}, &c.importance);
     }},
    {"flags", [](Lexer& l, Case& c) { return ReadWords(l, &c.flags); }},
    {"clause", [](Lexer& l, Case& c) { return ReadPlainText(l, &c.clause); }},
    {"references", [](Lexer& l, Case& c) { return ReadTexts(l, &c.references); }},
    {"scope",
     [](Lexer& l, Case& c) {
       return ReadWordOf(l, {"container", "model"}, &c.scope);
     }},
    {"file_name", [](Lexer& l, Case& c) { return ReadPlainText(l, &c.file_name); }},
    {"options", ReadOptions},
    {"budget",
     [](Lexer& l, Case& c) { return ReadCount(l, &c.budget_ms) && ReadCount(l, &c.budget_mib); }},
    {"base", [](Lexer& l, Case& c) { return ReadPlainText(l, &c.base); }},
    {"set", [](Lexer& l, Case& c) { return ReadTexts(l, &c.set); }},
};

// The expectation ------------------------------------------------------------

// A case's three parts, and the line number where the second begins.
struct CaseParts {
  absl::string_view statements;
  absl::string_view expect;
  absl::string_view dump;
  bool has_expect = false;
  int expect_line = 1;
};

// Returns the part after a separator line, and removes it from `*text`.
bool SplitAt(absl::string_view line, absl::string_view* text, absl::string_view* rest) {
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
  if (lexer->SkipWord("cause")) {
    expectation->causes.emplace_back(lexer->next().word);
    lexer->Advance();
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

CaseParts SplitCase(absl::string_view text) {
  CaseParts parts;
  parts.statements = text;
  SplitAt("=== dump", &parts.statements, &parts.dump);
  parts.has_expect = SplitAt("=== expect", &parts.statements, &parts.expect);
  parts.expect_line =
      2 + static_cast<int>(std::count(parts.statements.begin(), parts.statements.end(), '\n'));
  return parts;
}

// Errors name line and column.
absl::Status ReadExpectations(const CaseParts& parts, std::vector<Expectation>* expectations) {
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
                   ": expected PROFILE OFFSET+LENGTH SEVERITY RULE, or PROFILE none"));
}

// The case -------------------------------------------------------------------

class CaseReader {
 public:
  CaseReader(absl::string_view text, const Loader& load, int bases)
      : parts_(SplitCase(text)), lexer_(parts_.statements), load_(load), bases_(bases) {}

  absl::StatusOr<Case> Read();
  bool has_expect() const { return parts_.has_expect; }

 private:
  bool ReadStatements();
  bool ReadLine(const FrontMatter& line);
  bool ReadBase(Position at);

  const CaseParts parts_;
  Lexer lexer_;
  const Loader& load_;
  const int bases_;
  absl::Status base_status_;
  std::set<absl::string_view> said_;  // Words of the front matter.
  Case case_;
};

absl::StatusOr<Case> CaseReader::Read() {
  if (!ReadStatements()) {
    return base_status_.ok() ? lexer_.status() : base_status_;
  }
  if (!case_.base_model.empty()) {
    const absl::StatusOr<std::string> base_model = load_(case_.base_model);
    if (!base_model.ok()) return base_model.status();
  }
  const absl::Status read = ReadExpectations(parts_, &case_.expectations);
  if (!read.ok()) return read;
  case_.dump = absl::StrReplaceAll(parts_.dump, {{"\r\n", "\n"}});
  return std::move(case_);
}

bool CaseReader::ReadStatements() {
  bool in_front_matter = true;
  while (lexer_.next().kind != Token::Kind::kEnd) {
    if (lexer_.next().kind == Token::Kind::kLineEnd) {
      lexer_.Advance();
      continue;
    }
    const auto* const line =
        std::find_if(std::begin(kFrontMatter), std::end(kFrontMatter),
                     [&](const FrontMatter& line) { return lexer_.AtWord(line.word); });
    in_front_matter = in_front_matter && line != std::end(kFrontMatter);
    if (in_front_matter) {
      if (!ReadLine(*line)) return false;
    } else {
      DocumentReader reader(&lexer_, &case_.document, !case_.base.empty());
      if (!reader.ReadStatement()) return false;
      ++case_.edits;
    }
    if (!lexer_.EndLine()) return false;
  }
  return lexer_.status().ok();
}

bool CaseReader::ReadLine(const FrontMatter& line) {
  if (!said_.insert(line.word).second) {
    return lexer_.Fail(lexer_.next().at, absl::StrCat("duplicate ", line.word));
  }
  lexer_.Advance();
  const Position at = lexer_.next().at;
  return line.read(lexer_, case_) && (line.word != "base" || ReadBase(at));
}

bool CaseReader::ReadBase(Position at) {
  if (bases_ == kMaxBases) return lexer_.Fail(at, "too many nested bases");
  const absl::StatusOr<std::string> text = load_(case_.base);
  if (!text.ok()) return lexer_.Fail(at, text.status().message());
  absl::StatusOr<Case> base = CaseReader(*text, load_, bases_ + 1).Read();
  if (!base.ok()) {
    base_status_ =
        absl::InvalidArgumentError(absl::StrCat(case_.base, ", ", base.status().message()));
    return false;
  }
  case_.document = std::move(base->document);
  return true;
}

absl::StatusOr<Verdict> VerdictOf(absl::string_view name) {
  for (const Verdict verdict : {Verdict::kValid, Verdict::kInvalid, Verdict::kEither}) {
    if (absl::StartsWith(name, absl::StrCat(VerdictName(verdict), "-"))) {
      return verdict;
    }
  }
  return absl::InvalidArgumentError("the name of a case begins with valid-, invalid- or either-");
}

}  // namespace

absl::string_view VerdictName(Verdict verdict) {
  return verdict == Verdict::kValid ? "valid" : verdict == Verdict::kInvalid ? "invalid" : "either";
}

absl::StatusOr<Case> ReadText(absl::string_view text, const Loader& load) {
  return CaseReader(text, load, 0).Read();
}

absl::StatusOr<Case> ReadCase(absl::string_view id, absl::string_view text, const Loader& load) {
  const std::pair<absl::string_view, absl::string_view> names =
      absl::StrSplit(id, absl::MaxSplits('/', 1));
  const absl::StatusOr<Verdict> verdict = VerdictOf(names.second);
  if (!verdict.ok()) return verdict.status();
  CaseReader reader(text, load, 0);
  absl::StatusOr<Case> result = reader.Read();
  if (!result.ok()) return result;
  if (result->title.empty()) {
    return absl::InvalidArgumentError("line 1, column 1: missing title");
  }
  if (!reader.has_expect()) {
    return absl::InvalidArgumentError("missing line === expect");
  }
  result->id = std::string(id);
  result->section = std::string(names.first);
  result->verdict = *verdict;
  return result;
}

std::string ReplaceExpectation(absl::string_view text, const std::vector<Expectation>& expectations,
                               absl::string_view dump) {
  std::string out(SplitCase(text).statements);
  if (!out.empty() && out.back() != '\n') out += '\n';
  out += "=== expect\n";
  for (const Expectation& expectation : expectations) {
    const std::string& profile = expectation.profile;
    if (expectation.incomplete) absl::StrAppend(&out, profile, " incomplete\n");
    for (const std::string& cause : expectation.causes) {
      absl::StrAppend(&out, profile, " cause ", cause, "\n");
    }
    for (const ExpectedFinding& finding : expectation.findings) {
      absl::StrAppendFormat(&out, "%s 0x%x+%u %s %s\n", profile, finding.offset, finding.length,
                            finding.severity, finding.rule);
    }
    if (!expectation.incomplete && expectation.findings.empty()) {
      absl::StrAppend(&out, profile, " none\n");
    }
  }
  if (!dump.empty()) absl::StrAppend(&out, "=== dump\n", dump);
  return out;
}

// Reads cases from disk.

namespace fs = std::filesystem;

absl::StatusOr<CaseFiles> FindCaseFiles(const std::string& folder) {
  CaseFiles files;
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    const fs::path& path = it->path();
    std::error_code unreadable;  // If set, not a regular file.
    if (path.extension() != kCaseSuffix) {
      if (!it->is_directory(unreadable)) files.others.push_back(path.string());
    } else if (it->is_regular_file(unreadable)) {
      files.ids.push_back(path.lexically_relative(folder).replace_extension().string());
    } else {
      files.not_regular.push_back(path.string());
    }
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("cannot list cases in ", folder, ": ", error.message()));
  }
  for (auto* paths : {&files.ids, &files.not_regular, &files.others}) {
    std::sort(paths->begin(), paths->end());
  }
  return files;
}

absl::StatusOr<std::vector<std::string>> ListCases(const std::string& folder) {
  absl::StatusOr<CaseFiles> files = FindCaseFiles(folder);
  if (!files.ok()) return files.status();
  return std::move(files->ids);
}

Loader FolderLoader(const std::string& folder) {
  return [folder](absl::string_view id) {
    return ReadRegularFile(absl::StrCat(folder, "/", id, kCaseSuffix));
  };
}

namespace {

// Returns the rows after the heading; errors call the columns `key` and
// `value`.
absl::StatusOr<std::vector<Flag>> ReadRows(const std::string& path, absl::string_view key,
                                           absl::string_view value) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<Flag> rows;
  std::set<std::string> keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (++line_number == 1 || line.empty()) continue;  // Line 1 is the heading.
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const bool complete = fields.size() == 2 && !fields[0].empty() && !fields[1].empty();
    if (!complete || !keys.insert(fields[0]).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": line ", line_number,
                       complete ? absl::StrCat(" has a duplicate ", key)
                                : absl::StrCat(" is not of the form ", key, "<TAB>", value)));
    }
    rows.push_back({fields[0], fields[1]});
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path) {
  return ReadRows(path, "flag", "meaning");
}

absl::StatusOr<std::set<std::string>> ReadRetired(const std::string& path) {
  const auto rows = ReadRows(path, "id", "reason");
  std::set<std::string> ids;
  if (absl::IsNotFound(rows.status())) return ids;
  if (!rows.ok()) return rows.status();
  for (const Flag& row : *rows) ids.insert(row.name);
  return ids;
}

}  // namespace gguf::corpus
