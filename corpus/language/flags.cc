// SPDX-License-Identifier: Apache-2.0

#include "corpus/language/flags.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "corpus/language/image_file.h"

namespace gguf::corpus {
namespace {

// Returns the rows after the heading; errors call the columns `key` and
// `value`.
absl::StatusOr<std::vector<Flag>> ReadRows(const std::string& path, absl::string_view key,
                                           absl::string_view value) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  std::vector<Flag> rows;
  std::set<std::string> keys;
  int line_number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    absl::ConsumeSuffix(&line, "\r");
    if (++line_number == 1 || line.empty()) continue;  // Line 1 is the heading.
    const std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const bool complete = fields.size() == 2 && !fields[0].empty() && !fields[1].empty();
    if (!complete || !keys.insert(fields[0]).second) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": line ", line_number,
                       complete ? absl::StrCat(" has a duplicate ", key)
                                : absl::StrCat(" is not of the form ", key, "<TAB>", value)));
    }
    rows.push_back({fields[0], fields[1]});
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<Flag>> ReadFlags(const std::string& path) {
  return ReadRows(path, "flag", "meaning");
}

absl::StatusOr<std::set<std::string>> ReadRetired(const std::string& path) {
  const auto rows = ReadRows(path, "id", "reason");
  std::set<std::string> ids;
  if (absl::IsNotFound(rows.status())) return ids;
  if (!rows.ok()) return rows.status();
  for (const Flag& row : *rows) ids.insert(row.name);
  return ids;
}

}  // namespace gguf::corpus
