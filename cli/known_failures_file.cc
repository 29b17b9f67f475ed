// SPDX-License-Identifier: Apache-2.0

#include "cli/known_failures_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "conformance/output/output_file.h"
#include "corpus/language/image_file.h"

namespace gguf {

absl::StatusOr<KnownFailuresFile> KnownFailuresFile::Read(const std::string& path, bool fix) {
  KnownFailuresFile file;
  file.path_ = path;
  if (path.empty()) {
    if (!fix) return file;
    return absl::InvalidArgumentError("--fix needs --known-failures FILE");
  }
  absl::StatusOr<std::string> text = corpus::ReadFile(path);
  if (text.ok()) {
    file.text_ = *std::move(text);
  } else if (!fix || !absl::IsNotFound(text.status())) {
    return absl::UnavailableError(text.status().message());
  }
  auto list = readers::KnownFailures::Parse(file.text_);
  if (!list.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", list.status().message()));
  }
  file.list_ = *std::move(list);
  return file;
}

std::vector<std::string> KnownFailuresFile::Differences(
    const std::vector<readers::CaseRecord>& records, const std::set<std::string>& ids) const {
  std::vector<std::string> differences;
  if (path_.empty()) return differences;
  for (const std::string& id : list_.Gone(ids)) {
    differences.push_back(
        absl::StrCat(path_, ": case ", id, " no longer exists; remove the line, or use --fix"));
  }
  constexpr size_t kShown = 10;
  std::vector<std::string> unlisted;
  for (const readers::CaseRecord& record : records) {
    if (record.result == readers::CaseResult::kXpass) {
      differences.push_back(
          absl::StrCat(path_, ": ", record.id,
                       " is listed as a known failure, but passes; remove the line, or use --fix"));
    } else if (readers::IsUnexpected(record.result)) {
      unlisted.push_back(absl::StrCat(path_, ": new failure of ", record.id, ", ",
                                      InfoOf(record.result).name,
                                      "; fix the reader, or use --fix"));
    }
  }
  const size_t shown = std::min(unlisted.size(), kShown);
  differences.insert(differences.end(), unlisted.begin(), unlisted.begin() + shown);
  if (shown < unlisted.size()) {
    differences.push_back(absl::StrCat(path_, ": ", unlisted.size() - shown, " more new failures"));
  }
  return differences;
}

absl::Status KnownFailuresFile::Fix(const std::vector<readers::CaseRecord>& records,
                                    const std::set<std::string>& ids) const {
  return ReplaceFile(path_, readers::KnownFailures::Fix(text_, records, ids), InputFiles());
}

}  // namespace gguf
