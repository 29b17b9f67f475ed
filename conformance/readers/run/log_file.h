// LogFile: the log of a run on disk, which grows while the run lasts.
//
// Until the run is over, it has the first results of the cases, in the order in
// which they arrived, and no footer.  These are not confirmed: a second reading
// may change them.  The whole log then replaces it.  So the log of a run that
// was killed can be reported on, as a truncated one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_READERS_RUN_LOG_FILE_H_
#define GGUF_CONFORMANCE_READERS_RUN_LOG_FILE_H_

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "conformance/output/output_file.h"
#include "conformance/readers/run/run_log.h"

namespace gguf::readers {

// Pipes and devices only get the whole log.
class LogFile {
 public:
  // Nothing exists at the path, and an older log stays, before Begin().  Errors
  // are those of OutputFile.
  static absl::StatusOr<std::unique_ptr<LogFile>> Create(
      const std::string& path, const InputFiles& inputs);

  // Begins the growing log.
  absl::Status Begin(const RunHeader& header);
  // Adds a case.  Thread-safe.  After an error, such as a full disk, the log
  // grows no more.
  void Add(const CaseRecord& record);
  // Replaces the growing log by the whole one.
  absl::Status Finish(const RunLog& log);

 private:
  LogFile(const std::string& path, const InputFiles& inputs,
          std::unique_ptr<OutputFile> file)
      : path_(path), inputs_(inputs), file_(std::move(file)) {}

  const std::string path_;
  const InputFiles inputs_;
  const std::unique_ptr<OutputFile> file_;
  std::mutex mutex_;  // Guards writing to file_.
};

}  // namespace gguf::readers

#endif  // GGUF_CONFORMANCE_READERS_RUN_LOG_FILE_H_
