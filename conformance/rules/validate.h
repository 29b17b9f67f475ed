// Validate: runs every rule of a profile over one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_VALIDATE_H_
#define GGUF_CONFORMANCE_RULES_VALIDATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/base/bytes.h"
#include "conformance/model/base_model.h"
#include "conformance/model/digest.h"
#include "conformance/model/whole_digest.h"
#include "conformance/rules/check_options.h"
#include "conformance/rules/file_report.h"
#include "conformance/rules/profile.h"

namespace gguf {

class Origin;   // origin.h
struct Policy;  // policy.h

// Expected: what a file should agree with, besides the format.  All of it must
// outlive the check.
struct Expected {
  // The base of an adapter or control vector; null for none.
  const BaseModel* base = nullptr;
  // What the file is said to be made from; null for none.
  const Origin* origin = nullptr;
  // Your policy; null for none.
  const Policy* policy = nullptr;
  // Its digest and the SHA-256 of the whole file, if the options ask for these:
  // null or nothing if they are not known.
  const FileDigest* digest = nullptr;
  std::optional<ExpectedSha256> sha256 = {};
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
// `path`, `index` and `readers`.
//
// The bytes may change during the call, like those of a mapped file.  Then
// nothing outside them is read, but the report is meaningless.
FileReport Validate(const Source& source, const Profile& profile, const CheckOptions& options,
                    const Expected& expected = {}, const Work& work = {});

// One file of a set of shards.
struct ShardFile {
  Source source;           // ParseShardName() parses its name as one of a set.
  std::string why_unread;  // Why the file could not be read; empty if it could.
  Expected expected = {};
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
std::vector<FileReport> ValidateSet(const std::vector<ShardFile>& files, const Profile& profile,
                                    const CheckOptions& options, const Work& work = {});

// Returns the report of a file that could not be read at all.
FileReport Unchecked(absl::string_view why, const Profile& profile);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_VALIDATE_H_
