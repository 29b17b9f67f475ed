// Fuzzes a reader: lets it read mutants, groups what goes wrong, confirms and
// reduces the first of each group.
//
// A failure counts once it has recurred twice, each time in a process that read
// nothing else; a hang, with ten times the time.  A loaded machine therefore
// makes no finding.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_FUZZ_FUZZER_H_
#define GGUF_CONFORMANCE_READERS_FUZZ_FUZZER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "conformance/readers/fuzz/findings.h"
#include "conformance/readers/process/line_watch.h"
#include "conformance/readers/process/reader.h"
#include "conformance/readers/protocol/protocol.h"

namespace gguf::readers {

struct FuzzProgress {
  absl::Duration elapsed;
  uint64_t executions = 0;
  uint64_t groups = 0;
  uint64_t features = 0;
};

struct FuzzOptions {
  Reader reader;
  Caps caps;                    // From its greeting.
  std::optional<Reader> other;  // The judge, in place of the validator.
  Caps other_caps;
  WatchLimits limits;  // Per file.
  absl::Duration time = absl::Minutes(1);
  unsigned jobs = 1;
  uint64_t seed = 1;
  std::vector<std::string> seeds;
  std::string output;  // A folder for findings and mutants; empty for none.
  // Called about once a second, by one thread at a time.
  std::function<void(const FuzzProgress&)> progress = [](const FuzzProgress&) {};
};

// The time after that of the options in which a run confirms and reduces what
// it found last.
inline constexpr absl::Duration kMostAfterwards = absl::Seconds(8);

// Fuzzes, and adds to an earlier report, which may be empty.  Error: the reader
// could not be run, or a file could not be written.
absl::StatusOr<FuzzReport> Fuzz(const FuzzOptions& options, FuzzReport report);

// Lets the reader read the files of a report in `options.output` again, and
// keeps only the groups that still fail, in whatever way.
absl::StatusOr<FuzzReport> Replay(const FuzzOptions& options, FuzzReport report);

// The file of the report in a folder of findings.
std::string FuzzReportPath(const std::string& folder);

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_FUZZ_FUZZER_H_
