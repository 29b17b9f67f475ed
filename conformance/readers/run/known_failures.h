// KnownFailures: the cases that a reader is known to fail, with reasons.
//
//   # What this list is about.
//   tensors/invalid-offset-not-aligned  false-accept  reported as #12
//
// A line names a case, its result and a reason.  An outdated list makes the run
// fail: whoever fixes the reader must remove the line.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_KNOWN_FAILURES_H_
#define GGUF_CONFORMANCE_READERS_RUN_KNOWN_FAILURES_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// A parsed list of known failures.
class KnownFailures {
 public:
  // Errors name the line: an unknown result, or one that is not a failure; a
  // missing reason; a duplicate case.
  static absl::StatusOr<KnownFailures> Parse(absl::string_view text);

  // Changes the listed result to xfail, and pass, info or non-strict of a
  // listed case to xpass; sets `known`.  A failure other than the listed one
  // remains.
  void Apply(CaseRecord* record) const;

  // Returns the listed ids that are not in `ids`, all ids of the corpus.
  std::vector<std::string> Gone(const std::set<std::string>& ids) const;

  // Returns an updated list for `records`, after Apply().  Removes the lines of
  // cases that no longer exist or pass, updates changed results, and appends
  // new failures.  Keeps everything else.
  static std::string Fix(absl::string_view text, const std::vector<CaseRecord>& records,
                         const std::set<std::string>& ids);

 private:
  struct Entry {
    CaseResult result;
    std::string reason;
  };
  std::map<std::string, Entry> entries_;
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_KNOWN_FAILURES_H_
