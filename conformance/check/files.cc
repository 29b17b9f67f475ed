// Searches directories for models, and finds the other shards of a model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/check/files.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "conformance/base/bytes.h"
#include "conformance/base/text.h"
#include "conformance/input/open.h"
#include "conformance/model/file_name.h"
#include "conformance/model/text_match.h"
#include "parser/sniff.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

// Returns ok for a regular file or a link to one; else why it must not be
// opened.
absl::Status RegularFileStatus(const fs::directory_entry& entry) {
  std::error_code error;
  // Known from the directory, unless it is a link.
  if (entry.is_regular_file(error)) return absl::OkStatus();
  const fs::file_type type = entry.status(error).type();
  if (error || type == fs::file_type::not_found) {
    return absl::NotFoundError("cannot open: " + error.message());
  }
  if (type == fs::file_type::regular) return absl::OkStatus();
  return absl::InvalidArgumentError("is not a regular file");
}

// Returns whether the file begins like a GGUF file, or, with `may_be_legacy`,
// like one in a legacy format.
absl::StatusOr<bool> HasModelMagic(const fs::path& path, bool may_be_legacy) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::ErrnoToStatus(errno, "cannot open");
  std::string head(may_be_legacy ? 512 : 16, '\0');
  file.read(&head[0], head.size());
  if (file.bad()) return absl::ErrnoToStatus(errno, "cannot read");
  head.resize(file.gcount());
  const FileKind kind = Sniff(AsBytes(head));
  return head.size() >= 4 && (kind.is_gguf || (may_be_legacy && kind.legacy != nullptr));
}

// The search of one directory and its subdirectories.
class Search {
 public:
  Search(const FileChoice& choice, const Deadline& end) : choice_(choice), end_(end) {}

  FoundFiles Run(const std::string& root) {
    std::vector<fs::path> open = {root};
    while (!open.empty()) {
      const fs::path directory = open.back();
      open.pop_back();
      std::error_code error;
      fs::directory_iterator it(directory, error), end;
      for (; !error && it != end; it.increment(error)) {
        if (end_.passed()) {
          AddBad(directory, absl::CancelledError("search " + end_.why()));
          open.clear();
          break;
        }
        if (IsFolder(*it)) {
          open.push_back(it->path());
        } else {
          Consider(*it);
        }
      }
      if (error) {
        AddBad(directory, absl::PermissionDeniedError("cannot search: " + error.message()));
      }
    }
    AddUnnamed();
    if (found_.files.empty()) {
      AddBad(root, absl::NotFoundError(
                       absl::StrCat("no model files in this directory, which has ", found_.skipped,
                                    " others; --all-files checks files of any kind")));
    }
    absl::c_sort(found_.files,
                 [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
    absl::c_sort(found_.skipped_paths);
    return std::move(found_);
  }

 private:
  // Returns whether the entry is a directory and not a link to one; following
  // no links guarantees that the search ends.
  static bool IsFolder(const fs::directory_entry& entry) {
    std::error_code ignored;
    return !entry.is_symlink(ignored) && entry.is_directory(ignored);
  }

  // Adds the entry if it is to be checked, or cannot be examined.
  void Consider(const fs::directory_entry& entry) {
    std::error_code ignored;
    if (entry.is_directory(ignored)) {
      return AddBad(entry.path(),
                    absl::InvalidArgumentError("links to directories are not followed"));
    }
    const std::string name = entry.path().filename().string();
    const std::string extension = absl::AsciiStrToLower(entry.path().extension().string());
    const bool is_named = choice_.all || extension == ".gguf" || extension == ".ggml" ||
                          extension == ".ggmf" || extension == ".ggjt" ||
                          absl::c_any_of(choice_.include, [&](const std::string& glob) {
                            return MatchesGlob(name, glob);
                          });
    const bool may_be_legacy = extension == ".bin" || extension == ".dat";
    const absl::Status status = RegularFileStatus(entry);
    absl::StatusOr<bool> is_model = is_named;
    if (!status.ok()) {
      is_model = status;
    } else if (!is_named) {
      is_model = HasModelMagic(entry.path(), may_be_legacy);
    }
    if (is_model.ok() && *is_model) {
      const FoundFile found = {entry.path().string(), absl::OkStatus()};
      if (is_named || may_be_legacy) {
        found_.files.push_back(found);
      } else {
        unnamed_.push_back(found);
      }
    } else if (!is_model.ok() && (is_named || may_be_legacy)) {
      AddBad(entry.path(), is_model.status());
    } else {
      ++found_.skipped;
      found_.skipped_paths.push_back(entry.path().string());
    }
  }

  // Adds the models without a name, except those to which a name leads: the
  // blobs of a cache are linked from files with names.
  void AddUnnamed() {
    if (unnamed_.empty()) return;
    std::set<FileId> named;
    for (const FoundFile& file : found_.files) {
      if (file.status.ok()) named.insert(IdOf(file.path));
    }
    for (const FoundFile& file : unnamed_) {
      if (named.count(IdOf(file.path)) == 0) found_.files.push_back(file);
    }
  }

  void AddBad(const fs::path& path, absl::Status status) {
    found_.files.push_back({path.string(), std::move(status)});
  }

  // Device and inode.
  using FileId = std::pair<dev_t, ino_t>;
  static FileId IdOf(const std::string& path) {
    struct stat status = {};
    (void)!stat(path.c_str(), &status);
    return {status.st_dev, status.st_ino};
  }

  const FileChoice& choice_;
  const Deadline& end_;
  FoundFiles found_;
  std::vector<FoundFile> unnamed_;  // Models by their bytes alone.
};

// The common parts of the names of a model's shards: prefix and count.
using ModelName = std::pair<std::string, uint32_t>;
// The shards of a model by number.
using Shards = std::map<uint32_t, FoundFile>;
using Models = std::map<ModelName, Shards>;

ModelName ModelOf(const ShardName& name) { return {std::string(name.prefix), name.count}; }

// Returns the shards in a folder; nothing when it cannot be listed.
std::optional<Models> ListShards(const fs::path& folder) {
  Models models;
  std::error_code error;
  fs::directory_iterator it(folder.empty() ? "." : folder, error), end;
  for (; !error && it != end; it.increment(error)) {
    const std::string file_name = it->path().filename().string();
    const auto name = ParseShardName(file_name);
    std::error_code ignored;
    if (!name || !name->is_of_set() || it->is_directory(ignored)) continue;
    models[ModelOf(*name)][name->number] = {(folder / file_name).string(), RegularFileStatus(*it)};
  }
  if (error) return std::nullopt;
  return models;
}

class Grouping {
 public:
  std::vector<FileGroup> Run(const std::vector<FoundFile>& found) {
    for (const FoundFile& file : found) Add(file);
    for (const auto& [shards, place] : sets_) {
      FileGroup& group = groups_[place];
      group.is_set = true;
      for (const auto& [number, file] : *shards) group.files.push_back(file);
    }
    uint64_t files = 0;
    for (FileGroup& group : groups_) {
      group.first_index = files;
      files += group.files.size();
    }
    return std::move(groups_);
  }

 private:
  void Add(const FoundFile& file) {
    const std::string base = BaseName(file.path);
    const auto name = ParseShardName(base);
    if (!name || !name->is_of_set()) return AddAlone(file);
    const fs::path folder = fs::path(file.path).parent_path();
    auto listed = folders_.find(folder);
    if (listed == folders_.end()) {
      listed = folders_.emplace(folder, ListShards(folder)).first;
    }
    if (!listed->second) return AddAlone(file);
    Shards& shards = (*listed->second)[ModelOf(*name)];
    shards[name->number] = file;  // As given by the user, existing or not.
    if (sets_.emplace(&shards, groups_.size()).second) groups_.emplace_back();
  }

  void AddAlone(const FoundFile& file) { groups_.push_back({false, {file}}); }

  std::map<fs::path, std::optional<Models>> folders_;
  std::vector<FileGroup> groups_;
  std::map<const Shards*, size_t> sets_;  // Their places in `groups_`.
};

}  // namespace

std::string FolderOf(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  const fs::path folder = (error ? fs::path(path) : absolute).parent_path();
  const fs::path canonical = fs::weakly_canonical(folder, error);
  return (error ? folder.lexically_normal() : canonical).string();
}

std::string PathFrom(const std::string& folder, const std::string& path) {
  if (path == "-") return path;
  const fs::path file = fs::path(FolderOf(path)) / fs::path(path).filename();
  return file.lexically_relative(folder).string();
}

absl::StatusOr<std::vector<std::string>> ReadFileList(const FileList& list, uint64_t stream_limit,
                                                      const Deadline& deadline) {
  const auto wrong = [&](absl::string_view what) {
    return absl::FailedPreconditionError(
        absl::StrCat("the list of files ", Quote(list.path), ": ", what));
  };
  const auto input = Input::Open(list.path, stream_limit, Streams::kAny, deadline);
  if (!input.ok()) return wrong(input.status().message());
  std::vector<std::string> paths;
  for (absl::string_view path :
       absl::StrSplit(AsText(input->bytes()), list.separator, absl::SkipEmpty())) {
    if (list.separator == '\n' && absl::ConsumeSuffix(&path, "\r") && path.empty()) continue;
    // The system would truncate the name at the NUL and open another file.
    if (absl::StrContains(path, '\0')) {
      return wrong(
          absl::StrCat("path ", paths.size() + 1, " has a NUL; did you mean --files-from0?"));
    }
    paths.push_back(path == "-" ? "./-" : std::string(path));
  }
  return paths;
}

FoundFiles FindFiles(const std::vector<std::string>& paths, const FileChoice& choice,
                     const OpenOptions& options) {
  const Deadline end(0, options.interrupted);
  FoundFiles all;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (IsRepository(path)) {
      const auto listed = ListRepository(path, options);
      if (!listed.ok()) all.files.push_back({path, listed.status()});
      for (const std::string& file : listed.value_or(std::vector<std::string>())) {
        all.files.push_back({file, absl::OkStatus()});
      }
      continue;
    }
    if (path == "-" || !fs::is_directory(path, ignored)) {
      all.files.push_back({path, absl::OkStatus()});
      continue;
    }
    const FoundFiles found = Search(choice, end).Run(path);
    absl::c_copy(found.files, std::back_inserter(all.files));
    absl::c_copy(found.skipped_paths, std::back_inserter(all.skipped_paths));
    all.skipped += found.skipped;
  }
  all.skipped_paths.resize(std::min<size_t>(all.skipped, kMostSkippedPaths));
  return all;
}

std::vector<FileGroup> GroupShards(const std::vector<FoundFile>& found) {
  return Grouping().Run(found);
}

}  // namespace gguf
