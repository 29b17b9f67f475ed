// Selects and writes cases.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/readers/run/cases.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "conformance/base/text.h"
#include "corpus/export/collection.h"
#include "corpus/language/assemble.h"
#include "corpus/language/image.h"

namespace gguf::readers {
namespace {

namespace fs = std::filesystem;

bool Matches(const std::string& selector, const std::string& id) {
  return fnmatch(selector.c_str(), id.c_str(), 0) == 0;
}

bool MatchesAny(const std::vector<std::string>& selectors, const std::string& id) {
  return selectors.empty() || absl::c_any_of(selectors, [&](const std::string& selector) {
           return Matches(selector, id);
         });
}

// Whether the file of a case is stored in the exported corpus.
absl::StatusOr<bool> IsSmall(const corpus::Case& a_case) {
  const auto image = corpus::Assemble(a_case.document);
  if (!image.ok()) return image.status();
  return image->size() <= corpus::kLargestFile;
}

bool IsOfLevel(const corpus::Case& a_case, absl::string_view level) {
  if (level == "must") return a_case.level == "must";
  return level == "may" || a_case.level != "may";
}

}  // namespace

absl::StatusOr<std::vector<corpus::Case>> SelectCases(const Selection& selection,
                                                      const std::string& cases,
                                                      const std::vector<std::string>& ids) {
  for (const std::string& selector : selection.selectors) {
    if (absl::c_none_of(ids, [&](const std::string& id) { return Matches(selector, id); })) {
      return absl::NotFoundError(
          absl::StrCat("no case matches ", Quote(selector),
                       ": expected a glob over section/name, such as 'tensors/*'; ggufcheck corpus "
                       "list shows all cases"));
    }
  }
  std::vector<corpus::Case> selected;
  for (const std::string& id : ids) {
    if (!MatchesAny(selection.selectors, id)) continue;
    absl::StatusOr<corpus::Case> read = corpus::LoadCase(cases, id);
    if (!read.ok()) return read.status();
    if (!IsOfLevel(*read, selection.level)) continue;
    if (selection.small) {
      const absl::StatusOr<bool> small = IsSmall(*read);
      if (!small.ok()) return small.status();
      if (!*small) continue;
    }
    selected.push_back(*std::move(read));
  }
  if (selected.empty()) {
    return absl::NotFoundError(absl::StrCat("no case left at --level ", selection.level,
                                            selection.small ? " and with --small" : "",
                                            "; --level may selects all"));
  }
  return selected;
}

void KeepShard(const ShardInfo& shard, std::vector<corpus::Case>* cases) {
  std::vector<corpus::Case> kept;
  for (size_t i = shard.index; i < cases->size(); i += shard.count) {
    kept.push_back(std::move((*cases)[i]));
  }
  *cases = std::move(kept);
}

absl::StatusOr<absl::Duration> ParseTimeout(absl::string_view text) {
  absl::Duration time;
  // Abseil accepts "0" without a unit, but it is not a useful timeout.
  if (!absl::ParseDuration(text, &time) || time <= absl::ZeroDuration() || time > absl::Hours(24)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "invalid time ", Quote(text), ": expected a number with a unit, such as 2s or 500ms"));
  }
  return time;
}

absl::StatusOr<TemporaryFolder> TemporaryFolder::Make() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), "the temporary folder (TMPDIR) cannot be used");
  }
  parent = fs::absolute(parent, error);
  std::string path = (parent / "ggufcheck-readers-XXXXXX").string();
  if (error || mkdtemp(&path[0]) == nullptr) {
    return absl::ErrnoToStatus(error ? error.value() : errno,
                               absl::StrCat("cannot make the folder ", path));
  }
  return TemporaryFolder(std::move(path));
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

absl::StatusOr<CaseFile> WriteCase(const corpus::Case& a_case, const corpus::Loader& load,
                                   const std::string& parent) {
  TemporaryFolder folder(absl::StrCat(parent, "/", a_case.id));
  const auto path_of = [&](const corpus::Case& written) {
    return absl::StrCat(folder.path(), "/", FileNameOf(written));
  };
  std::error_code error;
  fs::create_directories(folder.path(), error);
  if (error) {
    return absl::ErrnoToStatus(error.value(), absl::StrCat("cannot make ", folder.path()));
  }
  std::string path = path_of(a_case);
  absl::StatusOr<corpus::Image> image = WriteDocument(a_case.document, path);
  if (!image.ok()) return image.status();
  for (const std::string& id : a_case.set) {
    const absl::StatusOr<std::string> text = load(id);
    if (!text.ok()) return text.status();
    const auto shard = corpus::ReadCase(id, *text, load);
    if (!shard.ok()) return shard.status();
    const auto other = WriteDocument(shard->document, path_of(*shard));
    if (!other.ok()) return other.status();
  }
  return CaseFile{std::move(folder), std::move(path), *std::move(image)};
}

absl::StatusOr<corpus::Image> WriteDocument(const corpus::Document& document,
                                            const std::string& path) {
  absl::StatusOr<corpus::Image> image = corpus::Assemble(document);
  if (!image.ok()) return image;
  const absl::Status written = corpus::WriteImage(*image, path);
  if (!written.ok()) return written;
  return image;
}

std::string FileNameOf(const corpus::Case& a_case) {
  if (!a_case.file_name.empty()) return a_case.file_name;
  return absl::StrCat(fs::path(a_case.id).filename().string(), ".gguf");
}

}  // namespace gguf::readers
