// SPDX-License-Identifier: Apache-2.0

#include "corpus/flags.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "corpus/image_file.h"

namespace gguf::corpus {

absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<Flag> flags;
  int line_number = 0;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (++line_number == 1 || line.empty()) continue;  // 1 is the heading.
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const bool again =
        std::any_of(flags.begin(), flags.end(),
                    [&](const Flag& flag) { return flag.name == fields[0]; });
    if (fields.size() != 2 || fields[0].empty() || fields[1].empty() || again) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": line ", line_number,
                       again ? " has a flag that was there before"
                             : " is no flag, a tab and a meaning"));
    }
    flags.push_back({fields[0], fields[1]});
  }
  return flags;
}

}  // namespace gguf::corpus
