// Tables of tensors as text: their statistics, and their comparison with those
// of a base.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_TENSOR_TABLES_H_
#define GGUF_CONFORMANCE_REPORT_TENSOR_TABLES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "conformance/compare/comparison.h"
#include "conformance/rules/file_report.h"

namespace gguf {

// Returns a line of headings and one line per tensor: name, type, shape in file
// order, minimum, maximum, mean, standard deviation, and the numbers of weights
// that are zero, subnormal, NaN or infinite.  `bars`, if not empty, has a small
// histogram for each tensor, shown at the end of its line.
std::string StatsTable(const std::vector<FileReport::TensorStats>& stats,
                       const std::vector<std::string>& bars = {});

// Returns a histogram with one character per bin, its height relative to the
// fullest bin.
std::string HistogramBar(const Histogram& histogram);

// Returns "12 tensors: 11 pass, 1 error": the tensors by result, those that
// were not compared last.
std::string ComparedSummary(const std::vector<ComparedTensor>& tensors);

// Returns a line of headings and one for each of the `most` tensors whose
// errors are the largest, in relation to what they may be.  Lines have at most
// `width` bytes, if the columns that always stay leave room for a name: names
// are shortened, and columns left out.
std::vector<std::string> ComparedTable(const std::vector<ComparedTensor>& tensors, size_t most,
                                       size_t width);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_TENSOR_TABLES_H_
