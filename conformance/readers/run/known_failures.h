// KnownFailures: cases that a reader is known to fail, and why.
//
//   # What this list is about.
//   tensors/invalid-offset-not-aligned  false-accept  reported as #12
//
// A line names a case, its result and a reason.  A list goes stale loudly: who
// mends the reader must strike out the line.
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
#include "conformance/readers/run/case_result.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

class KnownFailures {
 public:
  // Errors name the line: no such result, or none that is a failure; no reason;
  // a case that stands there twice.
  static absl::StatusOr<KnownFailures> Parse(absl::string_view text);

  // Makes xfail of the result that is listed, and xpass of a pass, an info or a
  // non-strict that should have been a failure; sets `known`.  Another failure
  // than the listed one stays what it is.
  void Apply(CaseRecord* record) const;

  // The listed ids that are not among all ids of the corpus.
  std::vector<std::string> Gone(const std::set<std::string>& ids) const;

  // The text of a list to which everything in `records`, to which Apply() was
  // applied, is as expected: lines of cases that are gone or pass are left out,
  // others have the new result, failures that were not listed are added below.
  // All else stays as it is.
  static std::string Fix(absl::string_view text,
                         const std::vector<CaseRecord>& records,
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
