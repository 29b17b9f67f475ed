// The checks behind the C interface, and their report.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_API_CHECK_H_
#define GGUF_API_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/ggufcheck.h"
#include "conformance/base/bytes.h"
#include "conformance/report/report.h"
#include "conformance/rules/check_options.h"
#include "conformance/rules/file_report.h"

namespace gguf::api {

// The reports of one call: of a file, or of the shards of its model.
struct Checked {
  Run run;
  std::vector<FileReport> files;
};

// Holds the reports in the form of the C interface.
class Report {
 public:
  explicit Report(Checked checked);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  const char* result() const { return ResultName(totals_); }
  const std::vector<ggufcheck_finding>& findings() const { return findings_; }
  const char* json() const;

 private:
  const Checked checked_;
  Totals totals_;
  std::vector<std::string> urls_;
  std::vector<ggufcheck_finding> findings_;  // Refer to all of these.
  mutable std::once_flag json_once_;
  mutable std::string json_;  // Written when it is first asked for.
};

// As the functions of the C interface.  Errors are the environment's, and those
// of CheckInputs::Open().
absl::StatusOr<Checked> CheckFile(const std::string& path, CheckOptions options);
absl::StatusOr<Checked> CheckBuffer(Bytes bytes, const std::string& name, CheckOptions options);

// Returns the number of bytes, or a negative number.
using Read = std::function<int64_t(uint64_t offset, void* to, size_t size)>;
absl::StatusOr<Checked> CheckCallback(const Read& read, uint64_t size, const std::string& name,
                                      CheckOptions options);

}  // namespace gguf::api

#endif  // GGUF_API_CHECK_H_
