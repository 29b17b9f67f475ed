// The JUnit report, for Jenkins, GitLab and other tools that show test results.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JUNIT_H_
#define GGUF_CONFORMANCE_REPORT_JUNIT_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// Creates a writer with one test suite per file.  Its test cases are the rules
// with findings, which fail if these are at or above fail_on; the rules that
// were not checked, which are skipped; and one that tells whether the check
// completed. The output is valid by junit-10.xsd of Jenkins' xUnit plugin.
//
// `out` must outlive the writer.
std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JUNIT_H_
