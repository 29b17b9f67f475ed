// Splits a list of paths.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/file_list.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "conformance/input/open.h"
#include "parser/core/bytes.h"
#include "parser/core/quote.h"

namespace gguf {

absl::StatusOr<std::vector<std::string>> ReadFileList(const FileList& list,
                                                      uint64_t stream_limit) {
  const auto wrong = [&](absl::string_view what) {
    return absl::FailedPreconditionError(
        absl::StrCat("the list of files ", Quote(list.path), ": ", what));
  };
  const auto input = Input::Open(list.path, stream_limit, Streams::kAny);
  if (!input.ok()) return wrong(input.status().message());
  std::vector<std::string> paths;
  for (const absl::string_view path : absl::StrSplit(
           AsText(input->bytes()), list.separator, absl::SkipEmpty())) {
    // The system would truncate the name at the NUL and open another file.
    if (absl::StrContains(path, '\0')) {
      return wrong(absl::StrCat("path ", paths.size() + 1,
                                " has a NUL; did you mean --files-from0?"));
    }
    paths.push_back(path == "-" ? "./-" : std::string(path));
  }
  return paths;
}

}  // namespace gguf
