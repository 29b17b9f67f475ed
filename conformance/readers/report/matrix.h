// The Matrix: what several readers do with the same cases, side by side.
//
// Every report is made of one, so that none counts in another way.  It refers
// to the runs that it is made of, which must outlive it.
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

// Of things that were judged, how many passed.
struct Score {
  uint64_t passed = 0;
  uint64_t judged = 0;
};

// "99.9 %", rounded down, so that 100 % means all; "not tested" when nothing
// was judged.
std::string Percent(const Score& score);

// "99.9 %, 999/1000".
std::string ScoreText(const Score& score);

// What one reader did, in numbers.
struct Column {
  const ReaderRun* run = nullptr;
  Score score;  // Of cases; CaseResultInfo says which of them count.
  std::array<Score, kLevels> levels;  // Of cases that were tested at it.
  std::array<uint64_t, kLevels> not_tested = {};
  std::map<CaseResult, uint64_t> results;
  std::map<std::string, uint64_t> unsafe;  // Outcomes of unsafe cases.
};

// A case, and what each reader did with it.
struct MatrixRow {
  const CaseRecord* about = nullptr;  // With text and bytes, if any has them.
  std::vector<const CaseRecord*> cells;  // By column; null: it was not run.
};

// Rows of one section with the same results and outcomes.
struct MatrixGroup {
  std::string section;
  std::string importance;    // The highest of any.
  std::vector<size_t> rows;  // Of Matrix::rows.
};

// The cases with a flag whose verdict is "either": how many ended how, for each
// reader.
struct FlagRow {
  std::string flag;
  std::vector<std::map<std::string, uint64_t>> outcomes;
};

struct Matrix {
  std::vector<Column> columns;
  std::vector<MatrixRow> rows;  // Worst first.
  std::vector<MatrixGroup> groups;
  std::vector<FlagRow> flags;  // By name.

  // What a reader of any report must be told first: which runs are not
  // complete and why, and that they are not of the same suite.
  std::vector<std::string> problems;
};

// How many cases ended so.
uint64_t CountOf(CaseResult result, const Column& column);

Matrix BuildMatrix(const std::vector<ReaderRun>& runs);

// What a cell shows: the result and, where that says more, the outcome.
std::string CellResult(const CaseRecord* cell);
std::string CellOutcome(const CaseRecord* cell);
// Both, as "unsafe: crash".
std::string CellText(const CaseRecord* cell);

// "accept 3, reject 1".
std::string OutcomeCounts(const std::map<std::string, uint64_t>& outcomes);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_MATRIX_H_
