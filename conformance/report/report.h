// The settings of a run, its totals, and the interface of report writers.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_REPORT_REPORT_H_
#define GGUF_CONFORMANCE_REPORT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conformance/rules/file_report.h"
#include "conformance/rules/profile.h"
#include "parser/rule.h"

namespace gguf {

enum class Result { kPass, kFail, kIncomplete };

// The shard of the models that a run checks, when several runs divide them.
struct WorkShard {
  uint64_t index = 0;  // Below `count`.
  uint64_t count = 1;
};

// The settings of a run.
struct Run {
  std::string profile;
  Severity fail_on = Severity::kError;  // The lowest severity that fails.
  // The rules that were selected or ignored on the command line, as given.
  std::vector<std::string> select;
  std::vector<std::string> ignore;

  WorkShard shard;
  // Identifies the files of all shards, so that reports can be matched.
  struct Inputs {
    uint64_t files = 0;
    std::string digest;  // Digest of their paths, in order; hex.
    // The number of other files in directories that were given, which are not
    // checked, and the first hundred, escaped.
    uint64_t skipped = 0;
    std::vector<std::string> skipped_paths;
  } inputs;

  // The command line without secrets, and when the run began, in UTC as
  // "2026-11-22T21:45:00Z".  Only for people: not in JSON, which is the same
  // for the same files.  Empty if not known.
  std::string command;
  std::string date;

  std::string config;    // The path of the configuration; empty for none.
  std::string baseline;  // The path of the baseline; empty for none.
  // The model or folder that the files were compared with; empty for none.
  std::string compared_with;

  // Rules whose severity differs from the built-in profile of this name, or
  // from the default profile if there is none; `select` and `ignore` are
  // applied afterwards.
  struct RuleSeverity {
    const Rule* rule = nullptr;
    Severity severity = Severity::kOff;

    friend bool operator==(const RuleSeverity& a, const RuleSeverity& b) {
      return a.rule == b.rule && a.severity == b.severity;
    }
  };
  std::vector<RuleSeverity> severities;
};

// Returns the severities of a profile that differ from the built-in profile of
// its name.
std::vector<Run::RuleSeverity> SeveritiesOf(const Profile& profile);

// Reconstructs the profile of a run.
Profile ProfileOf(const Run& run);

// Returns the result of a file.  Incomplete takes precedence over fail: a file
// whose check did not complete has no verdict.
Result ResultOf(const FileReport& file, Severity fail_on);

// Returns "pass", "fail" or "incomplete".
const char* ResultName(Result result);

// Returns the result of this name, or nothing.
std::optional<Result> FindResult(absl::string_view name);

// Gives the first of these reports, if they are on the shards of a model, the
// result of all of them.
void SettleSet(Severity fail_on, std::vector<FileReport>* reports);

// A line of a baseline: accepts all findings of one rule about one subject of a
// file, regardless of their offsets.
struct KnownFinding {
  std::string file;  // Path relative to the baseline's folder, escaped.
  std::string rule;
  std::string subject;
  std::string reason;
};

// The outcome of a baseline.
struct BaselineOutcome {
  uint64_t known = 0;                 // Findings, of all files.
  std::vector<KnownFinding> stale;    // No longer found.
  std::vector<KnownFinding> refused;  // Errors of `safety`, which count.

  // Adds the outcome of another run, without duplicating lines.
  void Add(const BaselineOutcome& other);
};

// What the model of --base was used for in the files of a run.
class BaseUse {
 public:
  void Add(const FileReport& file);

  // Returns why no file was compared with it; empty if one was, if the parser
  // stopped in one, and without --base.
  std::string WhyNone() const;

 private:
  bool unknown_ = false;  // The parser stopped, or there is no base.
  bool compared_ = false;
  std::string why_not_;  // That of the first file.
};

// The totals of a run.
struct Totals {
  uint64_t pass = 0;
  uint64_t fail = 0;
  uint64_t incomplete = 0;
  FileReport::Counts counts;
  // Why some files have no report, or a check that was asked for applies to no
  // file; otherwise empty.
  std::string unfinished;
  BaseUse with_base;
  std::optional<BaselineOutcome> baseline;  // Empty when there was no baseline.

  void Add(const FileReport& file, Severity fail_on);
  uint64_t files() const { return pass + fail + incomplete; }
  // Returns whether the checks of all files completed.
  bool complete() const { return incomplete == 0 && unfinished.empty(); }
};

// Returns "3 files: 1 pass, 2 fail, 0 incomplete; 2 errors, 1 warning, 0
// notes", and with a baseline "; 4 known".
std::string Summary(const Totals& totals);

// Returns "2 errors, 1 warning, 0 notes".
std::string CountsText(const FileReport::Counts& counts);

// Returns "1 finding in the baseline"; empty when the file has no known
// findings.
std::string KnownCount(const FileReport& file);

// Returns the exit code of `ggufcheck check`: 0 all pass, 1 some fail, 3 some
// incomplete or no files at all.
int ExitCode(const Totals& totals);

// Returns "pass", "fail" or "incomplete", according to the exit code.
const char* ResultName(const Totals& totals);

// Writes a report incrementally: its head on construction, each file as soon as
// it is checked, and the rest at the end.  Memory does not grow with the number
// of files.  Without End() the report is truncated.
//
// Errors are those of the stream.
class ReportWriter {
 public:
  virtual ~ReportWriter() = default;
  virtual void Add(const FileReport& file) = 0;
  virtual void End(const Totals& totals) = 0;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_REPORT_REPORT_H_
