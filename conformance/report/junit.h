// The JUnit report: for Jenkins, GitLab and whatever else shows tests.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_JUNIT_H_
#define GGUF_CONFORMANCE_REPORT_JUNIT_H_

#include <memory>
#include <ostream>

#include "conformance/report/report.h"

namespace gguf {

// A test suite for each file.  Its test cases are the rules with findings,
// which fail if these are at or above fail_on, and those that were not checked,
// which are skipped; and one that says whether the check came to its end.
// Valid by junit-10.xsd of Jenkins' xUnit plugin.
//
// `out` outlives the writer.
std::unique_ptr<ReportWriter> NewJunitWriter(const Run& run, std::ostream& out);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_JUNIT_H_
