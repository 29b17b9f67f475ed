// FileReport: what a check found in one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_ENGINE_FILE_REPORT_H_
#define GGUF_CONFORMANCE_ENGINE_FILE_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/engine/reader_verdict.h"
#include "conformance/model/reason.h"
#include "conformance/tables/kinds.h"
#include "kernels/weight_stats.h"
#include "parser/core/byte_order.h"
#include "parser/core/diagnostic.h"
#include "parser/core/rule.h"

namespace gguf {

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

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_ENGINE_FILE_REPORT_H_
