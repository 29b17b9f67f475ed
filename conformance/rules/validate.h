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
#include "conformance/rules/profile.h"
#include "kernels/weight_stats.h"
#include "parser/byte_order.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/limits.h"
#include "parser/rule.h"

namespace gguf {

// Why a rule was not checked that nobody asked for; it changes no verdict.
inline constexpr char kNotRequested[] = "not requested";

struct ValidateOptions {
  Limits limits;

  // Read the data of all tensors: the rules about weights.
  bool weights = false;
  // Statistics of each tensor's weights, too; implies `weights`.
  bool stats = false;

  // For reading weights: threads; called now and then with the bytes read and
  // those there are; the check ends, incomplete, when it says true.
  unsigned jobs = 1;
  std::function<void(uint64_t done, uint64_t total)> progress;
  std::function<bool()> interrupted;
};

struct Finding {
  Severity severity = Severity::kOff;
  Diagnostic diagnostic;
};

// What is known about one file after a check.  Owns its strings.
struct FileReport {
  std::string path;  // As the user gave it; "-" for standard input.
  std::optional<uint64_t> size;
  std::string format = "unknown";
  // Of an ancestor of GGUF: which model it holds, who reads it, what to do.
  std::string about;
  std::optional<uint32_t> version;
  std::optional<Endian> endian;
  std::optional<uint64_t> keys;  // Read, that is, not just announced.
  std::optional<uint64_t> tensors;

  // By offset, then by rule in the order of the catalogue.
  std::vector<Finding> findings;

  struct Counts {
    uint64_t error = 0;
    uint64_t warning = 0;
    uint64_t note = 0;
  } counts;  // Of all, kept or not.

  struct More {
    const Rule* rule;
    Severity severity;
    uint64_t count;
  };
  std::vector<More> more;  // Of rules with more findings than were kept.

  struct NotChecked {
    const Rule* rule;
    std::string why;
  };
  std::vector<NotChecked> not_checked;

  struct TensorStats {
    std::string name;  // As in the file: any bytes.
    std::string type;
    std::vector<uint64_t> dims;  // In file order.
    WeightStats weights;
  };
  std::vector<TensorStats> stats;  // Of the tensors that were read.

  // Why the check did not come to its end, for the environment or a limit;
  // empty when it did.  Such a file has not passed, whatever was found.
  std::string incomplete;
};

// Reports on a file's bytes.  `name` is its base name, empty for a stream; both
// outlive the call only.  Never fails: whatever the bytes, the report says what
// was found and what was not checked.  Fills in everything but `path`.
FileReport Validate(Bytes bytes, absl::string_view name, const Profile& profile,
                    const ValidateOptions& options);

// The report on a file that could not be read at all.
FileReport Unchecked(absl::string_view why, const Profile& profile);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_VALIDATE_H_
