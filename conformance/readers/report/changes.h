// Changes: how the results of a reader differ from those of its last run.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_REPORT_CHANGES_H_
#define GGUF_CONFORMANCE_READERS_REPORT_CHANGES_H_

#include <string>
#include <vector>

#include "conformance/readers/run/merge_runs.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Cases by how they changed; pointers refer to the runs.
struct Changes {
  // A case of both runs; `before` is null for a case that was not run before.
  struct Change {
    const CaseRecord* before;
    const CaseRecord* after;
  };
  std::vector<Change> broken;  // Fails, and did not fail before.
  std::vector<Change> fixed;   // Failed, and does so no longer.
  std::vector<Change> listed;  // Failed, and is now a known failure.
  std::vector<Change> other;   // Another result or outcome.
  std::vector<Change> added;   // A case that was not run before, and fails.
  std::vector<const CaseRecord*> removed;  // Not run now.
};

Changes FindChanges(const ReaderRun& before, const ReaderRun& after);

// A report for a comment on GitHub, in Markdown.
std::string ChangesReport(const ReaderRun& before, const ReaderRun& after);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_REPORT_CHANGES_H_
