// MergeRuns: one run for each reader, from the logs of its shards.
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

// What a reader did with the corpus.  Texts are shown as they are here: control
// and invisible characters in them have become escapes (visible.h).
struct ReaderRun {
  std::string label;              // "ggml 0.9.4"; no two runs have the same.
  RunHeader header;               // Of its first shard.
  std::vector<CaseRecord> cases;  // By id; none twice.
  double seconds = 0;             // Of all shards together.

  // Why this is not the whole run, in sentences; empty when it is.
  std::vector<std::string> problems;
};

// Logs of the same reader over the same cases are shards of one run.  Runs are
// in the order of their first logs.
std::vector<ReaderRun> MergeRuns(std::vector<NamedLog> logs);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_MERGE_RUNS_H_
