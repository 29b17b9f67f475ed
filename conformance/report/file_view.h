// FileView: what reports show of one file, in the words that they share.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_FILE_VIEW_H_
#define GGUF_CONFORMANCE_REPORT_FILE_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conformance/model/reason.h"
#include "conformance/report/report.h"
#include "conformance/rules/file_report.h"
#include "parser/diagnostic.h"
#include "parser/rule.h"

namespace gguf {

struct RuleView;

// A finding.
struct FindingView {
  const RuleView* rule = nullptr;
  size_t index = 0;  // Among the kept findings of the rule.
  std::string at;    // "0x31"; empty if it is about no bytes.
  std::string what;  // Its subject and message.
  const Cause* cause = nullptr;
};

// What explains some of the findings.
struct CauseView {
  const Cause* cause = nullptr;
  std::string message, repair;
  Severity severity = Severity::kOff;  // The worst of the findings.
};

// The findings of one rule.
struct RuleView {
  const Rule* rule = nullptr;
  Severity severity = Severity::kOff;
  uint64_t count = 0;  // Includes findings that are not kept.
  std::vector<const FindingView*> kept;
  const Cause* cause = nullptr;  // Of all findings; null if they have none, or several.
  std::string repair;            // That of the rule, and whether `ggufcheck fix` does it.
  std::string readers;           // VulnerableReaders()
};

// Rules that were not checked for the same reason.
struct UncheckedRules {
  std::string why;
  Reason::Meaning meaning = Reason::kUnjudged;
  std::vector<const char*> ids;

  // Returns "a, b and 2 more", or all ids.
  std::string List(size_t most = ~size_t{0}) const;
};

// The verdict on all shards of a model together, which the report of the first shard has.
struct SetView {
  std::optional<Result> result;  // Nothing in the report of any other file.
  std::string path;              // What their paths begin with: "models/Mixtral-8x7B-v0.1".
  std::string description;       // "a model of 3 shards"
};

// The severities of findings.
inline constexpr Severity kWorstFirst[] = {Severity::kError, Severity::kWarning, Severity::kNote};

// The texts of one file, escaped for a format.  Refers to the report.
struct FileView {
  using Escaping = std::string (*)(absl::string_view text);
  static std::string AsItIs(absl::string_view text) { return std::string(text); }

  // `profile` is the run's: readers that lacked a check are named under `safety`.
  explicit FileView(const FileReport& file, absl::string_view profile = "",
                    Escaping escaping = AsItIs, size_t longest_path = ~size_t{0});
  FileView(const FileView&) = delete;
  FileView& operator=(const FileView&) = delete;

  std::string path;
  SetView set;
  // The format and sizes: "GGUF v3, little endian, 2 tensors, 5 keys, 400 bytes".
  // Empty for a file that could not be opened.
  std::string description;
  bool weights_unread = false;  // Because nobody asked for it.
  // These are empty if there is nothing to say.
  std::string about;       // Of a legacy format.
  std::string incomplete;  // Why the check did not finish.
  std::string known;       // "1 finding in the baseline"
  std::string fix;         // "2 findings: ggufcheck fix model.gguf --output NEW"

  std::vector<CauseView> causes;          // Those that explain findings of the report.
  std::vector<RuleView> rules;            // In the order of their first findings.
  std::vector<FindingView> findings;      // The worst first, then by offset.
  std::vector<UncheckedRules> unchecked;  // UncheckedByReason()
};

// Returns whether a file was checked under `safety`, in a run of this profile.
bool IsSafety(const FileReport& file, absl::string_view profile);

// Returns requested rules that were not checked, in the order of the catalogue.
// Omits kNotRequested, and rules not checked because the whole file is
// incomplete.
std::vector<UncheckedRules> UncheckedByReason(const FileReport& file);

// The known vulnerabilities of readers that findings are about.

// Returns "CVE-2026-7482 (ollama)", the records separated by commas; empty if
// none is known.
std::string VulnerabilitiesOf(const Diagnostic& diagnostic);

// Returns "Readers that lacked this check: CVE-2026-7482 (ollama)." with the
// records of all findings, or empty.
std::string VulnerableReaders(const std::vector<const Diagnostic*>& findings);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_FILE_VIEW_H_
