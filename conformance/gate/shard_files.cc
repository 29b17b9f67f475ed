// Finds the other shards of a model.
//
// SPDX-License-Identifier: Apache-2.0

#include "conformance/gate/shard_files.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "conformance/input/open.h"
#include "conformance/model/shard_name.h"

namespace gguf {
namespace {

namespace fs = std::filesystem;

// The common parts of the names of a model's shards: prefix and count.
using ModelName = std::pair<std::string, uint32_t>;
// The shards of a model by number.
using Shards = std::map<uint32_t, FoundFile>;
using Models = std::map<ModelName, Shards>;

ModelName ModelOf(const ShardName& name) {
  return {std::string(name.prefix), name.count};
}

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
    models[ModelOf(*name)][name->number] = {(folder / file_name).string(),
                                            RegularFileStatus(*it)};
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
    const fs::path folder = fs::path(file.path).parent_path();
    if (!name || !name->is_of_set()) return AddAlone(file);
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

std::vector<FileGroup> GroupShards(const std::vector<FoundFile>& found) {
  return Grouping().Run(found);
}

}  // namespace gguf
