// Sample logs for tests of reports.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_
#define GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_

#include <string>
#include <vector>

#include "conformance/readers/report/matrix.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Returns a record of the case "section/name" with this result and a matching
// outcome.
CaseRecord SampleRecord(const std::string& id, CaseResult result);

// Returns a complete log of a reader; its path is the name and ".ndjson".
NamedLog SampleLog(const std::string& reader, const std::vector<CaseRecord>& cases);

// Returns a log in which every untrusted text is hostile to some output format.
NamedLog HostileLog();

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_
