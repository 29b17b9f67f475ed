// Baseline: known and accepted findings, each with a reason; and BaselineFile, which a run reads or
// writes.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_BASELINE_H_
#define GGUF_CONFORMANCE_CHECK_BASELINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/report/report.h"
#include "conformance/rules/check_options.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/profile.h"

namespace gguf {

// A baseline.  Its text has one JSON object per line, sorted;
// docs/configuration.md describes it.
class Baseline {
 public:
  enum class Reasons { kNeeded, kOptional };

  // Parses a text.  InvalidArgument, "NAME:LINE: what", when a line is not such
  // an object, names an unknown rule, is a duplicate, or lacks a required
  // reason.
  static absl::StatusOr<Baseline> Parse(absl::string_view text, absl::string_view name,
                                        Reasons reasons);

  // Moves the known findings of a report to FileReport::known.  Errors of the
  // profile `safety` stay, unless `safety` is true.  `file` is the path as
  // written in the lines; `profile` is the one of the check.  Call this once
  // per file.
  void Apply(const std::string& file, const Profile& profile, bool safety, FileReport* report);

  // Adds the remaining findings of the report, with this reason; then Apply().
  void Learn(const std::string& file, const Profile& profile, bool safety,
             const std::string& reason, FileReport* report);

  // Returns the files of lines for which no report told whether they still
  // apply.
  std::set<std::string> UnseenFiles() const;
  // Marks a file as no longer existing.
  void Forget(const std::string& file);

  // One message for each rule that is named by an old id.
  const std::set<std::string>& old_ids() const { return old_ids_; }

  // Returns the outcome of the lines, in their order.
  BaselineOutcome Outcome() const;

  // The text without stale and refused lines, and the number of its lines
  // without a reason.
  std::string Text() const;
  size_t without_reason() const;

 private:
  enum class State { kUnseen, kFound, kStale, kRefused };
  struct Line {
    std::string reason;
    State state = State::kUnseen;
  };
  // File, rule, subject.
  using Key = std::tuple<std::string, std::string, std::string>;
  using Lines = std::map<Key, Line>;

  Lines::iterator FirstOf(const std::string& file) { return lines_.lower_bound(Key(file, "", "")); }
  std::vector<KnownFinding> All(State state) const;

  Lines lines_;
  uint64_t known_ = 0;  // Findings.
  std::set<std::string> old_ids_;
};

// Changes the report as if the rules had been off.
void IgnoreRules(const std::set<const Rule*>& rules, FileReport* report);

// BaselineFile: the baseline of a run, read from a file or written to one.

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

#endif  // GGUF_CONFORMANCE_CHECK_BASELINE_H_
