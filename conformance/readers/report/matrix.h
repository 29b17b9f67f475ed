// Matrix: the results of several readers for the same cases, side by side.
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

#include "conformance/readers/run/merge_runs.h"

namespace gguf::readers {

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
  Score score;  // Of the cases that CaseResultInfo counts.
  std::array<Score, kLevels> levels;  // Of cases tested at it.
  std::array<uint64_t, kLevels> not_tested = {};
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

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_MATRIX_H_
