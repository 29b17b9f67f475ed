// Baseline: known and accepted findings, each with a reason.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CONFIG_BASELINE_H_
#define GGUF_CONFORMANCE_CONFIG_BASELINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"
#include "conformance/report/report.h"

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_BASELINE_H_
