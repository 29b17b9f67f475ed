// ShardName: the shard number and count in a file name.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_SHARD_NAME_H_
#define GGUF_CONFORMANCE_MODEL_SHARD_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gguf {

// "Mixtral-8x7B-v0.1-00002-of-00003.gguf".  The numbers are those of the name:
// they may be 0, and `number` may be above `count`.
//
// Source: gguf.md, naming convention, Shard; llama.cpp's llama_split_path.
struct ShardName {
  absl::string_view prefix;  // "Mixtral-8x7B-v0.1"; part of the name parsed.
  uint32_t number = 0;       // Counts from 1; split.no counts from 0.
  uint32_t count = 0;

  // Returns whether the name is that of one of several shards.
  bool is_of_set() const { return count > 1; }
  // Returns whether the set should have a shard of this number.
  bool is_in_count() const { return number >= 1 && number <= count; }
};

// Parses a base name.  Returns nothing if it does not end like a shard's name.
std::optional<ShardName> ParseShardName(absl::string_view name);

// Returns "-00002-of-00003.gguf" for number 2 of 3.
std::string ShardSuffix(uint64_t number, uint64_t count);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_SHARD_NAME_H_
