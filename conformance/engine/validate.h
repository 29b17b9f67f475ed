// Validate: runs every rule of a profile over one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_VALIDATE_H_
#define GGUF_CONFORMANCE_ENGINE_VALIDATE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/digest/digest.h"
#include "conformance/model/base_model.h"
#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"
#include "parser/core/bytes.h"
#include "parser/core/limits.h"
#include "parser/core/source.h"

namespace gguf {

struct Policy;  // policy.h

struct ValidateOptions {
  Limits limits;

  // Read the data of all tensors: the rules about weights.
  bool weights = false;
  // Statistics of each tensor's weights, too; implies `weights`.
  bool stats = false;

  // What an adapter or a control vector is judged against; it outlives the
  // call.
  const BaseModel* base = nullptr;
  // What is asked beyond the format; null for nothing.  Outlives the call.
  const Policy* policy = nullptr;
  // Run the checks of rules that the profile has off, too: FileReport::off.
  bool off_rules = false;

  // Compare each file with the digest that the call has for it.
  bool digests = false;
};

// How weights and digests are read in one call.
struct Work {
  unsigned jobs = 1;  // Threads.
  // Called now and then with the bytes read and those there are.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // The check ends, incomplete, when it says true.
  std::function<bool()> interrupted;
};

// Reports on a file.  Never fails: whatever the bytes, the report says what was
// found and what was not checked.  Fills in everything but `path`, `index` and
// `readers`.  `digest` is what the file is compared with; null when there is
// none.
//
// The bytes may change during the call, as those of a mapped file: then nothing
// outside of them is read, but the report is of no use.
FileReport Validate(const Source& source, const Profile& profile,
                    const ValidateOptions& options, const Work& work = {},
                    const FileDigest* digest = nullptr);

// One file of a set of shards.
struct ShardFile {
  Source source;           // ParseShardName() knows its name to be of a set.
  std::string why_unread;  // Why there are no bytes; empty when there are.
  const FileDigest* digest = nullptr;  // As for Validate().
};

// Reports on the files of one model that was split: at least one, with names
// that differ in the number only.  The rules about models judge them as one;
// each finding is in the report of the file that it is about, and what is about
// all of them in that of the first.  Files of which none says to be a shard are
// checked one by one, whatever their names.  A limit of time is for each file,
// and counts for all together.
//
// As Validate otherwise; a report for each file, in their order.
std::vector<FileReport> ValidateSet(const std::vector<ShardFile>& files,
                                    const Profile& profile,
                                    const ValidateOptions& options,
                                    const Work& work = {});

// The report on a file that could not be read at all.
FileReport Unchecked(absl::string_view why, const Profile& profile);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_VALIDATE_H_
