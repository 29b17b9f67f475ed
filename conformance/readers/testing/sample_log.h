// Logs for tests of reports.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_
#define GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_

#include <string>
#include <vector>

#include "conformance/readers/run/merge_runs.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// The record of the case "section/name" with this result and an outcome that
// goes with it.
CaseRecord SampleRecord(const std::string& id, CaseResult result);

// A whole log of a reader, whose path is its name and ".ndjson".
NamedLog SampleLog(const std::string& reader,
                   const std::vector<CaseRecord>& cases);

// Every text that somebody else chose is hostile to some output.
NamedLog HostileLog();

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_TESTING_SAMPLE_LOG_H_
