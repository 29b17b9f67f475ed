// Merge: the reports of several runs, read as one.
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
#include "conformance/gate/report_source.h"
#include "conformance/report/report.h"
#include "conformance/engine/validate.h"

namespace gguf {

// Several reports on their way to be one: those of the shards of a run, in the
// order of its files, or those of whole runs, one after another.
class Merge {
 public:
  // Errors: those of ReportSource::Open; FailedPrecondition for reports that
  // cannot be one.
  absl::Status Open(const std::vector<std::string>& paths);

  // What the one report is of.
  Run run() const;

  // Hands over all files, until `take` returns false; returns how that ended.
  Totals Take(const std::function<bool(const FileReport& file)>& take);

 private:
  bool of_shards() const { return sources_.front()->run().shard.count > 1; }
  absl::Status Compare(const ReportSource& source) const;
  void SayMissing();
  void Advance(ReportSource* source);
  ReportSource* Next() const;

  std::vector<std::unique_ptr<ReportSource>> sources_;
  std::map<uint64_t, const ReportSource*> shards_;
  std::vector<std::string> problems_;  // Why the report is not of all files.
};

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_MERGE_H_
