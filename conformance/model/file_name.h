// Names of model files: by the naming convention, as publishers write them, and of shards.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_MODEL_FILE_NAME_H_
#define GGUF_CONFORMANCE_MODEL_FILE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gguf {

// ShardName: the shard number and count in a file name.

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

// The naming convention of GGUF files.

// The versions of the convention: the newest has a sidecar prefix.
enum class NamingConvention { k2024, k2026 };

// The components that are present, under the specification's names and in
// order: Sidecar, BaseName, SizeLabel, FineTune, Version, Encoding, Type,
// Shard.
using FileNameParts = std::vector<std::pair<std::string, std::string>>;

// Splits a file's base name like the specification's regular expression, in
// time linear in its length.  Returns nothing if it does not match.  `name` is
// UTF-8.
//
// Source: gguf.md, "GGUF Naming Convention".  The published expression takes
// exponential time in engines that backtrack.
std::optional<FileNameParts> ParseFileName(absl::string_view name,
                                           NamingConvention convention = NamingConvention::k2026);

// File names that do not follow the naming convention, as publishers write
// them: "gemma-3-27b-it-UD-Q4_K_XL.gguf", "mixtral-8x7b-v0.1.Q4_K_M.gguf".

// Returns the parts that can be told from a file's base name: Sidecar,
// SizeLabel and Encoding, the last part after a dash or a dot.  A part that may
// mean something else is left out; the encoding may be any word.
FileNameParts ParseLooseFileName(absl::string_view name);

// Replaces the dots between words by dashes, and keeps those of numbers:
// "llama-3.1-8b.Q4_K_M" -> "llama-3.1-8b-Q4_K_M".
std::string WithoutDots(absl::string_view name);

// Returns whether a size label is one: publishers write context lengths such as
// 4k in the same place, always in lower case.
bool IsSizeNotContext(absl::string_view label);

// Returns what a file of this name is, such as "an unfinished download", and what to do about it,
// by the endings of browsers, download managers and programs that split files.  Empty for any other
// name, also for that of a shard, which is complete.
std::string WhatIsUnfinished(absl::string_view name);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_MODEL_FILE_NAME_H_
