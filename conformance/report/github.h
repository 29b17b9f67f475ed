// The report as annotations of GitHub Actions.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_GITHUB_H_
#define GGUF_CONFORMANCE_REPORT_GITHUB_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Creates a writer of workflow commands for the log of a step.  GitHub shows
// ten errors, ten warnings and ten notices of a step and drops the rest.  So
// the first command is a summary, the worst findings come next, and the
// findings of one rule in one file share a line.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewGithubWriter(const Run& run,
                                              std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_GITHUB_H_
