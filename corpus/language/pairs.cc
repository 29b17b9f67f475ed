// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/pairs.h"

#include <set>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "corpus/language/image_file.h"

namespace gguf::corpus {

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadPairs(
    const std::string& path, absl::string_view key, absl::string_view value) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<std::pair<std::string, std::string>> pairs;
  std::set<std::string> keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (++line_number == 1 || line.empty()) continue;  // Line 1 is the heading.
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const bool complete =
        fields.size() == 2 && !fields[0].empty() && !fields[1].empty();
    if (!complete || !keys.insert(fields[0]).second) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, ": line ", line_number,
          complete
              ? absl::StrCat(" has a duplicate ", key)
              : absl::StrCat(" is not of the form ", key, "<TAB>", value)));
    }
    pairs.emplace_back(fields[0], fields[1]);
  }
  return pairs;
}

}  // namespace gguf::corpus
