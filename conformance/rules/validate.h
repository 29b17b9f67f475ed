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
#include "conformance/integrity/digest.h"
#include "conformance/rules/base_model.h"
#include "conformance/rules/check.h"
#include "conformance/rules/gguf_kind.h"
#include "conformance/rules/profile.h"
#include "conformance/rules/reader_verdict.h"
#include "conformance/rules/reason.h"
#include "kernels/weight_stats.h"
#include "parser/byte_order.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/limits.h"
#include "parser/rule.h"

namespace gguf {

struct HouseRules;  // house.h

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
  const HouseRules* house = nullptr;
  // Run the checks of rules that the profile has off, too: FileReport::off.
  bool off_rules = false;

  // Only the beginning of the file is there, up to the end of the tensor table
  // at least; the bytes behind are zeros that nobody may look at.  Neither
  // weights nor digests can be asked for then.
  bool header_only = false;

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

struct Finding {
  Severity severity = Severity::kOff;
  Diagnostic diagnostic;
};

// What is known about one file after a check.  Owns its strings.
struct FileReport {
  std::string path;    // As the user gave it; "-" for standard input.
  uint64_t index = 0;  // Of all files that a run was asked for, from 0 on.
  std::optional<uint64_t> size;
  std::string format = "unknown";
  // Of an ancestor of GGUF: which model it holds, who reads it, what to do.
  std::string about;
  std::optional<uint32_t> version;
  std::optional<Endian> endian;
  std::optional<GgufKind> kind;  // Null when not all keys could be read.
  std::optional<uint64_t> keys;  // Read, that is, not just announced.
  std::optional<uint64_t> tensors;

  // By the file's name, when it was checked as one of a set of shards.
  struct Shard {
    uint32_t number;  // From 1 on, unless the name is wrong.
    uint32_t count;
  };
  std::optional<Shard> shard;

  // What some readers have limits for, of the keys and tensors that were read.
  struct Extremes {
    uint64_t tensor_types = 0;  // A bit for the id of each known type.
    uint64_t largest_dimension = 0;
    uint64_t longest_array = 0;  // Its elements; of arrays that are values.
  } extremes;

  // By offset, then by rule in the order of the catalogue.
  std::vector<Finding> findings;

  struct Counts {
    uint64_t error = 0;
    uint64_t warning = 0;
    uint64_t note = 0;
  } counts;  // Of all, kept or not.

  // Findings that somebody knows and accepts, and why: none of the others, and
  // not counted.
  struct Known {
    Finding finding;
    std::string reason;
  };
  std::vector<Known> known;

  struct More {
    const Rule* rule;
    Severity severity;
    uint64_t count;
  };
  std::vector<More> more;  // Of rules with more findings than were kept.

  struct NotChecked {
    const Rule* rule;
    std::string why;
    Reason::Meaning meaning;
  };
  std::vector<NotChecked> not_checked;

  // The same of the rules that the profile has off, which change no verdict; of
  // all of them with ValidateOptions::off_rules.
  struct Off {
    std::vector<Finding> findings;
    std::vector<More> more;
    std::vector<NotChecked> not_checked;
  } off;

  // The damage behind which the parser could not read on; empty when it read
  // all, or a limit stopped it.
  std::string stopped;
  const Rule* stopped_by = nullptr;  // The rule that it breaks, or null.

  struct TensorStats {
    std::string name;  // As in the file: any bytes.
    std::string type;
    std::vector<uint64_t> dims;  // In file order.
    WeightStats weights;
  };
  std::vector<TensorStats> stats;  // Of the tensors that were read.

  // Which programs will take the file (JudgeReaders); empty unless asked for.
  std::vector<ReaderVerdict> readers;

  // Why the check did not come to its end, for the environment or a limit;
  // empty when it did.  Such a file has not passed, whatever was found.
  std::string incomplete;
};

// Reports on a file's bytes.  `name` is its base name, empty for a stream; both
// outlive the call only.  Never fails: whatever the bytes, the report says what
// was found and what was not checked.  Fills in everything but `path`, `index`
// and `readers`.  `digest` is what the file is compared with; null when nobody
// says.
FileReport Validate(Bytes bytes, absl::string_view name, const Profile& profile,
                    const ValidateOptions& options, const Work& work = {},
                    const FileDigest* digest = nullptr);

// One file of a set of shards.
struct ShardFile {
  absl::string_view
      name;  // Base name: ParseShardName() knows it to be of a set.
  Bytes bytes;
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

#endif  // GGUF_CONFORMANCE_RULES_VALIDATE_H_
