// The file with the known failures of a reader: read, held against a run,
// rewritten.
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
  // An empty path is an empty list; with `fix`, so is a file that is not there.
  // InvalidArgument: the path is needed, or a line is no good.
  static absl::StatusOr<KnownFailuresFile> Read(const std::string& path,
                                                bool fix);

  const readers::KnownFailures& list() const { return list_; }

  // A sentence for each line that is out of date.  `ids` are all of the corpus.
  std::vector<std::string> Stale(
      const std::vector<readers::CaseRecord>& records,
      const std::set<std::string>& ids) const;

  // Writes the list that makes these records expected.
  absl::Status Fix(const std::vector<readers::CaseRecord>& records,
                   const std::set<std::string>& ids) const;

 private:
  std::string path_;
  std::string text_;
  readers::KnownFailures list_;
};

}  // namespace gguf

#endif  // GGUF_CLI_KNOWN_FAILURES_FILE_H_
