// BaselineFile: the baseline of a run, read from a file or written to one.
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
#include "conformance/engine/check_options.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"

namespace gguf {

// The default number of findings kept per rule, so that they can be compared.
constexpr uint64_t kBaselineFindings = 1000;

class BaselineFile {
 public:
  // Reads the baseline of the options, which must outlive it.  One to be
  // written need not exist; its lines are kept while they still apply.  Errors,
  // in which paths are not escaped: "cannot read PATH: ...", and those of
  // Baseline::Parse().
  static absl::StatusOr<BaselineFile> Open(const CheckOptions& options);

  // Moves the known findings of the report to FileReport::known; all findings
  // when the baseline is to be written.
  void Settle(const Profile& profile, FileReport* report);

  // Call this at the end.  Writes the file, if requested, completely or not at
  // all.  FailedPrecondition when not all findings were kept, or the run is not
  // `complete`.
  absl::Status Finish(bool complete);

  // Returns warnings for the user, not escaped.  Call this after Finish().
  std::vector<std::string> Warnings() const;

  const Baseline& baseline() const { return baseline_; }

 private:
  explicit BaselineFile(const CheckOptions& options);
  const std::string& path() const { return options_->any_baseline(); }

  const CheckOptions* options_;
  std::string folder_;
  Baseline baseline_;
  uint64_t unsafe_ = 0;       // Errors of `safety` that were not accepted.
  std::string not_all_kept_;  // Names a file and a rule; for messages.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_BASELINE_FILE_H_
