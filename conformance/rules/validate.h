// Validate: runs every rule of a profile over one file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_RULES_VALIDATE_H_
#define GGUF_CONFORMANCE_RULES_VALIDATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/rules/profile.h"
#include "parser/byte_order.h"
#include "parser/bytes.h"
#include "parser/diagnostic.h"
#include "parser/limits.h"
#include "parser/rule.h"

namespace gguf {

struct Finding {
  Severity severity = Severity::kOff;
  Diagnostic diagnostic;
};

// What is known about one file after a check.  Owns its strings.
struct FileReport {
  std::string path;  // As the user gave it; "-" for standard input.
  std::optional<uint64_t> size;
  std::string format = "unknown";
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
    uint64_t count;
  };
  std::vector<More> more;  // Of rules with more findings than were kept.

  struct NotChecked {
    const Rule* rule;
    std::string why;
  };
  std::vector<NotChecked> not_checked;

  // Why the check did not come to its end, for the environment or a limit;
  // empty when it did.  Such a file has not passed, whatever was found.
  std::string incomplete;
};

// Reports on a file's bytes.  `name` is its base name, empty for a stream; both
// outlive the call only.  Never fails: whatever the bytes, the report says what
// was found and what was not checked.  Fills in everything but `path`.
FileReport Validate(Bytes bytes, absl::string_view name, const Profile& profile,
                    const Limits& limits);

// The report on a file that could not be read at all.
FileReport Unchecked(absl::string_view why, const Profile& profile);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_RULES_VALIDATE_H_
