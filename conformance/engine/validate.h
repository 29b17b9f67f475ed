// Validate: runs every rule of a profile over one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_VALIDATE_H_
#define GGUF_CONFORMANCE_ENGINE_VALIDATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/digest/digest.h"
#include "conformance/digest/sha256_list.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"
#include "conformance/model/base_model.h"
#include "parser/core/bytes.h"
#include "parser/core/limits.h"
#include "parser/core/source.h"

namespace gguf {

class Origin;   // origin.h
struct Policy;  // policy.h

struct ValidateOptions {
  Limits limits;

  // Read the data of all tensors, for the rules about weights.
  bool weights = false;
  // Also compute statistics of each tensor's weights; implies `weights`.
  bool stats = false;

  // The base of an adapter or control vector, or null; must outlive the call.
  const BaseModel* base = nullptr;
  // What the file is said to be made from, or null; must outlive the call.
  const Origin* origin = nullptr;
  // Your policy, which is checked in addition to the format, or null; must
  // outlive the call.
  const Policy* policy = nullptr;
  // Also run the checks of rules that the profile turns off; see
  // FileReport::off.
  bool off_rules = false;

  // Compare each file with the digest that is passed for it.
  bool digests = false;
  // Compare each whole file with the SHA-256 that is passed for it.
  bool sha256 = false;
};

// Work: how one call reads weights and digests.
struct Work {
  unsigned jobs = 1;  // Threads.
  // Called from time to time, by one thread at a time, with the number of bytes
  // read and of all bytes of one pass over the data.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The check ends, incomplete, when this returns true.
  std::function<bool()> interrupted;
};

// Checks a file.  Never fails: whatever the bytes, the report lists the
// findings and the rules that were not checked.  Sets all members except
// `path`, `index` and `readers`.  `digest` is the expected digest, or null;
// `sha256`, that of the whole file, or nothing.
//
// The bytes may change during the call, like those of a mapped file.  Then
// nothing outside them is read, but the report is meaningless.
FileReport Validate(const Source& source, const Profile& profile,
                    const ValidateOptions& options, const Work& work = {},
                    const FileDigest* digest = nullptr,
                    const std::optional<ExpectedSha256>& sha256 = {});

// One file of a set of shards.
struct ShardFile {
  Source source;           // ParseShardName() parses its name as one of a set.
  std::string why_unread;  // Why the file could not be read; empty if it could.
  const FileDigest* digest = nullptr;  // As for Validate().
  std::optional<ExpectedSha256> sha256 = {};
};

// Checks the files of one split model: at least one, with names that differ
// only in the number.  The rules about models check them as one model.  Each
// finding is in the report of its file; findings about the whole set are in the
// report of the first.  If no file claims to be a shard, the files are checked
// one by one, whatever their names.  The time limit is multiplied by the number
// of files; those of keys and tensors apply to all shards together: once they
// are exceeded, no further shard is read.
//
// Otherwise like Validate().  Returns a report for each file, in the same
// order.
std::vector<FileReport> ValidateSet(const std::vector<ShardFile>& files,
                                    const Profile& profile,
                                    const ValidateOptions& options,
                                    const Work& work = {});

// Returns the report of a file that could not be read at all.
FileReport Unchecked(absl::string_view why, const Profile& profile);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_VALIDATE_H_
