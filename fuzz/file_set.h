// A few files as one input of a fuzz target.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_FUZZ_FILE_SET_H_
#define GGUF_FUZZ_FILE_SET_H_

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace gguf {

inline constexpr absl::string_view kBetweenFiles = "\n==== next file ====\n";
inline constexpr size_t kMostFiles = 4;

inline std::vector<std::string> SplitFiles(absl::string_view input) {
  return absl::StrSplit(input, absl::MaxSplits(kBetweenFiles, kMostFiles - 1));
}

inline std::string JoinFiles(const std::vector<std::string>& files) {
  return absl::StrJoin(files, kBetweenFiles);
}

}  // namespace gguf

#endif  // GGUF_FUZZ_FILE_SET_H_
