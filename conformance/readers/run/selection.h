// Selection: selects the cases of a run.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_SELECTION_H_
#define GGUF_CONFORMANCE_READERS_RUN_SELECTION_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "conformance/readers/run/run_log.h"
#include "corpus/language/case.h"

namespace gguf::readers {

struct Selection {
  // Globs over section/name, in which * also matches a slash.  Empty: all.
  std::vector<std::string> selectors;
  // "must"; "should", which includes must; or "may": all.
  std::string level = "may";
  bool small = false;  // Leaves out files of more than 64 KiB.
};

// Returns the selected cases of the folder, sorted by id.  NotFound: a selector
// matches none of `ids`, or no case is left.  InvalidArgument: a malformed
// case.
absl::StatusOr<std::vector<corpus::Case>> SelectCases(
    const Selection& selection, const std::string& cases,
    const std::vector<std::string>& ids);

// Keeps the cases of a shard: every count-th one.
void KeepShard(const ShardInfo& shard, std::vector<corpus::Case>* cases);

// Parses a time with its unit, up to a day: "2s", "500ms", "1.5m".
absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view text);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_SELECTION_H_
