// ReportOutput: one report on its way to standard output or into a file.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_REPORT_OUTPUT_H_
#define GGUF_CLI_REPORT_OUTPUT_H_

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/report/report.h"

namespace gguf {

// What a --report asks for.
struct ReportTarget {
  std::string format;  // One of ReportFormatNames().
  std::string path;
};

// Reads "FORMAT=PATH", as often as it was said.  InvalidArgument for what is
// none, for standard output, and for two reports in one file.
absl::StatusOr<std::vector<ReportTarget>> ParseReportTargets(
    const std::vector<std::string>& flags);

// A file appears under its name when it is complete: until then it is a
// temporary one beside it, which the destructor removes.  A pipe or a device is
// written to as it is.  After an error nothing more is written.
class ReportOutput {
 public:
  static std::unique_ptr<ReportOutput> ToStandardOutput(
      const std::string& format, const Run& run);
  // Errors name the path.
  static absl::StatusOr<std::unique_ptr<ReportOutput>> ToFile(
      const ReportTarget& target, const Run& run);
  ~ReportOutput();

  void Add(const FileReport& file);
  // Ok when all was written, and stands where it should.
  absl::Status Close(const Totals& totals);

  bool failed() const { return !status_.ok(); }

 private:
  ReportOutput() = default;
  // Whether all could be written until now.
  void Look(std::ostream& out);

  std::string name_;       // For messages.
  std::string path_;       // Empty for standard output.
  std::string temporary_;  // Empty when written in place.
  std::ofstream file_;
  std::unique_ptr<ReportWriter> writer_;
  absl::Status status_;
};

// Several reports of one run.
class ReportOutputs {
 public:
  // Opens them.  `format` goes to standard output.
  static absl::StatusOr<ReportOutputs> Open(
      const std::string& format, const std::vector<ReportTarget>& targets,
      const Run& run);

  // False when none of them can be written any more.
  bool Add(const FileReport& file);
  // Closes all, says which could not be written, and returns the exit code.
  int Close(const Totals& totals);

 private:
  std::vector<std::unique_ptr<ReportOutput>> outputs_;
};

}  // namespace gguf

#endif  // GGUF_CLI_REPORT_OUTPUT_H_
