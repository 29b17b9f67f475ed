// Gate: checks many files and delivers a report for each.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_CHECK_GATE_H_
#define GGUF_CONFORMANCE_CHECK_GATE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/base/bytes.h"
#include "conformance/base/output_file.h"
#include "conformance/check/baseline.h"
#include "conformance/check/check_inputs.h"
#include "conformance/check/do_in_order.h"
#include "conformance/check/files.h"
#include "conformance/report/report.h"
#include "conformance/rules/check_options.h"

namespace gguf {

// The callbacks of a gate, called from several threads.  `progress` and `stop`
// may be empty.
struct GateCallbacks {
  // Receives each report, in the order of the files and from one thread at a
  // time.  Returning false ends the run.
  std::function<bool(FileReport report)> take;
  // Receives how far the run is, from one thread at a time.
  std::function<void(const GateProgress&)> progress;
  // Returning true ends the run early.
  std::function<bool()> stop;
};

struct GateResult {
  Totals totals;
  absl::Status baseline;              // The error of writing it, if any.
  std::vector<std::string> warnings;  // About the baseline; not escaped.
};

class Gate {
 public:
  // Finds the files and reads the baseline.  The options, from which the inputs
  // were opened, and the inputs must outlive the gate.
  // The time limit ends the reading of lists; `stop` returning true, that and
  // the search of directories.
  //
  // Errors: InvalidArgument when the baseline is wrong or would overwrite an
  // input; those of ReadFileList().
  static absl::StatusOr<Gate> Open(const CheckOptions& options, const CheckInputs& inputs,
                                   const std::function<bool()>& stop = nullptr);

  const Run& run() const { return run_; }
  // The files that no report may overwrite.
  const InputFiles& inputs() const { return files_; }
  // Returns whether this run's shard has no files.
  bool empty() const { return groups_.empty(); }

  // Checks all files.  Call it once.
  GateResult Check(const GateCallbacks& callbacks);

 private:
  Gate(const CheckOptions& options, const CheckInputs& inputs)
      : options_(options), inputs_(inputs), run_(inputs.run()), files_(inputs.files()) {}
  absl::Status FindGroups(const std::function<bool()>& stop);
  absl::Status OpenBaseline();

  const CheckOptions& options_;
  const CheckInputs& inputs_;
  Run run_;
  InputFiles files_;
  std::vector<FileGroup> groups_;
  std::optional<BaselineFile> baseline_;
};

// Checks a file in memory, or its beginning, as the only one in its folder.
// `path` is that of the report and of the configuration; rules about the file's
// name read `source.name`.
FileReport CheckSource(const Source& source, const std::string& path, const CheckOptions& options,
                       const CheckInputs& inputs);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_CHECK_GATE_H_
