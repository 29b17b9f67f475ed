// Makes the record of a case for the log, and shows a case.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_CASE_RECORD_H_
#define GGUF_CONFORMANCE_READERS_RUN_CASE_RECORD_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/process/session.h"
#include "conformance/readers/run/judge.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"
#include "corpus/language/image.h"

namespace gguf::readers {

// Returns the command that runs only this case, with the folder of the cases
// unless it is empty.  It names no path of this machine.
std::string RunCommand(const Reader& reader, const std::string& cases,
                       const corpus::Case& a_case);

// Returns a shell command that lets the reader read the case again, without a
// runner.  `cases` is the folder of the cases.
std::string ReproCommand(const Reader& reader, const std::string& cases,
                         const corpus::Case& a_case);

CaseRecord MakeRecord(const corpus::Case& a_case, const Observation& seen,
                      const Judgement& judged);

// Adds evidence for a case that did not pass: why it matters, its text, its
// bytes around those that were misread, violate a rule or differ from its base,
// and the command that reproduces the result.
void AddEvidence(const corpus::Case& a_case, const std::string& cases,
                 absl::string_view text, const corpus::Image& image,
                 std::string repro, CaseRecord* record);

// Returns the command that lets the reader read the case, its bytes (for a long
// file, those around the first finding), and its text.  NotFound: no such case.
absl::StatusOr<std::string> Repro(const Reader& reader,
                                  const std::string& cases,
                                  const std::string& id);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_CASE_RECORD_H_
