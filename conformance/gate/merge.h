// Merge: reads the reports of several runs as one.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_MERGE_H_
#define GGUF_CONFORMANCE_GATE_MERGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "conformance/engine/validate.h"
#include "conformance/gate/report_source.h"
#include "conformance/report/report.h"

namespace gguf {

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

#endif  // GGUF_CONFORMANCE_GATE_MERGE_H_
