// Formats the statistics of tensors as a table.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_STATS_H_
#define GGUF_CONFORMANCE_REPORT_STATS_H_

#include <string>
#include <vector>

#include "conformance/engine/file_report.h"

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_STATS_H_
