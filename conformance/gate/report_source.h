// ReportSource: a report of ggufcheck, read back file by file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_REPORT_SOURCE_H_
#define GGUF_CONFORMANCE_GATE_REPORT_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/report/report.h"
#include "nlohmann/json.hpp"

namespace gguf {

// Of NDJSON, one line at a time is in memory; of JSON, the whole document.
//
// Errors name the report, and the line or file in it: InvalidArgument for what
// is no such report.
class ReportSource {
 public:
  static absl::StatusOr<std::unique_ptr<ReportSource>> Open(
      const std::string& path);
  virtual ~ReportSource() = default;

  const std::string& path() const { return path_; }
  const Run& run() const { return run_; }

  // Moves to the next file.  Their indexes ascend.
  absl::Status Advance();
  // The file it is at; nothing before the first and behind the last.
  std::optional<FileReport>& file() { return file_; }

  // Behind the last file: why the report does not have all of its run's files;
  // empty when it has.
  const std::string& unfinished() const { return unfinished_; }
  // And what became of its baseline; nothing when there was none.
  const std::optional<BaselineOutcome>& baseline() const { return baseline_; }

 protected:
  ReportSource(std::string path, Run run)
      : path_(std::move(path)), run_(std::move(run)) {}

  // Takes what stands behind the files of a report.
  absl::Status ReadEnd(const nlohmann::ordered_json& end);

  // The next file, or nothing when there is none and the end is known.
  virtual absl::StatusOr<std::optional<FileReport>> Read() = 0;

  const std::string path_;
  const Run run_;
  std::string unfinished_;
  std::optional<BaselineOutcome> baseline_;

 private:
  std::optional<FileReport> file_;
  std::optional<uint64_t> last_index_;
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_REPORT_SOURCE_H_
