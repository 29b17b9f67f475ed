// ReportOutputs: the reports of one run, on standard output and in files.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CLI_REPORT_OUTPUT_H_
#define GGUF_CLI_REPORT_OUTPUT_H_

#include <memory>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/base/output_file.h"
#include "conformance/report/report.h"
#include "conformance/rules/check_options.h"

namespace gguf {

// The open reports of a run.  A report that can no longer be written is
// abandoned; the others continue.
class ReportOutputs {
 public:
  // Opens all reports, which show the command and its time.
  //
  // Errors: InvalidArgument for a malformed --report, for one to standard
  // output, and for two with the same path; those of OutputFile::Create().
  static absl::StatusOr<ReportOutputs> Open(const CheckOptions& options, Run run,
                                            const CLI::App& command, const InputFiles& inputs);

  // Adds a file to all reports.  Returns false when none can be written any
  // more.
  bool Add(const FileReport& report);
  // Closes all reports, prints which could not be written, and returns the exit
  // code.
  int Close(const Totals& totals);

 private:
  struct Output {
    std::unique_ptr<OutputFile> file;
    std::unique_ptr<ReportWriter> writer;
    absl::Status status;
  };
  std::vector<Output> outputs_;
};

}  // namespace gguf

#endif  // GGUF_CLI_REPORT_OUTPUT_H_
