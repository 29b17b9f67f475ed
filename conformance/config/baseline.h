// Baseline: findings that somebody knows and accepts, each with a reason.
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
#include "conformance/report/report.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"

namespace gguf {

// A text of one JSON object a line, sorted; docs/configuration.md describes it.
class Baseline {
 public:
  enum class Reasons { kNeeded, kOptional };

  // InvalidArgument, "NAME:LINE: what", when a line is no such object, names no
  // rule, says what another line said, or gives no reason though it is needed.
  static absl::StatusOr<Baseline> Parse(absl::string_view text,
                                        absl::string_view name,
                                        Reasons reasons);

  // Takes what is known of a file out of its report, to FileReport::known.
  // Errors of the profile `safety` stay, unless `safety` is true.  `file` is
  // its path as the lines have it; `profile` the one that it was checked with.
  // Once for each file.
  void Apply(const std::string& file, const Profile& profile, bool safety,
             FileReport* report);

  // Makes known what is left in the report, with this reason; then Apply().
  void Learn(const std::string& file, const Profile& profile, bool safety,
             const std::string& reason, FileReport* report);

  // The files of lines of which no report said whether they still are found.
  std::set<std::string> UnseenFiles() const;
  // Says that there is no such file any more.
  void Forget(const std::string& file);

  // Which of its rules it names by an old id, a sentence each.
  const std::set<std::string>& old_ids() const { return old_ids_; }

  // What became of the lines, in their order.
  BaselineOutcome Outcome() const;

  // The text without what is stale or refused, and how many of its lines have
  // no reason yet.
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

  Lines::iterator FirstOf(const std::string& file) {
    return lines_.lower_bound(Key(file, "", ""));
  }
  std::vector<KnownFinding> All(State state) const;

  Lines lines_;
  uint64_t known_ = 0;  // Findings.
  std::set<std::string> old_ids_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CONFIG_BASELINE_H_
