// MergeRuns: merges the logs of shards to one run for each reader.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_MERGE_RUNS_H_
#define GGUF_CONFORMANCE_READERS_RUN_MERGE_RUNS_H_

#include <string>
#include <vector>

#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

struct NamedLog {
  std::string path;
  RunLog log;
};

// The results of a reader over the corpus.  Texts are safe to show: control and
// invisible characters are escaped.
struct ReaderRun {
  std::string label;              // "ggml 0.9.4"; unique.
  RunHeader header;               // Of its first shard.
  std::vector<CaseRecord> cases;  // Sorted by id, unique.
  double seconds = 0;             // Sum over all shards.

  // Why the run is incomplete, in sentences; empty if it is complete.
  std::vector<std::string> problems;
};

// Logs of the same reader over the same cases are shards of one run.  Returns
// runs in the order of their first logs.
std::vector<ReaderRun> MergeRuns(std::vector<NamedLog> logs);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_MERGE_RUNS_H_
