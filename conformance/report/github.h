// The report as annotations of GitHub Actions.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_GITHUB_H_
#define GGUF_CONFORMANCE_REPORT_GITHUB_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Workflow commands for the log of a step.  GitHub shows ten errors, ten
// warnings and ten notices of a step and drops the rest, so the first one sums
// up, the worst come next, and findings of one rule in one file are one line.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewGithubWriter(const Run& run,
                                              std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_GITHUB_H_
