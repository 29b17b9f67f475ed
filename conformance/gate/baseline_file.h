// The baseline of a run: read from a file, or written to one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_BASELINE_FILE_H_
#define GGUF_CONFORMANCE_GATE_BASELINE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/config/baseline.h"
#include "conformance/engine/profile.h"
#include "conformance/engine/validate.h"

namespace gguf {

struct BaselineRequest {
  std::string read, write;  // Paths, at most one of them; empty for none.
  std::string reason;       // Of what is written.
  bool safety = false;      // Errors of the profile `safety`, too.

  bool any() const { return !path().empty(); }
  const std::string& path() const { return write.empty() ? read : write; }
};

// Findings kept of each rule, so that they can be compared, unless another
// number is asked for.
constexpr uint64_t kBaselineFindings = 1000;

class BaselineFile {
 public:
  // Reads the file; one to be written need not be there, and what it says stays
  // as far as it still is so.  Errors, in which paths are not escaped: "cannot
  // read PATH: ...", and those of Baseline::Parse().
  static absl::StatusOr<BaselineFile> Open(const BaselineRequest& request);

  // Takes what is known out of the report; everything, when the baseline is to
  // be written.
  void Settle(const Profile& profile, FileReport* report);

  // At the end: writes the file, if it is to be written, as a whole or not at
  // all.  FailedPrecondition when not all can be written: not all findings were
  // kept, or the run is not `complete`.
  absl::Status Finish(bool complete);

  // What people should know, a line each, in which nothing is escaped; after
  // Finish().
  std::vector<std::string> Warnings() const;

  const Baseline& baseline() const { return baseline_; }

 private:
  explicit BaselineFile(const BaselineRequest& request);
  const std::string& path() const { return request_.path(); }

  BaselineRequest request_;
  std::string folder_;
  Baseline baseline_;
  uint64_t unsafe_ = 0;       // Errors of `safety` that were not learned.
  std::string not_all_kept_;  // Of a file and a rule, in words.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_BASELINE_FILE_H_
