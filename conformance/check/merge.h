// Merge: reads the reports of several runs as one; and ReportSource, which reads one of them file
// by file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_MERGE_H_
#define GGUF_CONFORMANCE_CHECK_MERGE_H_

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/report/report.h"
#include "conformance/rules/validate.h"
#include "nlohmann/json.hpp"

namespace gguf {

// ReportSource: reads a report of ggufcheck file by file.

// Holds one line of NDJSON in memory at a time, but a JSON document completely.
//
// Errors name the report, and the line or file in it.  InvalidArgument: the
// input is not such a report.
class ReportSource {
 public:
  static absl::StatusOr<std::unique_ptr<ReportSource>> Open(const std::string& path);
  // Reads a report from a stream; errors name it `path`.
  static absl::StatusOr<std::unique_ptr<ReportSource>> From(std::unique_ptr<std::istream> in,
                                                            const std::string& path);
  virtual ~ReportSource() = default;

  const std::string& path() const { return path_; }
  const Run& run() const { return run_; }

  // Moves to the next file.  Their indexes ascend.
  absl::Status Advance();
  // The current file; empty before the first and after the last.
  std::optional<FileReport>& file() { return file_; }

  // After the last file: why the report does not have all files of its run;
  // empty if it has.
  const std::string& unfinished() const { return unfinished_; }
  // After the last file: the outcome of the baseline; empty without a baseline.
  const std::optional<BaselineOutcome>& baseline() const { return baseline_; }

 protected:
  ReportSource(std::string path, Run run) : path_(std::move(path)), run_(std::move(run)) {}

  // Reads the end of a report, after its files.
  absl::Status ReadEnd(const nlohmann::ordered_json& end);

  // Returns the next file, or nothing at the end of the report.
  virtual absl::StatusOr<std::optional<FileReport>> Read() = 0;

  const std::string path_;
  const Run run_;
  std::string unfinished_;
  std::optional<BaselineOutcome> baseline_;

 private:
  std::optional<FileReport> file_;
  std::optional<uint64_t> last_index_;
};

// Merge: reads the reports of several runs as one.

// A merge of several reports: either those of the shards of one run, in the
// order of its files, or those of complete runs, one after another.
class Merge {
 public:
  // Opens all reports.  Errors: those of ReportSource::Open; FailedPrecondition
  // for reports that cannot be merged.
  absl::Status Open(const std::vector<std::string>& paths);

  // Merges these reports, at least one.  Errors: FailedPrecondition as above.
  absl::Status Open(std::vector<std::unique_ptr<ReportSource>> sources);

  // The run that the merged report describes.
  Run run() const;

  // Passes all files to `take` until it returns false; returns the totals.
  Totals Take(const std::function<bool(const FileReport& file)>& take);

 private:
  bool of_shards() const { return sources_.front()->run().shard.count > 1; }
  absl::Status Add(std::unique_ptr<ReportSource> source);
  absl::Status Compare(const ReportSource& source) const;
  void SayMissing();
  void Advance(ReportSource* source);
  ReportSource* Next() const;

  std::vector<std::unique_ptr<ReportSource>> sources_;
  std::map<uint64_t, const ReportSource*> shards_;
  std::vector<std::string> problems_;  // Why files are missing.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_MERGE_H_
