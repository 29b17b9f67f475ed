// Checks files on disk in several threads.
//
// SPDX-License-Identifier: Apache-2.0

#ifndef GGUF_CONFORMANCE_GATE_CHECK_FILES_H_
#define GGUF_CONFORMANCE_GATE_CHECK_FILES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "conformance/digest/digest.h"
#include "conformance/engine/validate.h"
#include "conformance/gate/check_request.h"
#include "conformance/gate/shard_files.h"

namespace gguf {

// The callbacks of a gate.  `progress` and `stop` are called from several
// threads and may be empty.
struct GateCallbacks {
  // Receives each report, in the order of the files and from one thread at a
  // time.  Returning false ends the run.
  std::function<bool(FileReport report)> take;
  // Receives the number of bytes read of a file, and its size.
  std::function<void(uint64_t done, uint64_t total)> progress;
  // Returning true ends the run early.
  std::function<bool()> stop;
};

// Passes a report for each file of the groups to `take`, in order and one at a
// time, and keeps none.  Files that cannot be opened have reports, too.  Ends
// early when `take` returns false or `stop` returns true.
void CheckFiles(const std::vector<FileGroup>& groups,
                const CheckRequest& request, const GateCallbacks& callbacks);

// Returns the manifest's entry for a path; null without a manifest or an entry.
const FileDigest* DigestOf(const std::string& path,
                           const CheckRequest& request);

}  // namespace gguf

#endif  // GGUF_CONFORMANCE_GATE_CHECK_FILES_H_
