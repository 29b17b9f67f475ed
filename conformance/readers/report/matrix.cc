// Counts and sorts results, and says them in words.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/report/matrix.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace gguf::readers {
namespace {

void Count(bool passed, Score* score) {
  ++score->judged;
  if (passed) ++score->passed;
}

Column MakeColumn(const ReaderRun& run) {
  Column column;
  column.run = &run;
  for (const CaseRecord& record : run.cases) {
    const CaseResultInfo& info = InfoOf(record.result);
    ++column.results[record.result];
    if (info.judged) {
      Count(info.passed, &column.score);
      Count(info.passed, &column.sections[record.section]);
    }
    if (record.result == CaseResult::kUnsafe) ++column.unsafe[record.outcome];
    for (size_t i = 0; i < kLevels; ++i) {
      if (record.levels[i] == LevelState::kNotTested) continue;
      Count(record.levels[i] == LevelState::kPass, &column.levels[i]);
    }
  }
  return column;
}

bool HasBytes(const CaseRecord& record) { return !record.text.empty() || !record.hex.empty(); }

// Makes a row for each case that any reader has run.
std::vector<MatrixRow> MakeRows(const std::vector<ReaderRun>& runs) {
  std::map<absl::string_view, MatrixRow> rows;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const CaseRecord& record : runs[i].cases) {
      MatrixRow& row = rows[record.id];
      row.cells.resize(runs.size());
      row.cells[i] = &record;
      if (row.about == nullptr || (HasBytes(record) && !HasBytes(*row.about))) {
        row.about = &record;
      }
    }
  }
  std::vector<MatrixRow> list;
  for (auto& [id, row] : rows) list.push_back(std::move(row));
  return list;
}

size_t ImportanceRank(const std::string& importance) {
  return std::find(std::begin(kImportances), std::end(kImportances), importance) -
         std::begin(kImportances);
}

// Sorts by the worst result of any reader, then by importance.
auto SortKey(const MatrixRow& row) {
  int rank = InfoOf(CaseResult::kPass).rank;
  CaseResult worst = CaseResult::kPass;
  for (const CaseRecord* cell : row.cells) {
    if (cell == nullptr) continue;
    rank = std::min(rank, InfoOf(cell->result).rank);
    worst = std::min(worst, cell->result);
  }
  const CaseRecord& about = *row.about;
  return std::make_tuple(rank, ImportanceRank(about.importance), worst,
                         absl::string_view(about.section), absl::string_view(about.id));
}

// Makes groups in the order of their first and worst rows.
std::vector<MatrixGroup> MakeGroups(const std::vector<MatrixRow>& rows) {
  std::vector<MatrixGroup> groups;
  std::map<std::vector<std::string>, size_t> index;
  for (size_t i = 0; i < rows.size(); ++i) {
    const MatrixRow& row = rows[i];
    std::vector<std::string> key = {row.about->section};
    for (const CaseRecord* cell : row.cells) {
      key.push_back(CellResult(cell));
      key.push_back(CellOutcome(cell));
    }
    const auto [found, is_new] = index.emplace(std::move(key), groups.size());
    if (is_new) {
      groups.push_back({row.about->section, row.about->importance, {}, row.cells});
    }
    MatrixGroup& group = groups[found->second];
    group.rows.push_back(i);
    if (ImportanceRank(row.about->importance) < ImportanceRank(group.importance)) {
      group.importance = row.about->importance;
    }
  }
  return groups;
}

std::vector<FlagRow> MakeFlags(const std::vector<MatrixRow>& rows, size_t columns) {
  std::map<std::string, FlagRow> flags;
  for (const MatrixRow& row : rows) {
    if (row.about->verdict != "either") continue;
    for (const std::string& name : row.about->flags) {
      FlagRow& flag = flags[name];
      flag.flag = name;
      flag.outcomes.resize(columns);
      for (size_t i = 0; i < columns; ++i) {
        if (row.cells[i]) ++flag.outcomes[i][row.cells[i]->outcome];
      }
    }
  }
  std::vector<FlagRow> list;
  for (auto& [name, flag] : flags) list.push_back(std::move(flag));
  return list;
}

std::vector<std::string> Problems(const std::vector<ReaderRun>& runs) {
  std::vector<std::string> problems;
  for (const ReaderRun& run : runs) {
    for (const std::string& problem : run.problems) {
      problems.push_back(absl::StrCat(run.label, ": ", problem, "."));
    }
  }
  const auto suite = [](const ReaderRun& run) {
    return std::tie(run.header.corpus.sha256, run.header.level, run.header.selectors);
  };
  for (const ReaderRun& run : runs) {
    if (suite(run) == suite(runs.front())) continue;
    problems.push_back(
        absl::StrCat(run.label, " and ", runs.front().label, " were not run over the same cases."));
  }
  return problems;
}

struct OutcomeWords {
  const char* outcome;
  const char* did;
};
constexpr OutcomeWords kUnsafe[] = {
    {"memory-error", "It touched memory that is not its own"},
    {"ub", "It did something undefined"},
    {"crash", "It crashed"},
    {"abort", "It aborted"},
    {"oom", "It needed more memory than allowed"},
    {"hang", "It gave no verdict in time"},
    {"flood", "It wrote more output than allowed"},
    {"exception", "It ended with an exception that nobody caught"},
    {"protocol", "It violated the protocol"},
    {"unstable", "It did not do the same again"},
};

struct VerdictWords {
  const char* expected;
  const char* should;
};
constexpr VerdictWords kVerdictWords[] = {
    {"accept", "It should have accepted the file."},
    {"reject", "It should have rejected the file."},
    {"accept or reject", "It should have accepted or rejected the file."},
};

// Returns what a reader did that gave no verdict, or none that counts.
std::string UnsafeWords(const CaseRecord& record) {
  absl::string_view code = record.outcome;
  std::string did = absl::StrCat("It gave no verdict: ", record.outcome);
  if (absl::ConsumePrefix(&code, "exit:")) {
    return absl::StrCat("It exited with code ", code, " without a verdict.");
  }
  for (const OutcomeWords& words : kUnsafe) {
    if (record.outcome == words.outcome) did = words.did;
  }
  if (!record.difference || record.difference->observed.empty()) {
    return did + ".";
  }
  return absl::StrCat(did, ": ", record.difference->observed, ".");
}

bool Misread(const CaseRecord& record) {
  return record.outcome == "accept" && record.difference && record.difference->path != "verdict";
}

}  // namespace

std::string Percent(const Score& score) {
  if (score.judged == 0) return "not tested";
  const uint64_t tenths = score.passed * 1000 / score.judged;
  if (tenths == 1000) return "100 %";
  return absl::StrFormat("%u.%u %%", tenths / 10, tenths % 10);
}

std::string ScoreText(const Score& score) {
  if (score.judged == 0) return Percent(score);
  return absl::StrCat(Percent(score), ", ", score.passed, "/", score.judged);
}

uint64_t CountOf(CaseResult result, const Column& column) {
  const auto found = column.results.find(result);
  return found == column.results.end() ? 0 : found->second;
}

Matrix BuildMatrix(const std::vector<ReaderRun>& runs) {
  Matrix matrix;
  for (const ReaderRun& run : runs) matrix.columns.push_back(MakeColumn(run));
  matrix.rows = MakeRows(runs);
  std::sort(matrix.rows.begin(), matrix.rows.end(),
            [](const MatrixRow& a, const MatrixRow& b) { return SortKey(a) < SortKey(b); });
  matrix.groups = MakeGroups(matrix.rows);
  matrix.flags = MakeFlags(matrix.rows, runs.size());
  matrix.problems = Problems(runs);
  return matrix;
}

std::string CellResult(const CaseRecord* cell) {
  return cell ? InfoOf(cell->result).name : "not run";
}

std::string CellOutcome(const CaseRecord* cell) {
  if (cell == nullptr) return "";
  switch (cell->result) {
    case CaseResult::kFalseAccept:
    case CaseResult::kFalseReject:
    case CaseResult::kWrongValues:
    case CaseResult::kSkip:
    case CaseResult::kPass:
      return "";  // Implied by the result.
    default:
      return cell->outcome;
  }
}

std::string CellText(const CaseRecord* cell) {
  const std::string outcome = CellOutcome(cell);
  return outcome.empty() ? CellResult(cell) : absl::StrCat(CellResult(cell), ": ", outcome);
}

std::string OutcomeCounts(const std::map<std::string, uint64_t>& outcomes) {
  return absl::StrJoin(outcomes, ", ", absl::PairFormatter(" "));
}

TextTable ScoreTable(const Matrix& matrix) {
  TextTable rows = {{"all cases"}};
  for (size_t i = 0; i < kLevels; ++i) {
    rows.push_back({absl::StrCat(LevelName(i), " ", LevelTitle(i))});
  }
  for (const Column& column : matrix.columns) {
    rows[0].push_back(ScoreText(column.score));
    for (size_t i = 0; i < kLevels; ++i) {
      rows[1 + i].push_back(ScoreText(column.levels[i]));
    }
  }
  return rows;
}

TextTable FlagTable(const Matrix& matrix) {
  TextTable rows;
  for (const FlagRow& flag : matrix.flags) {
    rows.push_back({flag.flag});
    for (const auto& outcomes : flag.outcomes) {
      rows.back().push_back(OutcomeCounts(outcomes));
    }
  }
  return rows;
}

std::string WhatItDid(const CaseRecord& record) {
  if (record.levels[0] == LevelState::kFail) return UnsafeWords(record);
  if (Misread(record)) {
    return absl::StrCat("It read ", record.difference->path, " as ", record.difference->observed,
                        ".");
  }
  if (record.outcome == "accept") return "It accepted the file.";
  const bool skips = record.outcome == "skip";
  std::string did = skips ? "It skipped the file" : "It rejected the file";
  if (!record.rejection || record.rejection->text.empty()) return did + ".";
  return absl::StrCat(did, ": ", record.rejection->text, ".");
}

std::string WhatItShould(const CaseRecord& record) {
  if (!record.difference) return "";
  const std::string& expected = record.difference->expected;
  if (record.levels[0] != LevelState::kFail && Misread(record)) {
    return absl::StrCat("The file has ", expected, ".");
  }
  for (const VerdictWords& words : kVerdictWords) {
    if (expected == words.expected) return words.should;
  }
  return "";  // A log of 0.1.0: "a verdict".
}

std::string Counted(size_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace gguf::readers
