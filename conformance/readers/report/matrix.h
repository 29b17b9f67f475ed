// The model of all reports: Matrix, the results of several readers for the same
// cases, side by side.
//
// Every report is made from a Matrix, so that all count alike.  It refers to
// its runs, which must outlive it.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_REPORT_MATRIX_H_
#define GGUF_CONFORMANCE_READERS_REPORT_MATRIX_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

struct NamedLog {
  std::string path;
  RunLog log;
};

// The results of a reader over the corpus.  Texts are safe to show: control and
// invisible characters are escaped.
struct ReaderRun {
  std::string label;              // "ggml 0.9.4"; unique.
  RunHeader header;               // Of its first shard.
  std::vector<CaseRecord> cases;  // Sorted by id, unique.
  double seconds = 0;             // Sum over all shards.

  // Why the run is incomplete, in sentences; empty if it is complete.
  std::vector<std::string> problems;
};

// Logs of the same reader over the same cases are shards of one run.  Returns
// runs in the order of their first logs.
std::vector<ReaderRun> MergeRuns(std::vector<NamedLog> logs);

// The number of judged items, and of those that passed.
struct Score {
  uint64_t passed = 0;
  uint64_t judged = 0;
};

// Returns "99.9 %", rounded down, so that 100 % means all; "not tested" if
// nothing was judged.
std::string Percent(const Score& score);

// Returns "99.9 %, 999/1000".
std::string ScoreText(const Score& score);

// The totals of one reader.
struct Column {
  const ReaderRun* run = nullptr;
  Score score;                            // Of the cases that CaseResultInfo counts.
  std::array<Score, kLevels> levels;      // Of cases tested at it.
  std::map<std::string, Score> sections;  // Of the corpus.
  std::map<CaseResult, uint64_t> results;
  std::map<std::string, uint64_t> unsafe;  // Outcomes of unsafe cases.
};

// A case with the results of each reader.
struct MatrixRow {
  const CaseRecord* about = nullptr;     // With text and bytes if available.
  std::vector<const CaseRecord*> cells;  // By column; null: not run.
};

// Rows of one section with the same results and outcomes.
struct MatrixGroup {
  std::string section;
  std::string importance;                // The highest.
  std::vector<size_t> rows;              // Of Matrix::rows.
  std::vector<const CaseRecord*> cells;  // Of the first row.
};

// Outcome counts for each reader, over the cases with a flag whose verdict is
// "either".
struct FlagRow {
  std::string flag;
  std::vector<std::map<std::string, uint64_t>> outcomes;
};

struct Matrix {
  std::vector<Column> columns;
  std::vector<MatrixRow> rows;  // Worst first.
  std::vector<MatrixGroup> groups;
  std::vector<FlagRow> flags;  // By name.

  // Problems that every report shows first: incomplete runs with their reasons,
  // and runs over different cases.
  std::vector<std::string> problems;
};

// Returns the number of cases with this result.
uint64_t CountOf(CaseResult result, const Column& column);

Matrix BuildMatrix(const std::vector<ReaderRun>& runs);

// Return the contents of a cell: the result, and the outcome if it adds detail.
std::string CellResult(const CaseRecord* cell);
std::string CellOutcome(const CaseRecord* cell);
// Returns both, as "unsafe: crash".
std::string CellText(const CaseRecord* cell);

// Returns "accept 3, reject 1".
std::string OutcomeCounts(const std::map<std::string, uint64_t>& outcomes);

// Rows of texts: what a row is about, then a text for each reader.
using TextTable = std::vector<std::vector<std::string>>;

// Return the scores of all cases and at each level, and the outcomes by flag.
TextTable ScoreTable(const Matrix& matrix);
TextTable FlagTable(const Matrix& matrix);

// Returns "It accepted the file.", "It read tensor[w].offset as 7.".  Texts of
// the log are not escaped again.
std::string WhatItDid(const CaseRecord& record);

// Returns "It should have rejected the file."; empty if it did what it should,
// or may do either.
std::string WhatItShould(const CaseRecord& record);

// Returns "1 reader", "2 readers".
std::string Counted(size_t count, absl::string_view noun);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_MATRIX_H_
