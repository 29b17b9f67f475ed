// Splitting a list of paths.
//
// SPDX-License-Identifier: Apache-2.0

#include "cli/file_list.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/input/open.h"
#include "parser/bytes.h"
#include "parser/quote.h"

namespace gguf {

absl::StatusOr<std::vector<std::string>> ReadFileList(const std::string& list,
                                                      char separator,
                                                      uint64_t stream_limit) {
  const auto input = Input::Open(list, stream_limit, Streams::kAny);
  if (!input.ok()) {
    return absl::Status(input.status().code(),
                        absl::StrCat("the list of files ", Quote(list), ": ",
                                     input.status().message()));
  }
  std::vector<std::string> paths;
  for (const absl::string_view path :
       absl::StrSplit(AsText(input->bytes()), separator, absl::SkipEmpty())) {
    // The system would open the file of the name before it.
    if (absl::StrContains(path, '\0')) {
      return absl::InvalidArgumentError(absl::StrCat(
          "the list of files ", Quote(list), ": path ", paths.size() + 1,
          " has a NUL; is it for --files-from0?"));
    }
    paths.push_back(path == "-" ? "./-" : std::string(path));
  }
  return paths;
}

}  // namespace gguf
