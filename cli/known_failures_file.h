// KnownFailuresFile: reads a reader's known failures, compares them with a run,
// and rewrites them.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_KNOWN_FAILURES_FILE_H_
#define GGUF_CLI_KNOWN_FAILURES_FILE_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/readers/run/known_failures.h"
#include "conformance/readers/run/run_log.h"

namespace gguf {

class KnownFailuresFile {
 public:
  // Reads the list.  It is empty for an empty path and, with `fix`, for a
  // missing file.  InvalidArgument: the path is required, or a line is invalid.
  static absl::StatusOr<KnownFailuresFile> Read(const std::string& path, bool fix);

  const readers::KnownFailures& list() const { return list_; }

  // Returns a message for each line that is outdated, and for the failures that
  // are not listed; none without a list.  `ids` are all ids of the corpus.
  std::vector<std::string> Differences(const std::vector<readers::CaseRecord>& records,
                                       const std::set<std::string>& ids) const;

  // Rewrites the list so that these records are expected.
  absl::Status Fix(const std::vector<readers::CaseRecord>& records,
                   const std::set<std::string>& ids) const;

 private:
  std::string path_;
  std::string text_;
  readers::KnownFailures list_;
};

}  // namespace gguf

#endif  // GGUF_CLI_KNOWN_FAILURES_FILE_H_
