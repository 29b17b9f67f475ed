// A table of the statistics of tensors.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_STATS_H_
#define GGUF_CONFORMANCE_REPORT_STATS_H_

#include <string>
#include <vector>

#include "conformance/engine/file_report.h"

namespace gguf {

// One line a tensor, below a line of headings: name, type, shape in file order,
// minimum, maximum, mean, standard deviation, and how many weights are zero,
// subnormal, NaN or infinite.  `bars`, when not empty, has a small histogram
// for each tensor, shown at the end of its line.
std::string StatsTable(const std::vector<FileReport::TensorStats>& stats,
                       const std::vector<std::string>& bars = {});

// A histogram as one character a bin, the height relative to the fullest bin.
std::string HistogramBar(const Histogram& histogram);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_STATS_H_
