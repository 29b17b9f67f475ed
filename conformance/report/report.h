// What one run asked, how it ended, and who writes that down.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_REPORT_H_
#define GGUF_CONFORMANCE_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/engine/file_report.h"
#include "conformance/engine/profile.h"
#include "parser/core/rule.h"

namespace gguf {

enum class Result { kPass, kFail, kIncomplete };

// Which share of the models a run looks at, when several runs divide them.
struct WorkShard {
  uint64_t index = 0;  // Below `count`.
  uint64_t count = 1;
};

// What a run was asked.
struct Run {
  std::string profile;
  Severity fail_on = Severity::kError;  // And what is worse.
  // The rules that were selected or ignored on the command line, as given.
  std::vector<std::string> select;
  std::vector<std::string> ignore;

  WorkShard shard;
  // The files of all shards together, by which reports know each other.
  struct Inputs {
    uint64_t files = 0;
    std::string digest;  // Of their paths, in order; hex.
  } inputs;

  std::string config;    // The path of the configuration; empty for none.
  std::string baseline;  // That of the baseline; empty for none.

  // What rules have another severity by than the profile says, or than the
  // default one when no built-in profile has its name; `select` and `ignore`
  // come on top.
  struct RuleSeverity {
    const Rule* rule = nullptr;
    Severity severity = Severity::kOff;

    friend bool operator==(const RuleSeverity& a, const RuleSeverity& b) {
      return a.rule == b.rule && a.severity == b.severity;
    }
  };
  std::vector<RuleSeverity> severities;
};

// The severities of a profile, as far as they are not what its name says.
std::vector<Run::RuleSeverity> SeveritiesOf(const Profile& profile);

// The profile that was made so.
Profile ProfileOf(const Run& run);

// Incomplete beats fail: what was not checked to its end has no verdict.
Result ResultOf(const FileReport& file, Severity fail_on);

// "pass", "fail" or "incomplete".
const char* ResultName(Result result);

// A line of a baseline: all findings of one rule about one subject of a file,
// wherever in the file they are, which somebody accepts.
struct KnownFinding {
  std::string file;  // A path from the folder of the baseline, escaped.
  std::string rule;
  std::string subject;
  std::string reason;
};

// What became of a baseline.
struct BaselineOutcome {
  uint64_t known = 0;                 // Findings, of all files.
  std::vector<KnownFinding> stale;    // Are found no longer.
  std::vector<KnownFinding> refused;  // Errors of `safety`, which count.

  // Adds that of another run.  A line that both speak of is there once.
  void Add(const BaselineOutcome& other);
};

// How a run ended: the sum of its files.
struct Totals {
  uint64_t pass = 0;
  uint64_t fail = 0;
  uint64_t incomplete = 0;
  FileReport::Counts counts;
  // Why there are files without a report; empty when all have one.
  std::string unfinished;
  std::optional<BaselineOutcome> baseline;  // Nothing when there was none.

  void Add(const FileReport& file, Severity fail_on);
  uint64_t files() const { return pass + fail + incomplete; }
  // Whether every file was checked to its end.
  bool complete() const { return incomplete == 0 && unfinished.empty(); }
};

// "3 files: 1 pass, 2 fail, 0 incomplete; 2 errors, 1 warning, 0 notes", and
// with a baseline "; 4 known".
std::string Summary(const Totals& totals);

// "1 error", "2 errors".
std::string Count(uint64_t count, absl::string_view noun);

// "1 finding of the baseline"; empty when the file has none that is known.
std::string KnownCount(const FileReport& file);

// The exit code of `ggufcheck check`: 0 all pass, 1 some fail, 3 some
// incomplete or no files at all.
int ExitCode(const Totals& totals);

// "pass", "fail" or "incomplete", by the exit code.
const char* ResultName(const Totals& totals);

// Writes a report while it comes into being: its head when it is made, each
// file as soon as that is checked, so that memory does not grow with their
// number, and the rest at the end.  Without End() the report is cut short.
//
// Errors are those of the stream.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  virtual void Add(const FileReport& file) = 0;
  virtual void End(const Totals& totals) = 0;
};

// The version that reports and --version show.
inline constexpr char kToolVersion[] = "0.2.0-dev";

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_REPORT_H_
