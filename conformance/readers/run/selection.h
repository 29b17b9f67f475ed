// Selection: which cases of the corpus a run is about.
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
  // Globs over section/name, in which * also stands for a slash.  None: all.
  std::vector<std::string> selectors;
  // "must", "should": those of must, too; "may": all.
  std::string level = "may";
};

// The cases of the folder that are selected, sorted by id.  NotFound: a
// selector that no id of `ids` matches, or none is left.  InvalidArgument: a
// case that is no good.
absl::StatusOr<std::vector<corpus::Case>> SelectCases(
    const Selection& selection, const std::string& cases,
    const std::vector<std::string>& ids);

// Keeps the cases of a shard: every count-th.
void KeepShard(const ShardInfo& shard, std::vector<corpus::Case>* cases);

// "1/4" to "4/4".
absl::StatusOr<ShardInfo> ParseShard(absl::string_view text);

// A time with its unit, "2s", "500ms" or "1.5m", up to a day.
absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view text);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_SELECTION_H_
