// For any name, its parts according to the naming convention join to the same
// name; an older version of the convention accepts no names that the newer
// rejects; and the shard is the one by which its set is found.
//
// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "conformance/model/file_name.h"
#include "fuzz/target.h"

namespace gguf {
namespace {

std::string Join(const FileNameParts& parts) {
  std::map<std::string, std::string> of(parts.begin(), parts.end());
  Require(of.size() == parts.size());
  const auto before = [&](const char* dash, const char* part) {
    return of.count(part) > 0 ? dash + of[part] : "";
  };
  const std::string sidecar = of.count("Sidecar") > 0 ? of["Sidecar"] + "-" : "";
  // The dash before a size label is present even without a label.
  return absl::StrCat(sidecar, of.at("BaseName"), "-", of["SizeLabel"], before("-", "FineTune"),
                      "-", of.at("Version"), before("-", "Encoding"), before("-", "Type"),
                      before("-", "Shard"), ".gguf");
}

void CheckShard(absl::string_view name) {
  const auto shard = ParseShardName(name);
  if (!shard) return;
  Require(absl::StrCat(shard->prefix, ShardSuffix(shard->number, shard->count)) == name);
}

void CheckParts(absl::string_view name, const FileNameParts& parts) {
  Require(Join(parts) == name);
  const auto shard = ParseShardName(name);
  const bool has_shard = parts.back().first == "Shard";
  Require(has_shard == shard.has_value());
  if (has_shard) {
    Require(absl::StrCat("-", parts.back().second, ".gguf") ==
            ShardSuffix(shard->number, shard->count));
  }
}

}  // namespace
}  // namespace gguf

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gguf::NamingConvention;
  // A copy of exact size, so that ASan detects a read past its end.
  const std::string name(reinterpret_cast<const char*>(data), size);
  gguf::CheckShard(name);
  const auto parts = gguf::ParseFileName(name);
  const auto old = gguf::ParseFileName(name, NamingConvention::k2024);
  if (parts) gguf::CheckParts(name, *parts);
  if (old) gguf::CheckParts(name, *old);
  if (old) gguf::Require(parts.has_value());
  const bool has_sidecar = parts && parts->front().first == "Sidecar";
  if (parts && !has_sidecar) gguf::Require(parts == old);
  return 0;
}
